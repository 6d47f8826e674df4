import { isObject } from "@hookwarden/sandbox/json";
import { HookwardenError } from "hookwarden";
import { sha256 } from "hookwarden/files";

/** Kind of the artifact, as registries list it. */
export const artifactType = "application/vnd.hookwarden.bundle.v1";
/** The bundle itself: the file that `hookwarden bundle` writes. */
export const layerType = "application/vnd.hookwarden.bundle.v1.tar+gzip";
export const manifestType = "application/vnd.oci.image.manifest.v1+json";

/** Most bytes of a manifest, as registries limit it. */
export const maxManifestBytes = 4_194_304;

/** Bytes in a registry: what they are, and their digest. */
export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

export const emptyConfig = Buffer.from("{}");

/** What of a bundle is shown by registries. */
export interface ArtifactName {
  readonly name: string;
  readonly version: string;
  /** Digest of the signed content. */
  readonly digest: string;
}

/**
 * The manifest of a bundle. The same bundle gives the same bytes, so pushing twice gives the same digest. Form: OCI
 * image manifest 1.1 with an artifact type and the empty configuration, as ORAS writes it.
 */
export function writeManifest(bundle: Uint8Array, { name, version, digest }: ArtifactName): Buffer {
  const config = { mediaType: "application/vnd.oci.empty.v1+json", digest: sha256(emptyConfig), size: 2 };
  const layer: Descriptor & { readonly annotations: object } = {
    mediaType: layerType,
    digest: sha256(bundle),
    size: bundle.length,
    annotations: { "org.opencontainers.image.title": `${name}-${version}.tgz` },
  };
  return Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: manifestType,
      artifactType,
      config,
      layers: [layer],
      annotations: {
        "org.opencontainers.image.title": name,
        "org.opencontainers.image.version": version,
        "dev.hookwarden.bundle.digest": digest,
      },
    }),
  );
}

/**
 * The bundle that a manifest names. Annotations are not read: they are the registry's word.
 *
 * @throws {HookwardenError} `registry-failed` if this is not the manifest of a bundle
 */
export function readManifest(bytes: Uint8Array): Descriptor {
  let manifest: unknown;
  try {
    manifest = JSON.parse(Buffer.from(bytes).toString("utf8"));
  } catch (error) {
    throw notBundle("its manifest is not JSON", error);
  }
  if (!isObject(manifest) || !Array.isArray(manifest["layers"]))
    throw notBundle("its manifest has no layers");
  const layers = (manifest["layers"] as unknown[]).filter(
    (layer) => isObject(layer) && layer["mediaType"] === layerType,
  );
  const [layer] = layers;
  if (layers.length !== 1 || !isObject(layer)) {
    throw notBundle(`its manifest has ${layers.length} layers of the type \`${layerType}\`, not one`);
  }
  const { digest, size } = layer;
  if (typeof digest !== "string" || !/^sha256:[0-9a-f]{64}$/.test(digest) || !Number.isSafeInteger(size)) {
    throw notBundle("its layer has no valid digest or size");
  }
  return { mediaType: layerType, digest, size: size as number };
}

function notBundle(why: string, cause?: unknown): HookwardenError {
  return new HookwardenError(
    "registry-failed",
    `the artifact is not a hookwarden bundle: ${why}`,
    {},
    { cause },
  );
}
