import { createHmac } from "node:crypto";
import type { ApprovalRecord } from "./approval.ts";

/** Where approvals are reported to. */
export interface WebhookOptions {
  readonly url: string;
  /** Key of the signatures, at least 16 characters. */
  readonly secret: string;
  /** First pause before a retry, in milliseconds; each further one is twice as long. Default 1,000. */
  readonly retryMs?: number;
}

/** How often a delivery is tried: with pauses from 1 s to 10 minutes, over about an hour. */
const maxAttempts = 14;
const maxPauseMs = 600_000;
const timeoutMs = 10_000;
/** Most deliveries in progress; the oldest is given up first. */
const maxDeliveries = 10_000;

export type WebhookType = "approval.opened" | "approval.closed";

/**
 * Delivers reports about approvals by HTTP POST, at least once. The body has no event: receivers fetch it from the server.
 *
 * Each request carries `hookwarden-signature: t=<seconds>,v1=<hex>`: HMAC-SHA256 of `<seconds>.<body>`. Everything but a
 * status of 2xx is retried with exponential backoff.
 */
export class ApprovalWebhook {
  readonly #options: WebhookOptions;
  readonly #closing = new AbortController();
  readonly #deliveries = new Set<Promise<void>>();

  constructor(options: WebhookOptions) {
    this.#options = options;
  }

  send(type: WebhookType, record: ApprovalRecord): void {
    if (this.#closing.signal.aborted || this.#deliveries.size >= maxDeliveries) return;
    const { tenant, id, state, decisionId, input, created, expires, answeredBy, answeredAt } = record;
    const approval = { tenant, id, state, decision_id: decisionId, input, created, expires };
    const body = JSON.stringify({
      type,
      approval: { ...approval, answered_by: answeredBy, answered_at: answeredAt },
    });
    const delivery = this.#deliver(body).finally(() => this.#deliveries.delete(delivery));
    this.#deliveries.add(delivery);
  }

  /** Ends retries. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#deliveries);
  }

  async #deliver(body: string): Promise<void> {
    const { signal } = this.#closing;
    for (let attempt = 0; attempt < maxAttempts && !signal.aborted; attempt++) {
      if (await this.#attempt(body)) return;
      const pause = Math.min((this.#options.retryMs ?? 1_000) * 2 ** attempt, maxPauseMs);
      await pauseOrAbort(pause * (0.5 + Math.random() / 2), signal);
    }
  }

  async #attempt(body: string): Promise<boolean> {
    const { url, secret } = this.#options;
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(timeoutMs)]);
    try {
      const headers = {
        "content-type": "application/json",
        "hookwarden-signature": signatureOf(body, secret, Math.floor(Date.now() / 1_000)),
      };
      const response = await fetch(url, { method: "POST", body, headers, redirect: "error", signal });
      await response.body?.cancel();
      return response.ok;
    } catch {
      return false;
    }
  }
}

/** @param seconds since 1970; a receiver refuses old ones, so that a recorded request cannot be replayed. */
export function signatureOf(body: string, secret: string, seconds: number): string {
  const mac = createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex");
  return `t=${seconds},v1=${mac}`;
}

function pauseOrAbort(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      done();
    };
    const timer = setTimeout(end, ms).unref();
    signal.addEventListener("abort", end);
  });
}
