import { randomBytes } from "node:crypto";
import type { Decision } from "hookwarden/broker";
import { sha256 } from "hookwarden/files";
import type { Feed } from "../feed.ts";
import type { Log } from "../log.ts";
import { Problem } from "../problem.ts";
import type { ApprovalStore } from "../storage.ts";
import type { Tenant } from "../tenant.ts";
import { type ApprovalAnswer, type ApprovalRecord, asOf } from "./approval.ts";
import type { ApprovalWebhook } from "./webhook.ts";

/** Most approvals of a tenant that are pending. */
const maxPending = 1_000;
/** Largest event that a person can be asked about, in bytes. */
const maxEventBytes = 262_144;
/** How often expired approvals are closed and old ones removed, in milliseconds. */
const sweepMs = 1_000;
const pruneMs = 3_600_000;
const dayMs = 86_400_000;
/** How long closed approvals are kept, in days. */
const defaultRetentionDays = 90;

export interface ApprovalsOptions {
  readonly store: ApprovalStore;
  readonly feed: Feed;
  readonly log: Log;
  readonly webhook: ApprovalWebhook | null;
  /** Leaves masked values out of an event. */
  readonly mask: (event: object) => object;
  readonly tenantOf: (name: string) => Tenant | undefined;
  /** Whether the credential that requested a decision cannot approve it. */
  readonly isSeparate: boolean;
  /** Ids of the credentials that may answer, where they have the scope; `null`: all that have it. */
  readonly approvers: ReadonlySet<string> | null;
  readonly retentionDays?: number | undefined;
}

/** A decision that a person has to confirm. */
export interface ApprovalRequest {
  readonly decision: Decision;
  /** The event's bytes, as the host sent them. */
  readonly body: Uint8Array;
  /** The event in the catalogue's names, to which masks apply. Default: `body` holds them. */
  readonly event?: object | null | undefined;
  /** Id of the credential that requested the decision. */
  readonly by: string;
  /** How long the approval may be answered. */
  readonly seconds: number;
}

/** An answer of a person. */
export interface PersonsAnswer {
  readonly approve: boolean;
  /** The digest of the input that the person saw. */
  readonly input: string;
  readonly by: string;
  readonly note: string | null;
}

/** Opens approvals, takes at most one answer for each, and reports both to the audit, the webhook and operators. */
export class Approvals implements AsyncDisposable {
  readonly #options: ApprovalsOptions;
  readonly #waiting = new Map<string, Set<() => void>>();
  /** Expiry by id, for those that are pending. */
  readonly #pending = new Map<string, { readonly tenant: string; readonly expires: number }>();
  readonly #timers: NodeJS.Timeout[];
  readonly #watch: Disposable | undefined;

  private constructor(options: ApprovalsOptions) {
    this.#options = options;
    this.#timers = [
      setInterval(() => void this.#sweep(), sweepMs).unref(),
      setInterval(() => void this.#prune(), pruneMs).unref(),
    ];
    this.#watch = options.store.watch?.((record) => this.#follow(record));
  }

  /** Takes over the pending approvals of an earlier run, and reports them to the webhook again. */
  static async open(options: ApprovalsOptions): Promise<Approvals> {
    const approvals = new Approvals(options);
    for (const record of await options.store.list(null, { state: "pending", limit: 100_000 })) {
      approvals.#expect(record);
      options.webhook?.send("approval.opened", record);
    }
    await approvals.#sweep();
    return approvals;
  }

  /**
   * Opens an approval for a decision. It is stored and in the audit when this returns.
   *
   * @throws {Problem} `too-many-approvals`, `body-too-large`
   */
  async request(
    tenant: Tenant,
    { decision, body, event, by, seconds }: ApprovalRequest,
  ): Promise<ApprovalRecord> {
    const own = [...this.#pending.values()].filter((one) => one.tenant === tenant.name);
    if (own.length >= maxPending) throw new Problem("too-many-approvals", 5);
    if (body.byteLength > maxEventBytes) throw new Problem("body-too-large");
    const now = Date.now();
    const { decision_id, pack, reason, decided_by, changes } = decision;
    const record: ApprovalRecord = {
      tenant: tenant.name,
      id: `apr_${randomBytes(16).toString("base64url")}`,
      decisionId: decision_id,
      pack,
      event: this.#options.mask(event ?? (JSON.parse(Buffer.from(body).toString("utf8")) as object)),
      changes,
      input: sha256(body),
      reasons: reason === null ? [] : [{ hook: decided_by, text: reason }],
      openedBy: by,
      created: new Date(now).toISOString(),
      expires: new Date(now + seconds * 1_000).toISOString(),
      state: "pending",
      answeredBy: null,
      answeredAt: null,
      note: null,
    };
    await this.#options.store.add(record);
    await this.#audit(record);
    this.#expect(record);
    this.#report("approval.opened", record);
    return record;
  }

  /** An approval as it counts now. @throws {Problem} `not-found` */
  async get(tenant: string, id: string): Promise<ApprovalRecord> {
    const record = await this.#options.store.get(tenant, id);
    if (!record) throw new Problem("not-found");
    return asOf(record, Date.now());
  }

  /** The newest first. @param tenant `null`: of all tenants */
  async list(
    tenant: string | null,
    range: { readonly state?: ApprovalRecord["state"] | undefined; readonly limit: number },
  ): Promise<readonly ApprovalRecord[]> {
    // What has expired since the last sweep is stored as pending.
    await this.#sweep();
    const { state, limit } = range;
    return this.#options.store.list(tenant, { limit, ...(state ? { state } : {}) });
  }

  /**
   * Answers a pending approval. Of several answers exactly one counts.
   *
   * @throws {Problem} `not-found`, `approval-closed`, `approval-mismatch`, `approval-own`, `approval-not-allowed`
   */
  async answer(tenant: string, id: string, answer: PersonsAnswer): Promise<ApprovalRecord> {
    const record = await this.get(tenant, id);
    const { approvers, isSeparate } = this.#options;
    if (approvers && !approvers.has(answer.by)) throw new Problem("approval-not-allowed");
    if (isSeparate && answer.by === record.openedBy) throw new Problem("approval-own");
    if (answer.input !== record.input) throw new Problem("approval-mismatch");
    const state = answer.approve ? "approved" : "denied";
    const closed = await this.#close(record, {
      state,
      by: answer.by,
      at: new Date().toISOString(),
      note: answer.note,
    });
    if (!closed) throw new Problem("approval-closed");
    return closed;
  }

