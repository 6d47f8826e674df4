import { JsonError, quote, readJsonBytes } from "@hookwarden/sandbox/json";
import { type Validate, validateHookManifest, validatePackManifest } from "../catalogue/index.ts";
import { HookwardenError } from "../errors/index.ts";
import { pathProblem } from "../files/index.ts";
import { hookManifestSchema, packManifestSchema, type SchemaObject } from "./schema.ts";
import { describeSchemaError } from "./manifest-error.ts";
import type { HookManifest, PackManifest } from "./types.ts";

/** Name of a pack's manifest, at its root. */
export const packManifestFile = "hookwarden.json";
/** Name of a hook's manifest, in its folder. */
export const hookManifestFile = "hook.json";

/** What a manifest may cost to read. */
export const manifestTextLimits = {
  maxBytes: 262_144,
  maxDepth: 32,
  maxKeys: 20_000,
  maxKeyLength: 256,
} as const;

/**
 * Reads and checks the bytes of a `hookwarden.json`. `file` is how messages call it.
 *
 * @throws {HookwardenError} `pack-not-json`, `pack-invalid`, `path-outside-pack`
 */
export function readPackManifest(bytes: Uint8Array, file: string = packManifestFile): PackManifest {
  return checkPackManifest(readManifestJson(bytes, file), file);
}

/**
 * Reads and checks the bytes of a `hook.json`. `file` is how messages call it.
 *
 * @throws {HookwardenError} `pack-not-json`, `pack-invalid`, `path-outside-pack`
 */
export function readHookManifest(bytes: Uint8Array, file: string = hookManifestFile): HookManifest {
  return checkHookManifest(readManifestJson(bytes, file), file);
}

/** As `readPackManifest`, for a value that has been read already. */
export function checkPackManifest(value: unknown, file: string = packManifestFile): PackManifest {
  return checked<PackManifest>(value, file, validatePackManifest, packManifestSchema);
}

/** As `readHookManifest`, for a value that has been read already. */
export function checkHookManifest(value: unknown, file: string = hookManifestFile): HookManifest {
  return checked<HookManifest>(value, file, validateHookManifest, hookManifestSchema);
}

function readManifestJson(bytes: Uint8Array, file: string): unknown {
  try {
    return readJsonBytes(bytes, manifestTextLimits);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const { line, column, pointer } = error;
    throw new HookwardenError("pack-not-json", `the file ${error.message}`, { file, line, column, pointer });
  }
}

function checked<T>(value: unknown, file: string, validate: Validate, schema: () => SchemaObject): T {
  if (validate(value)) return value as T;
  const error = validate.errors?.[0];
  if (!error)
    throw new HookwardenError("pack-invalid", "the manifest does not have the form of its schema", { file });
  const { pointer, message, found } = describeSchemaError(error, value, schema());
  const isPath = pointer === "/entry" || /^\/hooks\/\d+$/.test(pointer);
  if (isPath && typeof found === "string") {
    const problem = pathProblem(found);
    if (problem)
      throw new HookwardenError("path-outside-pack", `the path ${quote(found)} ${problem}`, {
        file,
        pointer,
      });
  }
  throw new HookwardenError("pack-invalid", message, { file, pointer });
}
