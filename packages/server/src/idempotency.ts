import { createHash } from "node:crypto";
import type { DecisionReply } from "./decision-service.ts";
import { Problem } from "./problem.ts";

/** How long an answer is kept, in milliseconds. */
const keptMs = 600_000;
/** Most answers that are kept for a tenant, and most characters of them. */
const maxKept = 1_000;
const maxChars = 8_388_608;

/** A request with an idempotency key. */
export interface KeyedRequest {
  readonly tenant: string;
  readonly key: string;
  readonly dialect: string | undefined;
  readonly body: Uint8Array;
}

interface Kept {
  readonly digest: string;
  readonly until: number;
  readonly reply: Promise<DecisionReply>;
  chars: number;
}

/**
 * Answers a request that comes twice with the same key once. A key belongs to a tenant, to a body and to a time: used
 * by another tenant it is another key, used for another body it is an error, and later it is new.
 */
export class Idempotency {
  readonly #tenants = new Map<string, Map<string, Kept>>();

  /** @throws {Problem} `bad-request`, `idempotency-mismatch` */
  async do(
    { tenant, key, dialect, body }: KeyedRequest,
    ask: () => Promise<DecisionReply>,
  ): Promise<DecisionReply> {
    if (!/^[\x21-\x7e]{1,128}$/.test(key)) throw new Problem("bad-request");
    const digest = createHash("sha256")
      .update(`${dialect ?? ""}\n`)
      .update(body)
      .digest("base64");
    let kept = this.#tenants.get(tenant);
    if (!kept) this.#tenants.set(tenant, (kept = new Map()));
    const known = kept.get(key);
    if (known && Date.now() < known.until) {
      if (known.digest !== digest) throw new Problem("idempotency-mismatch");
      return known.reply;
    }
    const entry: Kept = { digest, until: Date.now() + keptMs, reply: ask(), chars: 0 };
    kept.delete(key);
    kept.set(key, entry);
    const reply = await entry.reply;
    entry.chars = reply.body.length;
    // What was not decided may be asked again.
    if (reply.status >= 429) kept.delete(key);
    trim(kept);
    return reply;
  }
}

function trim(kept: Map<string, Kept>): void {
  const now = Date.now();
  let chars = 0;
  for (const { chars: one } of kept.values()) chars += one;
  for (const [key, { until, chars: one }] of kept) {
    if (kept.size <= maxKept && chars <= maxChars && until > now) return;
    kept.delete(key);
    chars -= one;
  }
}
