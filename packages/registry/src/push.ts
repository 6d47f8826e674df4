import { HookwardenError } from "hookwarden";
import { openBundle } from "hookwarden/bundle";
import { sha256 } from "hookwarden/files";
import { emptyConfig, manifestType, writeManifest } from "./artifact.ts";
import { readReference, type Reference, writeReference } from "./reference.ts";
import { RegistryClient, type RegistryOptions } from "./registry-client.ts";

export interface PushOptions extends RegistryOptions {
  /** Pushes a bundle without a signature, which no host accepts. Default: no. */
  readonly unsigned?: boolean;
}

/** A bundle in a registry. */
export interface PushedBundle {
  /** Pins the bundle: `oci://…@sha256:…`. */
  readonly reference: string;
  /** `sha256:` of the manifest in the registry. */
  readonly manifest: string;
  /** `sha256:` of the signed content, as `hookwarden verify` prints it. */
  readonly digest: string;
}

/**
 * Pushes a bundle, as `hookwarden bundle` writes it, to an OCI registry. `to` is `oci://HOST/REPOSITORY[:TAG]`; without a
 * tag, the tag is the bundle's version.
 *
 * @throws {HookwardenError} `option-invalid` for an address that is malformed or has a digest, `bundle-invalid`,
 * `bundle-untrusted` if it is not signed, `registry-unavailable`, `registry-failed`
 */
export async function pushBundle(
  bundle: Uint8Array,
  to: string,
  options: PushOptions = {},
): Promise<PushedBundle> {
  const given = readReference(to);
  if (given.digest !== null) {
    throw new HookwardenError("option-invalid", "a bundle is pushed to a tag: leave the digest out");
  }
  const { list, digest, signed } = await openBundle(bundle, { trust: null });
  if (!signed && options.unsigned !== true) {
    throw new HookwardenError("bundle-untrusted", "the bundle is not signed; build it with `--key`");
  }
  // A version may have `+build`, which a tag may not.
  const reference: Reference = { ...given, tag: given.tag ?? list.version.replaceAll("+", "_") };
  const client = new RegistryClient(reference, "pull,push", options);
  await pushBlob(client, emptyConfig);
  await pushBlob(client, bundle);
  const manifest = writeManifest(bundle, { name: list.name, version: list.version, digest });
  const headers = { "content-type": manifestType };
  await client.send(`manifests/${reference.tag}`, {
    method: "PUT",
    headers,
    body: manifest,
    expected: [201],
  });
  const pinned = sha256(manifest);
  return { reference: writeReference({ ...reference, digest: pinned }), manifest: pinned, digest };
}

async function pushBlob(client: RegistryClient, bytes: Uint8Array): Promise<void> {
  const digest = sha256(bytes);
  const { status } = await client.send(`blobs/${digest}`, { method: "HEAD", expected: [200, 404] });
  if (status === 200) return;
  const started = await client.send("blobs/uploads/", { method: "POST", expected: [202] });
  const location = started.headers.get("location");
  if (location === null || !URL.canParse(location, started.url)) {
    throw new HookwardenError(
      "registry-failed",
      "the registry accepted an upload and gave no address for it",
    );
  }
  const url = new URL(location, started.url);
  url.searchParams.set("digest", digest);
  const headers = { "content-type": "application/octet-stream" };
  await client.send(url.href, { method: "PUT", headers, body: bytes, expected: [201] });
}
