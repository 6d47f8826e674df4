import { JsonError, quote, readJsonBytes } from "../../sandbox/json/index.ts";
import { isDateTime } from "../catalogue/time.ts";
import { HookwardenError } from "../errors.ts";
import { canonicalJson } from "../pack/canonical.ts";
import { importPrivateKey } from "./keys.ts";
import { readTrust } from "./load.ts";
import { readWholeFile } from "./read-file.ts";
import { sign, verifySignature } from "./signature.ts";
import type { Trust } from "./trust.ts";

export const reviewRecordFormat = "hookwarden-review-record-1";

/** What a reviewer says of a pack, and of what it was said. */
export interface ReviewRecord {
  readonly format: typeof reviewRecordFormat;
  /** `sha256:` of the pack: of everything in it that can change a decision. */
  readonly pack: string;
  /** `sha256:` of the events that it was reviewed with. */
  readonly corpus: string;
  /** `sha256:` of the findings that the reviewer saw, and how many there were of each severity. */
  readonly findings: string;
  readonly counts: {
    readonly high: number;
    readonly medium: number;
    readonly low: number;
    readonly info: number;
  };
  readonly decision: "approve" | "refuse";
  /** Who decided, in their own words. The signature says whose key it was. */
  readonly reviewer: string;
  /** When, ISO 8601. */
  readonly reviewed: string;
}

/** A record with the signature of its canonical JSON: a detached JWS (RFC 7515, appendix F) by an Ed25519 key. */
export interface SignedReview {
  readonly record: ReviewRecord;
  readonly signature: string;
}

/** What a host asks of a pack before it serves. */
export interface RequiredReview {
  /** Records, or paths of files with one each. One that approves the pack is enough, unless another one refuses it. */
  readonly records: readonly (string | SignedReview)[];
  /** Keys of the reviewers that count: a trust file as for bundles, or its path. Read again with every reload. */
  readonly trust: string | Trust;
}

const recordBytes = 65_536;
const longestName = 200;
const members: ReadonlySet<string> = new Set([
  "format",
  "pack",
  "corpus",
  "findings",
  "counts",
  "decision",
  "reviewer",
  "reviewed",
]);
const digestForm = /^sha256:[0-9a-f]{64}$/;

/**
 * Signs what a reviewer has decided.
 *
 * @param key private key, as `hookwarden keygen` makes them.
 * @throws {HookwardenError} `review-invalid`, `trust-invalid`
 */
export async function signReview(record: ReviewRecord, key: unknown): Promise<SignedReview> {
  const signature = await sign(
    bytesOf(checkRecord(record)),
    await importPrivateKey(key),
    "hookwarden-review",
  );
  return { record, signature: signature.toString("latin1") };
}

/**
 * Insists on a record that approves this very pack, signed by a key that the host trusts, and on none of such a key that
 * refuses it.
 *
 * @param pack `sha256:` of the pack that is to serve.
 * @throws {HookwardenError} `review-required`; `review-invalid` for a file that is no record.
 */
export async function insistOnReview(
  { records, trust }: RequiredReview,
  pack: string,
  now = Date.now(),
): Promise<ReviewRecord> {
  const trusted = await readTrust(trust);
  let approved: ReviewRecord | null = null;
  const reasons: string[] = [];
  for (const given of records) {
    const { record, signature } = typeof given === "string" ? await readReview(given) : checkSigned(given);
    if (record.pack !== pack) {
      reasons.push(`the record of ${quote(record.reviewer)} is of another pack`);
      continue;
    }
    try {
      await verifySignature(
        { bytes: bytesOf(record), type: "hookwarden-review", bundle: null },
        Buffer.from(signature, "latin1"),
        trusted,
        now,
      );
    } catch (error) {
      if (!(error instanceof HookwardenError)) throw error;
      reasons.push(error.message);
      continue;
    }
    if (record.decision === "refuse")
      throw required(pack, `${quote(record.reviewer)} has refused it on ${record.reviewed}`);
    approved ??= record;
  }
  if (approved) return approved;
  throw required(pack, reasons[0] ?? "there is no record at all");
}

function required(pack: string, why: string): HookwardenError {
  return new HookwardenError(
    "review-required",
    `the pack \`${pack}\` has no review that approves it: ${why}`,
  );
}

/** Reads a signed record from a file. @throws {HookwardenError} `review-invalid`, `file-unreadable` */
export async function readReview(path: string): Promise<SignedReview> {
  const bytes = await readWholeFile(path, recordBytes, "the review record");
  try {
    return checkSigned(
      readJsonBytes(bytes, { maxBytes: recordBytes, maxDepth: 4, maxKeys: 64, maxKeyLength: 64 }),
      path,
    );
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new HookwardenError("review-invalid", `the review record ${error.message}`, { file: path });
  }
}

function checkSigned(value: unknown, file?: string): SignedReview {
  const { record, signature, ...others } = (typeof value === "object" && value !== null ? value : {}) as {
    readonly [member: string]: unknown;
  };
  if (typeof signature !== "string" || Object.keys(others).length > 0)
    throw invalid("it must have `record` and `signature`, and no more", file);
  return { record: checkRecord(record, file), signature };
}

/** A record has these members and no others: what is signed is what is understood. */
function checkRecord(value: unknown, file?: string): ReviewRecord {
  const record = (typeof value === "object" && value !== null ? value : {}) as {
    readonly [member: string]: unknown;
  };
  const strange = Object.keys(record).find((member) => !members.has(member));
  if (strange !== undefined) throw invalid(`there is no member ${quote(strange)}`, file);
  if (record["format"] !== reviewRecordFormat)
    throw invalid(`\`format\` must be \`${reviewRecordFormat}\``, file);
  for (const member of ["pack", "corpus", "findings"])
    if (typeof record[member] !== "string" || !digestForm.test(record[member]))
      throw invalid(`\`${member}\` must be a digest such as \`sha256:…\``, file);
  if (record["decision"] !== "approve" && record["decision"] !== "refuse")
    throw invalid("`decision` must be `approve` or `refuse`", file);
  const { reviewer, reviewed, counts } = record;
  if (typeof reviewer !== "string" || reviewer.trim() === "" || reviewer.length > longestName)
    throw invalid(`\`reviewer\` must be a name of 1 to ${longestName} characters`, file);
  if (typeof reviewed !== "string" || !isDateTime(reviewed))
    throw invalid("`reviewed` must be a time such as `2026-01-31T12:00:00Z`", file);
  const kinds = ["high", "medium", "low", "info"];
  const numbers = (typeof counts === "object" && counts !== null ? counts : {}) as {
    readonly [kind: string]: unknown;
  };
  if (
    Object.keys(numbers).length !== kinds.length ||
    !kinds.every((kind) => Number.isSafeInteger(numbers[kind]))
  )
    throw invalid("`counts` must have a whole number for `high`, `medium`, `low` and `info`", file);
  return record as unknown as ReviewRecord;
}

function bytesOf(record: ReviewRecord): Buffer {
  return Buffer.from(canonicalJson(record));
}

function invalid(message: string, file?: string): HookwardenError {
  return new HookwardenError("review-invalid", message, file === undefined ? {} : { file });
}