  /** Waits until an approval is closed, at most for some time. @returns it as it is then */
  async wait(
    tenant: string,
    id: string,
    { ms, gone }: { readonly ms: number; readonly gone: () => boolean },
  ): Promise<ApprovalRecord> {
    const until = performance.now() + ms;
    for (;;) {
      const waiting = this.#changed(id);
      const record = await this.get(tenant, id);
      const left = until - performance.now();
      if (record.state !== "pending" || left <= 0 || gone()) {
        waiting.cancel();
        return record;
      }
      // Looked at again at intervals: the client may have gone, or its time may be over.
      await Promise.race([waiting.changed, sleep(Math.min(left, 1_000))]);
      waiting.cancel();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    this.#watch?.[Symbol.dispose]();
    for (const wakes of this.#waiting.values()) for (const wake of wakes) wake();
    await this.#options.webhook?.close();
  }

  /** @returns the closed record; `null` if another answer came first. */
  async #close(record: ApprovalRecord, answer: ApprovalAnswer): Promise<ApprovalRecord | null> {
    const closed = await this.#options.store.close(record.tenant, record.id, answer);
    if (!closed) return null;
    await this.#audit(closed);
    this.#pending.delete(closed.id);
    this.#wake(closed.id);
    this.#report("approval.closed", closed);
    return closed;
  }

  async #sweep(): Promise<void> {
    const now = Date.now();
    for (const [id, { tenant, expires }] of this.#pending) {
      if (now < expires) continue;
      const record = await this.#options.store.get(tenant, id);
      const at = new Date(now).toISOString();
      const closed = record && (await this.#close(record, { state: "expired", by: null, at, note: null }));
      if (!closed) this.#pending.delete(id);
    }
  }

  async #prune(): Promise<void> {
    const days = this.#options.retentionDays ?? defaultRetentionDays;
    await this.#options.store.prune(new Date(Date.now() - days * dayMs).toISOString());
  }

  /** Takes over what another node did. */
  #follow(record: ApprovalRecord): void {
    if (record.state === "pending") return this.#expect(record);
    this.#pending.delete(record.id);
    this.#wake(record.id);
  }

  #expect({ id, tenant, expires }: ApprovalRecord): void {
    this.#pending.set(id, { tenant, expires: Date.parse(expires) });
  }

  #changed(id: string): { readonly changed: Promise<void>; readonly cancel: () => void } {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wakes = this.#waiting.get(id) ?? new Set();
    this.#waiting.set(id, wakes.add(resolve));
    const cancel = (): void => {
      wakes.delete(resolve);
      if (wakes.size === 0) this.#waiting.delete(id);
    };
    return { changed: promise, cancel };
  }

  #wake(id: string): void {
    for (const wake of this.#waiting.get(id) ?? []) wake();
  }

  async #audit(record: ApprovalRecord): Promise<void> {
    const { id, decisionId, input, state, expires, openedBy, answeredBy, note } = record;
    const log = this.#options.tenantOf(record.tenant)?.log;
    await log?.appendNote("approval", {
      id,
      decision: decisionId,
      input,
      state,
      expires,
      openedBy,
      answeredBy,
      note,
    });
  }

  #report(type: "approval.opened" | "approval.closed", record: ApprovalRecord): void {
    const { tenant, id, state, decisionId, answeredBy } = record;
    const { log, feed, webhook } = this.#options;
    log(type === "approval.opened" ? "approval-opened" : "approval-closed", {
      tenant,
      id,
      state,
      decision_id: decisionId,
      ...(answeredBy === null ? {} : { by: answeredBy }),
    });
    if (feed.hasListeners)
      feed.publish({ type: "approval", at: new Date().toISOString(), tenant, id, state });
    webhook?.send(type, record);
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms).unref());
}
