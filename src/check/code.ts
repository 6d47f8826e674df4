import type { Sandbox } from "@hookwarden/sandbox";
import { quote } from "@hookwarden/sandbox/json";
import type { Case } from "./cases/read.ts";
import { legalActions } from "../catalogue/index.ts";
import type { CompiledScript } from "../compile/index.ts";
import { hookManifestFile, type PackManifest } from "../pack/index.ts";
import { analyseScript, type LintResult, type Usage } from "./lint/index.ts";
import type { Isolation } from "../warden/index.ts";
import { lintScripts } from "./lint/lint-scripts.ts";
import { sourcesOf } from "./lint/origin.ts";
import { type Allowed, Allowances } from "./allowances.ts";
import { actionsInCases } from "./cases.ts";
import { type Finding, finding, findingOfLint } from "./finding.ts";
import { checkReach } from "./reach.ts";
import { checkReads } from "./reads.ts";
import type { CheckedScript } from "./scripts.ts";

/** What is needed to look at the code of a pack. */
export interface CodeOf {
  readonly root: string;
  readonly manifest: PackManifest;
  readonly scripts: readonly CheckedScript[];
  /** The cases of each script's hook, in the same order. */
  readonly cases: readonly (readonly Case[])[];
  /** Where the scripts are parsed. */
  readonly isolation: Isolation;
  /** As for bundling. */
  readonly childMemoryMb?: number | undefined;
}

export interface CheckedCode {
  readonly findings: readonly Finding[];
  readonly allowed: readonly Allowed[];
}

/** Looks at what the scripts of a pack say, and at what their manifests ask for and the scripts do not use. */
export async function checkCode(code: CodeOf, sandbox: Sandbox): Promise<CheckedCode> {
  const { manifest, scripts } = code;
  const results = await lint(
    scripts.map(({ script }) => script),
    code,
  );
  const allowances = new Allowances();
  const found: Finding[] = [];
  const seen = new Set<string>();
  for (const [index, { accepted, script }] of scripts.entries()) {
    for (const { file, origin, text } of sourcesOf(script.program.source, script.map)) {
      if (origin === "pack") allowances.read(file, text);
    }
    for (const one of results[index]?.findings ?? []) {
      // Hooks share files, and what is wrong with one is said once.
      const key = JSON.stringify([one.code, one.place, one.message]);
      if (one.place.file !== undefined && seen.has(key)) continue;
      seen.add(key);
      found.push(findingOfLint(one, accepted.hook.name));
    }
  }
  const findings = found.filter((one) => !allowances.covers(one));
  for (const [index, { accepted }] of scripts.entries()) {
    const usage = results[index]?.usage;
    if (!usage) continue;
    findings.push(...checkReads(accepted, usage), ...(await unusedActions(code, index, usage, sandbox)));
  }
  const read = scripts.map(({ accepted, script }, index) => ({
    accepted,
    program: script.program.source,
    usage: results[index]?.usage ?? null,
  }));
  findings.push(...checkReach(manifest, read), ...allowances.findings());
  return { findings, allowed: allowances.used() };
}

async function lint(
  scripts: readonly CompiledScript[],
  { isolation, childMemoryMb }: Pick<CodeOf, "isolation" | "childMemoryMb">,
): Promise<readonly LintResult[]> {
  if (isolation === "process") return lintScripts(scripts, { childMemoryMb });
  return scripts.map(({ program, map }) => analyseScript(program.source, map));
}

/** Actions that stand neither in the code nor in the answers that the cases bring about. */
async function unusedActions(
  { root, manifest, scripts, cases }: CodeOf,
  index: number,
  { actions }: Usage,
  sandbox: Sandbox,
): Promise<readonly Finding[]> {
  const { accepted, script } = scripts[index] as CheckedScript;
  const asked = accepted.hook.manifest.actions;
  const named = new Set(actions);
  // What is legal at none of its events is reported already.
  const legal = (action: string): boolean =>
    accepted.hook.on.some(({ event }) => legalActions(event).has(action));
  const doubtful = new Set<string>(
    asked.filter((action) => action !== "continue" && !named.has(action) && legal(action)),
  );
  if (doubtful.size === 0) return [];
  const one = { root, manifest, accepted, script, cases: cases[index] ?? [] };
  const seen = await actionsInCases(one, doubtful, sandbox);
  return [...doubtful]
    .filter((action) => !seen.has(action))
    .map((action) => {
      const message = `the code does not name ${quote(action)}, and no case brings it about`;
      return finding("action-unused", accepted.hook.name, message, {
        file: `${accepted.folder}/${hookManifestFile}`,
        pointer: `/actions/${(asked as readonly string[]).indexOf(action)}`,
      });
    });
}
