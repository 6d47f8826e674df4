import type { AcceptedHook } from "../../pack/assemble.ts";
import type { PackSource } from "../../pack/source.ts";
import { casesFile, casesLimits, readCases } from "../../cases/read.ts";
import type { Finding } from "./finding.ts";
import { attempt } from "./manifests.ts";

/** Reads the cases of a hook, where it has any. */
export async function checkCases(
  source: PackSource,
  { folder, hook }: AcceptedHook,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const file = folder === "" ? casesFile : `${folder}/${casesFile}`;
  if ((await source.kind(file)) !== null) {
    await attempt(hook.name, findings, async () =>
      readCases(await source.read(file, casesLimits.maxBytes), file),
    );
  }
  return findings;
}
