import { readdir } from "node:fs/promises";
import type { Sandbox } from "@hookwarden/sandbox";
import { quote } from "@hookwarden/sandbox/json";
import {
  type AcceptedHook,
  hookManifestFile,
  packManifestFile,
  type PackManifest,
  scriptPath,
} from "../pack/index.ts";
import type { CompileOptions } from "../compile/index.ts";
import { folderSource, pathProblem, type PackSource } from "../files/index.ts";
import type { Isolation } from "../warden/index.ts";
import { checkTypes, type TypeProblem } from "./types/index.ts";
import type { Allowed } from "./allowances.ts";
import { checkCases, type CheckedCases } from "./cases.ts";
import { checkCode } from "./code.ts";
import { type Finding, finding } from "./finding.ts";
import { checkGrants, checkOrder } from "./grants.ts";
import { casesOfCondition } from "./conditions.ts";
import { checkMatchers } from "./matchers.ts";
import { checkManifests } from "./manifests.ts";
import { checkScripts } from "./scripts.ts";

export type { Allowed } from "./allowances.ts";
export { type Finding, type FindingCode, findingTable } from "./finding.ts";

/** What came of a check. */
export interface CheckReport {
  /** Name of the pack, where it has one. */
  readonly pack: string | null;
  /** Names of the hooks whose manifests hold. */
  readonly hooks: readonly string[];
  readonly findings: readonly Finding[];
  /** Findings that a comment in the source allows, with the reason that it gives. */
  readonly allowed: readonly Allowed[];
  /** What was not checked, and why. */
  readonly notes: readonly string[];
}

export interface CheckOptions extends CompileOptions {
  /** Where scripts are parsed: in a child process with limits (default), or in this one. */
  readonly isolation?: Isolation;
}

/**
 * Checks a pack: manifests, matchers, paths, grants, what scripts export, their types and their code, and cases. Of the
 * pack's code it runs the top level of scripts, and the cases of hooks that ask for an action which their code does not
 * name; both in the sandbox.
 *
 * @throws {HookwardenError} `pack-not-found`; whatever else is wrong is a finding.
 */
export async function checkPack(
  folder: string,
  sandbox: Sandbox,
  { isolation = "process", ...options }: CheckOptions = {},
): Promise<CheckReport> {
  const source = await folderSource(folder);
  const { manifest, hooks, findings } = await checkManifests(source);
  const names = hooks.map(({ hook }) => hook.name);
  if (!manifest) return { pack: null, hooks: names, findings, allowed: [], notes: [] };
  const cases = new Map<AcceptedHook, CheckedCases>();
  for (const accepted of hooks) cases.set(accepted, await checkCases(source, accepted));
  const { scripts, findings: unloadable } = await checkScripts(source.root, hooks, sandbox, options);
  const [types, code] = await Promise.all([
    checkTypes(source.root, hooks.map(scriptPath), options),
    checkCode(
      {
        root: source.root,
        manifest,
        scripts,
        isolation,
        childMemoryMb: options.childMemoryMb,
        cases: scripts.map(({ accepted }) => cases.get(accepted)?.cases ?? []),
      },
      sandbox,
    ),
  ]);
  const conditions: string[] = [];
  for (const { accepted, script } of scripts) {
    const of = { root: source.root, manifest, accepted, script, cases: cases.get(accepted)?.cases ?? [] };
    const note = await casesOfCondition(of, sandbox);
    if (note !== null) conditions.push(note);
  }
  const untyped = new Set(
    types.checked
      ? types.problems
          .filter(({ number }) => unknownNames.has(number))
          .map(({ file, line }) => `${file}:${line}`)
      : [],
  );
  return {
    pack: manifest.name ?? null,
    hooks: names,
    findings: [
      ...findings,
      ...checkGrants(manifest, hooks),
      ...checkOrder(hooks),
      ...checkMatchers(hooks),
      ...(await checkListed(source, manifest)),
      ...unloadable,
      ...(types.checked ? typeFindings(types.problems, hooks, [...unloadable, ...code.findings]) : []),
      ...code.findings.filter(
        ({ code: name, ...other }) => name !== "unknown-global" || !untyped.has(lineOf(other)),
      ),
      ...hooks.flatMap((accepted) => cases.get(accepted)?.findings ?? []),
    ],
    allowed: code.allowed,
    notes: [...(types.checked ? [] : [`types were not checked: ${types.why}`]), ...conditions],
  };
}

