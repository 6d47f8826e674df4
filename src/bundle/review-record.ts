import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { quote } from "@hookwarden/sandbox/json";
import { isDateTime } from "../catalogue/index.ts";
import { HookwardenError } from "../errors/index.ts";
import { canonicalJson } from "../files/index.ts";
import type { LoadedPack } from "../pack/index.ts";
import { importPrivateKey } from "./keys.ts";
import { readTrust } from "./load.ts";
import { readJsonFile } from "./read-file.ts";
import { sign, verifySignature } from "./signature.ts";
import type { CheckedTrust, Trust } from "./trust.ts";

export const reviewRecordFormat = "hookwarden-review-record-2";

/** A hook that was reviewed. */
export interface ReviewedHook {
  readonly name: string;
  /** `sha256:` of its manifest, configuration, grant and program. */
  readonly digest: string;
}

/** What a reviewer says of the hooks of a pack, and of what it was said. */
export interface ReviewRecord {
  readonly format: typeof reviewRecordFormat;
  /** `sha256:` of the pack: of everything in it that can change a decision. */
  readonly pack: string;
  /** Whether all hooks of the pack were reviewed, or only those in `hooks`. */
  readonly scope: "pack" | "hooks";
  /** The hooks that were reviewed: the record says nothing of any other. */
  readonly hooks: readonly ReviewedHook[];
  /** What it was reviewed with, such as `hookwarden 1.2.3`. */
  readonly tool: string;
  /** `sha256:` of the events that it was reviewed with. */
  readonly corpus: string;
  /** `sha256:` of the findings that the reviewer saw, and how many there were of each severity. */
  readonly findings: string;
  readonly counts: Readonly<Record<"high" | "medium" | "low" | "info", number>>;
  readonly decision: "approve" | "refuse";
  /** Who decided, in their own words. The signature says whose key it was. */
  readonly reviewer: string;
  /** When, ISO 8601. */
  readonly reviewed: string;
  /** From when on an approval counts no more, ISO 8601. A refusal has no end. */
  readonly expires: string;
}

/** A record with the signature of its canonical JSON: a detached JWS (RFC 7515, appendix F) by an Ed25519 key. */
export interface SignedReview {
  readonly record: ReviewRecord;
  readonly signature: string;
}

/** What a host asks of a pack before it serves. */
export interface RequiredReview {
  /**
   * Records, or paths: of files with one each, or of folders of such files (`.json`). Those that approve this very pack must
   * together name every hook of it, and none may refuse one.
   */
  readonly records: readonly (string | SignedReview)[];
  /** Keys of the reviewers that count: a trust file as for bundles, or its path. Read again with every reload. */
  readonly trust: string | Trust;
}

