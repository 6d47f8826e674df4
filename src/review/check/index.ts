import { readdir } from "node:fs/promises";
import type { Sandbox } from "../../../sandbox/index.ts";
import { quote } from "../../../sandbox/json/index.ts";
import type { AcceptedHook } from "../../pack/assemble.ts";
import type { BundleOptions } from "../../pack/bundle.ts";
import { folderSource } from "../../pack/folder.ts";
import { hookManifestFile, packManifestFile } from "../../pack/manifest.ts";
import { pathProblem } from "../../pack/paths.ts";
import type { PackSource } from "../../pack/source.ts";
import type { PackManifest } from "../../pack/types.ts";
import { checkCases } from "./cases.ts";
import { type Finding, finding } from "./finding.ts";
import { checkGrants, checkOrder } from "./grants.ts";
import { checkManifests } from "./manifests.ts";
import { checkScripts } from "./scripts.ts";

export { type Finding, type FindingCode, type FindingRow, findingTable } from "./finding.ts";

/** What came of a check. */
export interface CheckReport {
  /** Name of the pack, where it has one. */
  readonly pack: string | null;
  /** Names of the hooks whose manifests hold. */
  readonly hooks: readonly string[];
  readonly findings: readonly Finding[];
}

/**
 * Checks a pack: manifests, matchers, paths, grants, what scripts export, and cases. Runs the top level of scripts, in
 * the sandbox, and nothing else of them.
 *
 * @throws {HookwardenError} `pack-not-found`; whatever else is wrong is a finding.
 */
export async function checkPack(
  folder: string,
  sandbox: Sandbox,
  options: BundleOptions = {},
): Promise<CheckReport> {
  const source = await folderSource(folder);
  const { manifest, hooks, findings } = await checkManifests(source);
  const found = [...findings];
  if (manifest) {
    found.push(
      ...checkGrants(manifest, hooks),
      ...checkOrder(hooks),
      ...(await checkListed(source, manifest)),
    );
    found.push(...(await checkScripts(source.root, hooks, sandbox, options)));
    for (const accepted of hooks) found.push(...(await checkCases(source, accepted)));
  }
  return {
    pack: manifest?.name ?? null,
    hooks: hooks.map(({ hook }: AcceptedHook) => hook.name),
    findings: found,
  };
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
