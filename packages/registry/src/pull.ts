import { HookwardenError } from "hookwarden";
import { openBundle, type OpenedBundle, packedLimits, readTrust, type Trust } from "hookwarden/bundle";
import { sha256 } from "hookwarden/files";
import { manifestType, maxManifestBytes, readManifest } from "./artifact.ts";
import { readReference, writeReference } from "./reference.ts";
import { RegistryClient, type RegistryOptions } from "./registry-client.ts";

export interface PullOptions extends RegistryOptions {
  /** The trust file, or its path. */
  readonly trust: Trust | string;
}

/** A bundle that was pulled and verified. */
export interface PulledBundle {
  readonly bytes: Uint8Array;
  /** Pins what was pulled: `oci://…@sha256:…`. */
  readonly reference: string;
  /** `sha256:` of the manifest in the registry. */
  readonly manifest: string;
  readonly bundle: OpenedBundle;
}

/**
 * Pulls a bundle from an OCI registry, by digest or by tag. The registry is not trusted: manifest and content must have
 * the digests by which they were asked for, and the bundle must hold against the trust file.
 *
 * @throws {HookwardenError} `option-invalid`, `trust-invalid`, `registry-unavailable`, `registry-failed` if the registry
 * has not what the digest says, and as `openBundle` does
 */
export async function pullBundle(from: string, { trust, ...options }: PullOptions): Promise<PulledBundle> {
  const reference = readReference(from);
  const version = reference.digest ?? reference.tag;
  if (version === null) {
    throw new HookwardenError(
      "option-invalid",
      "name what to pull: add `:TAG` or `@sha256:DIGEST` to the address",
    );
  }
  const trusted = await readTrust(trust);
  const client = new RegistryClient(reference, "pull", options);
  const manifest = await client.read(`manifests/${version}`, maxManifestBytes, { accept: manifestType });
  const pinned = sha256(manifest);
  // Attack: the registry answers a digest with the manifest of an older bundle, which is signed as well.
  if (reference.digest !== null && pinned !== reference.digest)
    throw changed("manifest", reference.digest, pinned);
  const layer = readManifest(manifest);
  const bytes = await client.read(`blobs/${layer.digest}`, packedLimits.packedBytes);
  const digest = sha256(bytes);
  if (digest !== layer.digest || bytes.length !== layer.size) throw changed("bundle", layer.digest, digest);
  const bundle = await openBundle(bytes, { trust: trusted });
  return { bytes, reference: writeReference({ ...reference, digest: pinned }), manifest: pinned, bundle };
}

function changed(what: string, wanted: string, found: string): HookwardenError {
  return new HookwardenError(
    "registry-failed",
    `the registry sent another ${what} than the one that was asked for: \`${found}\` instead of \`${wanted}\``,
  );
}
