import { isObject } from "@hookwarden/sandbox/json";
import { HookwardenError } from "hookwarden/errors";
import type { Loosening } from "./loosening.ts";

/** A file of loosenings that people have looked at and accepted. */
export interface AcceptedFile {
  readonly version: 1;
  readonly accepted: readonly {
    readonly digest: string;
    /** For those who review the file; not read. */
    readonly hook: string | null;
    readonly what: string;
    readonly place?: string;
  }[];
}

const digestForm = /^sha256:[0-9a-f]{64}$/;

/**
 * The digests in a file of accepted loosenings.
 *
 * @throws {HookwardenError} `option-invalid`
 */
export function readAccepted(value: unknown, file: string): ReadonlySet<string> {
  const bad = (message: string, pointer: string): never => {
    throw new HookwardenError("option-invalid", message, { file, pointer });
  };
  if (!isObject(value) || value["version"] !== 1)
    return bad("the file must be an object with `version` 1", "/version");
  const list = value["accepted"];
  if (!Array.isArray(list)) return bad("`accepted` must be a list", "/accepted");
  return new Set(
    list.map((entry: unknown, index) => {
      const digest = isObject(entry) ? entry["digest"] : undefined;
      return typeof digest === "string" && digestForm.test(digest)
        ? digest
        : bad("`digest` must be `sha256:` and 64 hexadecimal digits", `/accepted/${index}/digest`);
    }),
  );
}

/** What a file holds that accepts these loosenings; in the order of their digests, so that its changes are small. */
export function acceptedFile(loosenings: readonly Loosening[]): AcceptedFile {
  const byDigest = new Map(loosenings.map((loosening) => [loosening.digest, loosening]));
  return {
    version: 1,
    accepted: [...byDigest.values()]
      .sort((a, b) => (a.digest < b.digest ? -1 : 1))
      .map(({ digest, hook, what, event }) => ({
        digest,
        hook,
        what,
        ...(event ? { place: event.place } : {}),
      })),
  };
}
