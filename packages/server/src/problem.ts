import { homedir, tmpdir } from "node:os";
import { isAbsolute } from "node:path";
import { fileURLToPath } from "node:url";
import { type ErrorCode, type ErrorPlace, HookwardenError } from "hookwarden/errors";

/** Problems that only a server can have, with their status. */
export const problemTable = {
  "bad-request": { status: 400, means: "the request is not one that this route takes" },
  unauthorized: { status: 401, means: "there is no valid credential" },
  forbidden: { status: 403, means: "the credential is not for this" },
  "tenant-disabled": { status: 403, means: "an operator has switched the tenant off" },
  "not-found": { status: 404, means: "there is nothing here" },
  "method-not-allowed": { status: 405, means: "the route does not have this method" },
  "no-pack": { status: 409, means: "the tenant has no pack that could decide; treat the event as refused" },
  conflict: { status: 409, means: "another change came first; look again" },
  "body-too-large": { status: 413, means: "the body is larger than the route takes" },
  "wrong-media-type": {
    status: 415,
    means: "the body must be `application/json` in UTF-8, or what the route names",
  },
  "host-not-allowed": { status: 421, means: "the `Host` or `Origin` is not one that the server answers to" },
  "idempotency-mismatch": { status: 422, means: "the idempotency key was used for another request" },
  "too-many-hooks": { status: 422, means: "the pack has more hooks than the tenant may have" },
  "too-much-memory": { status: 422, means: "a hook asks for more memory than the tenant may have" },
  "rate-limited": {
    status: 429,
    means: "more requests than the tenant may make; treat the event as refused",
  },
  "cpu-exhausted": { status: 429, means: "the tenant's hooks have used their time of this minute" },
  "queue-full": { status: 429, means: "too many of the tenant's events are waiting" },
  "slow-consumer": {
    status: 429,
    means: "the tenant has not read the answers that it has; treat the event as refused",
  },
  "too-many-approvals": { status: 429, means: "too many of the tenant's approvals are pending" },
  "approval-closed": { status: 409, means: "the approval was answered already, or its time is over" },
  "approval-mismatch": { status: 422, means: "the answer is for another input than the approval" },
  "approval-not-allowed": {
    status: 403,
    means: "the server's settings do not let this credential answer approvals",
  },
  "approval-own": { status: 403, means: "the credential that requested a decision cannot approve it" },
  "headers-too-large": { status: 431, means: "the headers are larger than the server takes" },
  "shutting-down": { status: 503, means: "the server is ending; ask another one" },
  "not-ready": { status: 503, means: "the server is starting" },
  "trust-unavailable": {
    status: 503,
    means: "the server's trust file cannot be read, so that no signature can be held to it",
  },
} as const;

export type ProblemCode = keyof typeof problemTable;

/** Statuses of errors that have a code in the library. What is absent is a failure of the server: 500. */
const statuses: ReadonlyMap<string, number> = new Map<ErrorCode, number>([
  ["event-not-json", 400],
  ["event-invalid", 400],
  ["event-unknown", 400],
  ["event-too-large", 413],
  ["dialect-unknown", 404],
  ["dialect-unsupported", 422],
  ["option-invalid", 400],
  ["pack-not-found", 422],
  ["pack-not-json", 422],
  ["pack-invalid", 422],
  ["path-outside-pack", 422],
  ["file-unreadable", 422],
  ["matcher-invalid", 422],
  ["reads-insufficient", 422],
  ["policy-invalid", 422],
  ["load-failed", 422],
  ["bundle-invalid", 422],
  ["bundle-untrusted", 422],
  ["bundle-rollback", 409],
  ["review-required", 422],
  ["review-invalid", 503],
  ["log-failed", 503],
  ["storage-failed", 503],
  ["closed", 503],
]);

