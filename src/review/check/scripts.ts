import { type Program, type Sandbox } from "../../../sandbox/index.ts";
import { quote } from "../../../sandbox/json/index.ts";
import { eventNames, eventRows } from "../../catalogue/lookup.ts";
import { HookwardenError } from "../../errors.ts";
import type { AcceptedHook } from "../../pack/assemble.ts";
import { type BundleOptions, bundleScripts } from "../../pack/bundle.ts";
import { scriptPath } from "../../pack/load.ts";
import { didYouMean } from "../../pack/suggest.ts";
import { type Finding, finding, findingOf } from "./finding.ts";
import { attempt } from "./manifests.ts";

/** Bundles the scripts of a pack, loads each in a sandbox, and holds what it exports against what it listens to. */
export async function checkScripts(
  root: string,
  hooks: readonly AcceptedHook[],
  sandbox: Sandbox,
  options: BundleOptions = {},
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const programs = await bundleEach(root, hooks, options, findings);
  for (const [accepted, program] of programs)
    findings.push(...(await checkExports(accepted, program, sandbox)));
  return findings;
}

async function bundleEach(
  root: string,
  hooks: readonly AcceptedHook[],
  options: BundleOptions,
  findings: Finding[],
): Promise<readonly [AcceptedHook, Program][]> {
  const entryOf = (accepted: AcceptedHook) => ({ name: accepted.hook.name, path: scriptPath(accepted) });
  try {
    const scripts = await bundleScripts(root, hooks.map(entryOf), options);
    return hooks.flatMap((accepted, index): [AcceptedHook, Program][] => {
      const script = scripts[index];
      return script ? [[accepted, script.program]] : [];
    });
  } catch (error) {
    if (!(error instanceof HookwardenError) || error.code !== "load-failed") throw error;
  }
  // One of them does not bundle: each by itself tells which ones.
  const programs: [AcceptedHook, Program][] = [];
  for (const accepted of hooks) {
    const scripts = await attempt(accepted.hook.name, findings, () =>
      bundleScripts(root, [entryOf(accepted)], options),
    );
    if (scripts?.[0]) programs.push([accepted, scripts[0].program]);
  }
  return programs;
}

async function checkExports(
  accepted: AcceptedHook,
  program: Program,
  sandbox: Sandbox,
): Promise<readonly Finding[]> {
  const { hook } = accepted;
  const place = { file: scriptPath(accepted) };
  const inspection = await sandbox.inspect(program, hook.limits, "default");
  if (!inspection.ok) {
    const { code, message } = inspection.fault;
    const what = code === "load-failed" ? message : `the script does not load: ${code}: ${message}`;
    return [findingOf(new HookwardenError("load-failed", what, place), hook.name)];
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
