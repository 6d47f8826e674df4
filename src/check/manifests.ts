import { HookwardenError } from "../errors/index.ts";
import {
  type AcceptedHook,
  acceptHooks,
  type HookPart,
  readListed,
  readManifests,
  readScript,
  manifestTextLimits,
  packManifestFile,
  readPackManifest,
  type PackManifest,
} from "../pack/index.ts";
import { compileLimits } from "../compile/index.ts";
import { pathProblem, type PackSource } from "../files/index.ts";
import { type Finding, findingOf } from "./finding.ts";

/** The manifests of a pack, as far as they hold, and what is wrong with the others. */
export interface CheckedManifests {
  /** `null` where the pack's own manifest does not hold. */
  readonly manifest: PackManifest | null;
  readonly hooks: readonly AcceptedHook[];
  readonly findings: readonly Finding[];
}

/**
 * Reads all manifests of a pack. Where the pack would not load, each hook is looked at by itself, so that one mistake
 * does not hide the next one.
 *
 * @throws {HookwardenError} `pack-not-found`
 */
export async function checkManifests(source: PackSource): Promise<CheckedManifests> {
  try {
    const { manifest, hooks } = await readManifests(source);
    return { manifest, hooks, findings: [] };
  } catch (error) {
    if (!(error instanceof HookwardenError) || error.code === "pack-not-found") throw error;
    const parts = await checkOneByOne(source);
    // What is wrong between two hooks shows in none of them.
    return parts.findings.length > 0 ? parts : { ...parts, findings: all(error, null) };
  }
}

async function checkOneByOne(source: PackSource): Promise<CheckedManifests> {
  const findings: Finding[] = [];
  const hooks: AcceptedHook[] = [];
  const bytes = await source.read(packManifestFile, manifestTextLimits.maxBytes);
  const manifest = await attempt(null, findings, async () => readPackManifest(bytes));
  for (const [index, path] of (manifest?.hooks ?? []).entries()) {
    const folder = path.replace(/^\.\//, "");
    if (pathProblem(folder)) continue;
    const hook = folder.slice(folder.lastIndexOf("/") + 1);
    const accepted = await attempt(hook, findings, async () => {
      const part = await readListed(source, folder, index);
      return acceptAlone(source, manifest as PackManifest, part);
    });
    if (accepted) hooks.push(accepted);
  }
  return { manifest, hooks, findings };
}

async function acceptAlone(source: PackSource, pack: PackManifest, part: HookPart): Promise<AcceptedHook> {
  const { name } = part.manifest;
  const alone = { ...pack, grants: only(pack.grants, name), config: only(pack.config, name) };
  const [accepted] = acceptHooks(alone, [part]);
  if (!accepted) throw new HookwardenError("internal", "no hook came of a manifest");
  await readScript(source, accepted, compileLimits.sourceBytes);
  return accepted;
}

function only<T>(
  record: { readonly [name: string]: T } | undefined,
  name: string,
): { readonly [name: string]: T } {
  const value = record && Object.hasOwn(record, name) ? record[name] : undefined;
  return value === undefined ? {} : { [name]: value };
}

/** Does something that may fail as loading does; the failure becomes a finding. */
export async function attempt<T>(
  hook: string | null,
  findings: Finding[],
  what: () => Promise<T>,
): Promise<T | null> {
  try {
    return await what();
  } catch (error) {
    if (!(error instanceof HookwardenError) || error.code === "internal") throw error;
    findings.push(...all(error, hook));
    return null;
  }
}

function all(error: HookwardenError, hook: string | null): readonly Finding[] {
  return [error, ...error.also].map((one) => findingOf(one, hook));
}
