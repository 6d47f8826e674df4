import { quote, readJsonBytes } from "@hookwarden/sandbox/json";
import { type Validate, validateHookManifest, validatePackManifest } from "../catalogue/index.ts";
import { HookwardenError, readingJson } from "../errors/index.ts";
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
  byteOrderMark: true,
} as const;
/** Most errors that are reported of one manifest. */
const maxErrors = 20;

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
  return readingJson("pack-not-json", "the file", () => readJsonBytes(bytes, manifestTextLimits), { file });
}

function checked<T>(value: unknown, file: string, validate: Validate, schema: () => SchemaObject): T {
  if (validate(value)) return value as T;
  const found = new Map<string, HookwardenError>();
  for (const error of (validate.errors ?? []).slice(0, maxErrors)) {
    const text = describeSchemaError(error, value, schema());
    const problem =
      isPathPointer.test(text.pointer) && typeof text.found === "string" && pathProblem(text.found);
    const { pointer, fix } = text;
    const made = problem
      ? new HookwardenError("path-outside-pack", `the path ${quote(String(text.found))} ${problem}`, {
          file,
          pointer,
        })
      : new HookwardenError(
          "pack-invalid",
          text.message,
          { file, ...(pointer === "" ? {} : { pointer }) },
          fix === undefined ? {} : { fix },
        );
    // One mistake can break several keywords: the first one says it.
    const place = error.keyword === "required" ? `${pointer} ${text.message}` : pointer;
    if (!found.has(place)) found.set(place, made);
  }
  throw together([...found.values()]);
}

/** Where a value is a path. */
const isPathPointer = /^\/(entry|hooks\/\d+)$/;

/** Several errors as one: the first, which carries the others. */
export function together(errors: readonly HookwardenError[]): HookwardenError {
  const [first, ...rest] = errors.flatMap((error) => [error, ...error.also]);
  if (!first) return new HookwardenError("pack-invalid", "the manifest does not match its schema");
  const { code, message, place, cause, fix } = first;
  return rest.length === 0 && first.also.length === 0
    ? first
    : new HookwardenError(code, message, place, { cause, fix, also: rest });
}
