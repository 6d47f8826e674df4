import { canonicalJson, sha256 } from "hookwarden/files";
import { HookwardenError } from "hookwarden/errors";
import { isDateTime } from "hookwarden/catalogue";
import { readJsonBytes } from "@hookwarden/sandbox/json";
import type { Draft } from "./draft.ts";
import type { ReviewFinding } from "./report.ts";

/** A finding that a reviewer has accepted, as a file lists it. */
export interface AcceptedFinding {
  readonly fingerprint: string;
  readonly reason: string;
  /** From when on it counts again, ISO 8601. */
  readonly expires: string;
}

const limits = { maxBytes: 1_048_576, maxDepth: 4, maxKeys: 16, maxKeyLength: 32 } as const;
const fingerprintForm = /^[0-9a-f]{16}$/;

/**
 * What a finding is about, without what varies from run to run: its code, its hook, and the lines of code that it shows.
 * A change of that code makes it another finding, which was not accepted.
 */
export function fingerprintOf({
  code,
  hook,
  excerpt,
  evidence,
  message,
}: Draft & { readonly hook: string | null }): string {
  const lines = evidence.filter(({ label }) => label.startsWith("line ")).map(({ text }) => text.text);
  const about = lines.length > 0 || excerpt !== null ? [excerpt?.text ?? null, lines] : message;
  return sha256(canonicalJson([code, hook, about]))
    .replace("sha256:", "")
    .slice(0, 16);
}

/**
 * Reads a file of accepted findings: `{ "accepted": [{ "fingerprint", "reason", "expires" }] }`.
 *
 * @param file how messages call it.
 * @throws {HookwardenError} `usage`
 */
export function readAccepted(bytes: Uint8Array, file: string): readonly AcceptedFinding[] {
  const wrong = (what: string): HookwardenError =>
    new HookwardenError("usage", `${what} in \`${file}\``, { file });
  let value: unknown;
  try {
    value = readJsonBytes(bytes, limits);
  } catch {
    throw wrong("there is no valid JSON");
  }
  const list = (value as { readonly accepted?: unknown } | null)?.accepted;
  if (!Array.isArray(list)) throw wrong("there is no list `accepted`");
  return list.map((one: unknown, index) => {
    const { fingerprint, reason, expires } = (one ?? {}) as { readonly [name: string]: unknown };
    if (typeof fingerprint !== "string" || !fingerprintForm.test(fingerprint))
      throw wrong(`accepted finding ${index + 1} has no fingerprint of 16 hexadecimal digits`);
    if (typeof reason !== "string" || reason.trim().length < 8)
      throw wrong(`accepted finding ${index + 1} has no reason of at least 8 characters`);
    if (typeof expires !== "string" || !isDateTime(expires))
      throw wrong(`accepted finding ${index + 1} has no \`expires\` such as \`2027-01-31T12:00:00Z\``);
    return { fingerprint, reason, expires };
  });
}

/** Marks findings that were accepted and whose acceptance has not expired. */
export function acceptFindings(
  findings: readonly ReviewFinding[],
  accepted: readonly AcceptedFinding[],
  now: Date,
): readonly ReviewFinding[] {
  const known = new Map(accepted.map((one) => [one.fingerprint, one]));
  return findings.map((finding) => {
    const one = known.get(finding.fingerprint);
    if (!one || Date.parse(one.expires) <= now.getTime()) return finding;
    return { ...finding, accepted: { reason: one.reason, expires: one.expires } };
  });
}