/** What the compiler found, without what the bundler has found in the same line and explains better. */
function typeFindings(
  problems: readonly TypeProblem[],
  hooks: readonly AcceptedHook[],
  others: readonly Finding[],
): readonly Finding[] {
  const explained = new Set(others.filter(({ code }) => code === "load-failed").map(lineOf));
  const globals = new Map(
    others.filter(({ code }) => code === "unknown-global").map((other) => [lineOf(other), other]),
  );
  return problems.flatMap((problem) => {
    const line = `${problem.file}:${problem.line}`;
    if (explained.has(line)) return [];
    const made = findingOfType(problem, hooks);
    const global = unknownNames.has(problem.number) ? globals.get(line) : undefined;
    return [global ? { ...made, message: global.message, fix: global.fix } : made];
  });
}

function lineOf({ place: { file, line } }: Pick<Finding, "place">): string {
  return `${file}:${line}`;
}

/** Numbers of the compiler's errors about a name that it does not know. */
const unknownNames = new Set([2304, 2552, 2580, 2584, 2591]);

function findingOfType(
  { file, line, column, number, message }: TypeProblem,
  hooks: readonly AcceptedHook[],
): Finding {
  const owner = hooks.find(({ folder }) => folder !== "" && file.startsWith(`${folder}/`));
  // Advice on packages of Node's or browsers' types is misleading: a hook has neither.
  const said = message.replace(/ (Do you need to|Try `npm) .*$/s, "").replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, " ");
  const place = { file, line, column };
  const returned = /Type '([^']+)' is not assignable to type 'HookResult</.exec(said)?.[1];
  if (returned === undefined) {
    return finding(
      "type-error",
      owner?.hook.name ?? null,
      `TypeScript ${number}: ${said.replace(/\.$/, "")}`,
      place,
    );
  }
  const text = `TypeScript ${number}: the hook returns \`${returned}\`, which is no answer to its event`;
  const fix = 'Return an action that is legal at the event, such as `deny("…")`, or nothing.';
  return { ...finding("type-error", owner?.hook.name ?? null, text, place), fix };
}

/** A hook that is there and does not run is easily taken for one that does. */
async function checkListed(
  source: PackSource & { readonly root: string },
  manifest: PackManifest,
): Promise<Finding[]> {
  const listed = new Set(manifest.hooks.map((path) => path.replace(/^\.\//, "")));
  const entries = await readdir(source.root, { withFileTypes: true });
  const findings: Finding[] = [];
  for (const entry of entries) {
    if (!entry.isDirectory() || listed.has(entry.name) || pathProblem(entry.name)) continue;
    if ((await source.kind(`${entry.name}/${hookManifestFile}`)) !== "file") continue;
    const message = `the folder ${quote(entry.name)} has a \`${hookManifestFile}\` and is not among the pack's \`hooks\``;
    findings.push(finding("hook-unlisted", null, message, { file: packManifestFile, pointer: "/hooks" }));
  }
  return findings;
}
export type { Difference } from "./cases/compare.ts";
export { caseDefaults, casesFile, casesLimits, readCases } from "./cases/read.ts";
export { type CaseResult, inParallel, runCase, type StepFailure } from "./cases/run.ts";
export { listCases, loadSuite, SinglePacks, type Suite, type SuiteHook } from "./cases/suite.ts";