/** Every code that an answer may carry, with its status. */
export function allProblems(): ReadonlyMap<string, number> {
  const own = Object.entries(problemTable).map(([code, { status }]): [string, number] => [code, status]);
  return new Map([...own, ...statuses, ["internal", 500]]);
}

/** What was wrong with the caller's own input, and where. It says nothing of the server or of other tenants. */
export interface ProblemDetail extends ErrorPlace {
  readonly message: string;
}

/** Errors of the library that are about what the caller has sent. Of all others only the code is sent. */
const aboutInput: ReadonlySet<ErrorCode> = new Set([
  "event-not-json",
  "event-invalid",
  "event-unknown",
  "event-too-large",
  "dialect-unknown",
  "dialect-unsupported",
  "pack-not-found",
  "pack-not-json",
  "pack-invalid",
  "path-outside-pack",
  "file-unreadable",
  "matcher-invalid",
  "reads-insufficient",
  "policy-invalid",
  "load-failed",
  "bundle-invalid",
  "bundle-untrusted",
  "bundle-rollback",
]);

/** Longest message that is sent, in characters: it may quote what came. */
const longestMessage = 1_000;

/** Paths of this machine. A message that holds one is not sent, whatever it is about. */
const ownPaths: readonly string[] = [
  process.cwd(),
  process.execPath,
  fileURLToPath(new URL(".", import.meta.url)),
  homedir(),
  tmpdir(),
].filter((path) => path.length > 1);

function detailOf(error: HookwardenError): ProblemDetail | undefined {
  const { code, message, place } = error;
  if (!aboutInput.has(code) || ownPaths.some((path) => message.includes(path))) return undefined;
  const { file, ...rest } = place;
  const isOurs = file !== undefined && isAbsolute(file);
  return {
    message: message.slice(0, longestMessage),
    ...(file === undefined || isOurs ? {} : { file }),
    ...rest,
  };
}

/** Something that is answered with a status and a code. */
export class Problem extends Error {
  override readonly name = "Problem";
  readonly status: number;
  readonly code: string;
  /** Seconds after which it may be worth asking again. */
  readonly retryAfter: number | undefined;
  readonly detail: ProblemDetail | undefined;

  /** @param detail only about what the caller has sent. */
  constructor(code: ProblemCode, retryAfter?: number, detail?: ProblemDetail) {
    super(code);
    this.code = code;
    this.status = problemTable[code].status;
    this.retryAfter = retryAfter;
    this.detail = detail;
  }
}

/** What is answered for anything that was thrown. */
export interface ProblemAnswer {
  readonly status: number;
  readonly code: string;
  readonly retryAfter: number | undefined;
  readonly detail: ProblemDetail | undefined;
}

/** Status, code and detail of anything that was thrown; unknown errors are `internal`. */
export function problemOf(error: unknown): ProblemAnswer {
  if (error instanceof Problem) return error;
  if (error instanceof HookwardenError) {
    const status = statuses.get(error.code);
    if (status !== undefined) {
      return {
        status,
        code: error.code,
        retryAfter: status === 503 ? 1 : undefined,
        detail: detailOf(error),
      };
    }
  }
  return { status: 500, code: "internal", retryAfter: undefined, detail: undefined };
}

/**
 * What became of one event of several, where it was not decided.
 *
 * @param at JSON pointer of the event in the body, so that pointers lead to what was sent.
 */
export function problemEntry({ status, code, detail }: ProblemAnswer, at: string): string {
  const pointer = detail?.pointer === undefined ? {} : { pointer: `${at}${detail.pointer}` };
  return JSON.stringify({ status, code, ...detail, ...pointer });
}

/** The body of an answer that is no success (RFC 9457): a code, the request's id, and what was wrong with its input. */
export function problemBody(
  status: number,
  code: string,
  requestId: string,
  detail?: ProblemDetail | undefined,
): string {
  return JSON.stringify({ status, code, request_id: requestId, ...detail });
}

export const problemType = "application/problem+json";
