import type { Sandbox } from "@hookwarden/sandbox";
import type { CompiledScript } from "../compile/index.ts";
import type { AcceptedHook, PackManifest } from "../pack/index.ts";
import type { PackSource } from "../files/index.ts";
import { type Case, casesFile, casesLimits, readCases } from "./cases/read.ts";
import { runCase } from "./cases/run.ts";
import { SinglePacks, type SuiteHook } from "./cases/suite.ts";
import { HookwardenError } from "../errors/index.ts";
import type { Finding } from "./finding.ts";
import { attempt } from "./manifests.ts";

/** The cases of a hook; none where there is no file of them, or where it does not hold. */
export interface CheckedCases {
  readonly cases: readonly Case[];
  readonly findings: readonly Finding[];
}

/** Reads the cases of a hook, where it has any. */
export async function checkCases(source: PackSource, { folder, hook }: AcceptedHook): Promise<CheckedCases> {
  const findings: Finding[] = [];
  const file = fileOf(folder);
  if ((await source.kind(file)) === null) return { cases: [], findings };
  const cases = await attempt(hook.name, findings, async () =>
    readCases(await source.read(file, casesLimits.maxBytes), file),
  );
  return { cases: cases ?? [], findings };
}

function fileOf(folder: string): string {
  return folder === "" ? casesFile : `${folder}/${casesFile}`;
}

/** What is needed to run the cases of one hook. */
export interface CasesOf {
  readonly root: string;
  readonly manifest: PackManifest;
  readonly accepted: AcceptedHook;
  readonly script: CompiledScript;
  readonly cases: readonly Case[];
}

/** The suite of one hook alone. */
export function suiteOf({ root, manifest, accepted, script, cases }: CasesOf): {
  readonly hook: SuiteHook;
  readonly packs: SinglePacks;
} {
  const hook = { name: accepted.hook.name, file: fileOf(accepted.folder), cases, script, accepted };
  return { hook, packs: new SinglePacks({ root, manifest, hooks: [hook] }) };
}

/**
 * The actions that a hook returns in its cases, run through the whole pipeline. Ends as soon as all that are wanted
 * have been seen.
 */
export async function actionsInCases(
  of: CasesOf,
  wanted: ReadonlySet<string>,
  sandbox: Sandbox,
): Promise<ReadonlySet<string>> {
  const { hook, packs } = suiteOf(of);
  const seen = new Set<string>();
  for (const index of of.cases.keys()) {
    if ([...wanted].every((action) => seen.has(action))) break;
    try {
      await runCase(hook, index, {
        packs,
        sandbox,
        observe: ({ trace }) => {
          for (const { actions, refused } of trace) {
            for (const { action } of [...actions, ...refused]) seen.add(action);
          }
        },
      });
    } catch (error) {
      // A case whose configuration or state does not fit shows nothing; `test` reports it.
      if (!(error instanceof HookwardenError) || error.code !== "cases-invalid") throw error;
    }
  }
  return seen;
}
