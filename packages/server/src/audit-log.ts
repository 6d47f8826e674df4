import { randomUUID } from "node:crypto";
import type { EngineName } from "@hookwarden/sandbox";
import {
  DecisionLog,
  engineIdentity,
  type LogContext,
  logSettings,
  newChain,
  type Sink,
} from "hookwarden/log";
import type { AuditChain, AuditHead, AuditRecord, AuditStore } from "./storage.ts";

/**
 * `strict`: a record is durable before its decision is answered, and what cannot be recorded is not decided.
 * `relaxed`: answers do not wait. `off`: nothing is recorded.
 */
export type AuditMode = "strict" | "relaxed" | "off";

/** How audits are kept. */
export interface AuditOptions {
  readonly mode: AuditMode;
  readonly node: string;
  readonly engine: EngineName;
  readonly version: string;
  /** JSON pointers into events that the audit must not hold. */
  readonly mask: readonly string[];
}

/** A function that opens a tenant's audit; `null` if none is kept. */
export function auditOpener(
  store: AuditStore,
  { mode, node, engine, version, mask }: AuditOptions,
): ((tenant: string) => Promise<DecisionLog>) | null {
  if (mode === "off") return null;
  const context = { engine: engineIdentity(engine, version), tools: undefined, pristine: true };
  return (tenant) => openAuditLog(store, { tenant, node }, context, { mode, mask });
}

/** Opens the decision log of one tenant on the audit store; it goes on where the store says that it ended. */
export async function openAuditLog(
  store: AuditStore,
  chain: AuditChain,
  context: LogContext,
  options: { readonly mode: Exclude<AuditMode, "off">; readonly mask: readonly string[] },
): Promise<DecisionLog> {
  const head = await store.head(chain);
  const settings = logSettings({
    // Where lines go is said by the sink; the settings only need a form that holds.
    to: () => undefined,
    mask: options.mask,
    onFull: options.mode === "strict" ? "closed" : "wait",
    flush: options.mode === "strict" ? "each" : {},
  });
  const log = head?.log ?? randomUUID();
  return new DecisionLog(settings, context, {
    sink: new AuditSink(store, chain, log, head?.seq ?? 0),
    chain: head
      ? { head: { records: head.n, hash: head.hash }, sequences: new Map([[chain.tenant, head.seq]]) }
      : newChain(),
    log,
    recovery: head ? { closed: head.closed, torn: null } : null,
  });
}

/** Where a record stands, at the end of its line. */
const place = /(?:,"seq":(\d+))?,"n":(\d+),"prev":"sha256:[0-9a-f]{64}","hash":"(sha256:[0-9a-f]{64})"\}\n$/;
/** The longest text that `place` can match, in characters. */
const placeChars = 256;

/** Hands the lines of a decision log to the audit store. A write that fails is made again with the same lines. */
class AuditSink implements Sink {
  readonly #store: AuditStore;
  readonly #chain: AuditChain;
  readonly #log: string;
  #seq: number;
  #rest: readonly string[] = [];

  constructor(store: AuditStore, chain: AuditChain, log: string, seq: number) {
    this.#store = store;
    this.#chain = chain;
    this.#log = log;
    this.#seq = seq;
  }

  write(lines: readonly string[]): Promise<void> {
    this.#rest = [...this.#rest, ...lines];
    return this.resume();
  }

  async resume(): Promise<void> {
    const lines = this.#rest;
    if (lines.length === 0) return;
    let seq = this.#seq;
    const records = lines.map((line): AuditRecord => {
      const parts = place.exec(line.slice(-placeChars));
      if (!parts) throw new Error("a record has no place");
      if (parts[1] !== undefined) seq = Number(parts[1]);
      return { n: Number(parts[2]), hash: parts[3] as string, line: line.slice(0, -1) };
    });
    const { n, hash, line } = records.at(-1) as AuditRecord;
    const head: AuditHead = { n, hash, seq, log: this.#log, closed: line.startsWith('{"kind":"end"') };
    await this.#store.append(this.#chain, records, head);
    this.#rest = [];
    this.#seq = seq;
  }

  async sync(): Promise<void> {
    // What `append` has resolved for is durable.
  }

  async close(): Promise<void> {
    // The store is closed with the server.
  }
}
