import type { Sandbox } from "@hookwarden/sandbox";
import { quote } from "@hookwarden/sandbox/json";
import { eventNames, eventRows } from "../catalogue/index.ts";
import { didYouMean, HookwardenError } from "../errors/index.ts";
import { type AcceptedHook, scriptPath } from "../pack/index.ts";
import {
  compileEach,
  type CompiledScript,
  type CompileOptions,
  type MappedProgram,
  sourcePlace,
} from "../compile/index.ts";
import { type Finding, finding, findingOf } from "./finding.ts";

/** A script of the pack that could be bundled. */
export interface CheckedScript {
  readonly accepted: AcceptedHook;
  readonly script: CompiledScript;
}

export interface CheckedScripts {
  readonly scripts: readonly CheckedScript[];
  readonly findings: readonly Finding[];
}

/** Bundles the scripts of a pack, loads each in a sandbox, and holds what it exports against what it listens to. */
export async function checkScripts(
  root: string,
  hooks: readonly AcceptedHook[],
  sandbox: Sandbox,
  options: CompileOptions = {},
): Promise<CheckedScripts> {
  const findings: Finding[] = [];
  const scripts: CheckedScript[] = [];
  const entries = hooks.map((accepted) => ({ name: accepted.hook.name, path: scriptPath(accepted) }));
  const bundled = await compileEach(root, entries, { ...options, maps: true });
  for (const [index, accepted] of hooks.entries()) {
    const script = bundled[index];
    if (script instanceof HookwardenError) findings.push(findingOf(script, accepted.hook.name));
    else if (script) {
      scripts.push({ accepted, script });
      findings.push(...(await checkExports(accepted, script.program, sandbox)));
    }
  }
  return { scripts, findings };
}

async function checkExports(
  accepted: AcceptedHook,
  program: MappedProgram,
  sandbox: Sandbox,
): Promise<readonly Finding[]> {
  const { hook } = accepted;
  const place = { file: scriptPath(accepted) };
  const inspection = await sandbox.inspect(program, hook.limits, "default");
  if (!inspection.ok) {
    const { code, message, position } = inspection.fault;
    const what = code === "load-failed" ? message : `the script does not load: ${code}: ${message}`;
    const at = (position && sourcePlace(program, position)) ?? place;
    return [findingOf(new HookwardenError("load-failed", what, at), hook.name)];
  }
  if (inspection.handlers === null) return [];
  const has = new Set(inspection.handlers);
  const wanted = new Set<string>(hook.on.map(({ event }) => event));
  const missing = [...wanted].filter((event) => !has.has(event));
  const unused = [...has].filter((name) => !wanted.has(name));
  return [
    ...missing.map((event) =>
      finding(
        "handler-missing",
        hook.name,
        `the default export has no function \`${event}\`, which \`on\` names`,
        place,
      ),
    ),
    ...unused.map((name) => finding("handler-unused", hook.name, unusedMessage(name), place)),
  ];
}

function unusedMessage(name: string): string {
  if (eventRows.has(name))
    return `the default export has a function ${quote(name)}, and \`on\` does not name that event`;
  return `the default export has a function ${quote(name)}, and there is no such event${didYouMean(name, eventNames)}`;
}