const maxRecordBytes = 262_144;
const maxNameLength = 200;
const members: ReadonlySet<string> = new Set([
  "format",
  "pack",
  "scope",
  "hooks",
  "tool",
  "corpus",
  "findings",
  "counts",
  "decision",
  "reviewer",
  "reviewed",
  "expires",
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
 * Insists on records that approve this very pack and together name every hook of it, signed by keys that the host trusts
 * for a pack of this name, and on none of such a key that refuses it.
 *
 * @param pack that is to serve.
 * @param name of the pack or the bundle; `null` where it has none.
 * @throws {HookwardenError} `review-required`; `review-invalid` for a file that is no record.
 */
export async function requireApproval(
  { records, trust }: RequiredReview,
  pack: Pick<LoadedPack, "digest" | "hooks">,
  name: string | null,
  now = Date.now(),
): Promise<readonly ReviewRecord[]> {
  const trusted = await readTrust(trust);
  const approvals: ReviewRecord[] = [];
  const reasons: string[] = [];
  for (const { record, signature } of await readAll(records)) {
    const by = quote(record.reviewer);
    if (record.pack !== pack.digest) {
      reasons.push(`the record of ${by} is of another pack`);
      continue;
    }
    const why = await distrust({ record, signature }, trusted, name, now);
    if (why !== null) reasons.push(why);
    else if (record.decision === "refuse")
      throw required(pack.digest, `${by} has refused it on ${record.reviewed}`);
    else if (now >= Date.parse(record.expires))
      reasons.push(`the approval of ${by} has expired on ${record.expires}`);
    else approvals.push(record);
  }
  const named = new Set(approvals.flatMap(({ hooks }) => hooks.map((hook) => `${hook.name} ${hook.digest}`)));
  const missing = pack.hooks.filter((hook) => !named.has(`${hook.name} ${hook.digest}`));
  if (approvals.length > 0 && missing.length === 0) return approvals;
  if (approvals.length > 0) {
    const list = missing.map((hook) => quote(hook.name)).join(", ");
    reasons.unshift(`its hooks ${list} are in no record that approves it`);
  }
  throw required(pack.digest, reasons[0] ?? "there is no record at all");
}

/** Why a record does not count; `null` where it does. */
async function distrust(
  { record, signature }: SignedReview,
  trusted: CheckedTrust,
  name: string | null,
  now: number,
): Promise<string | null> {
  const signed = { bytes: bytesOf(record), type: "hookwarden-review", bundle: name ?? "" } as const;
  try {
    const kid = await verifySignature(signed, Buffer.from(signature, "latin1"), trusted, now);
    const owner = trusted.keys.get(kid)?.reviewer;
    return owner === undefined || owner === record.reviewer
      ? null
      : `the key ${quote(kid)} belongs to ${quote(owner)}, and the record is of ${quote(record.reviewer)}`;
  } catch (error) {
    if (!(error instanceof HookwardenError)) throw error;
    return error.message;
  }
}

async function readAll(records: RequiredReview["records"]): Promise<readonly SignedReview[]> {
  const all: SignedReview[] = [];
  for (const given of records) {
    if (typeof given !== "string") all.push(checkSigned(given));
    else for (const path of await recordFiles(given)) all.push(await readReview(path));
  }
  return all;
}

/** The path itself, or the records in the folder that it is one of. */
async function recordFiles(path: string): Promise<readonly string[]> {
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) return [path];
  const names = (await readdir(path)).filter((file) => file.endsWith(".json")).sort();
  return names.map((file) => join(path, file));
}

function required(pack: string, why: string): HookwardenError {
  return new HookwardenError(
    "review-required",
    `the pack \`${pack}\` has no review that approves it: ${why}`,
  );
}

/** Reads a signed record from a file. @throws {HookwardenError} `review-invalid`, `file-unreadable` */
export async function readReview(path: string): Promise<SignedReview> {
  const limits = { maxBytes: maxRecordBytes, maxDepth: 5, maxKeys: 4_096, maxKeyLength: 64 };
  return checkSigned(await readJsonFile(path, "review record", "review-invalid", limits), path);
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
  checkScope(record, file);
  const { reviewer, reviewed, expires, counts } = record;
  if (typeof reviewer !== "string" || reviewer.trim() === "" || reviewer.length > maxNameLength)
    throw invalid(`\`reviewer\` must be a name of 1 to ${maxNameLength} characters`, file);
  if (typeof reviewed !== "string" || !isDateTime(reviewed))
    throw invalid("`reviewed` must be a time such as `2026-01-31T12:00:00Z`", file);
  if (typeof expires !== "string" || !isDateTime(expires))
    throw invalid("`expires` must be a time such as `2027-01-31T12:00:00Z`", file);
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

function checkScope({ scope, hooks, tool }: { readonly [member: string]: unknown }, file?: string): void {
  if (scope !== "pack" && scope !== "hooks") throw invalid("`scope` must be `pack` or `hooks`", file);
  if (!Array.isArray(hooks) || hooks.length === 0 || !hooks.every(isReviewedHook))
    throw invalid("`hooks` must be a list of the reviewed hooks, each with `name` and `digest`", file);
  if (typeof tool !== "string" || tool.trim() === "" || tool.length > maxNameLength)
    throw invalid(`\`tool\` must be a text of 1 to ${maxNameLength} characters`, file);
}

function isReviewedHook(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Object.keys(value).length !== 2) return false;
  const { name, digest } = value as Partial<ReviewedHook>;
  return typeof name === "string" && name !== "" && typeof digest === "string" && digestForm.test(digest);
}

function bytesOf(record: ReviewRecord): Buffer {
  return Buffer.from(canonicalJson(record));
}

function invalid(message: string, file?: string): HookwardenError {
  return new HookwardenError("review-invalid", message, file === undefined ? {} : { file });
}
