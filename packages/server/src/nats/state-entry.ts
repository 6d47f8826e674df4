import { createHash } from "node:crypto";
import type { StateKey } from "hookwarden/state";

/** What lies under a key: a value, or, while several keys are being written together, what it was and what it may become. */
export type StateEntry =
  | { readonly kind: "value"; readonly value: string }
  | {
      readonly kind: "intent";
      readonly transaction: string;
      readonly before: string | null;
      readonly after: string | null;
    };

/** Bytes that a value takes beside its own. */
export const entryOverhead = 1;

/** A key of the bucket: which tenant's, of which scope, and a digest over all parts with their bounds. */
export function entryKey({ tenant, hook, scope, session }: StateKey): string {
  const whole = digest(JSON.stringify([tenant, hook, scope, session]));
  return `${tenantKey(tenant)}.${scope === "session" ? "s" : "t"}.${whole}`;
}

/** The part of a key that all keys of a tenant have: 128 bits of a digest. */
export function tenantKey(tenant: string): string {
  return digest(JSON.stringify(tenant)).slice(0, 22);
}

export function transactionKey(id: string): string {
  return `x.${id}`;
}

export function encodeEntry(entry: StateEntry): string {
  if (entry.kind === "value") return `=${entry.value}`;
  const { transaction, before, after } = entry;
  return `?${JSON.stringify([transaction, before, after])}`;
}

/** @throws {Error} for what no store has written. */
export function decodeEntry(text: string): StateEntry {
  if (text.startsWith("=")) return { kind: "value", value: text.slice(1) };
  const parts: unknown = text.startsWith("?") ? JSON.parse(text.slice(1)) : null;
  if (Array.isArray(parts) && parts.length === 3) {
    const [transaction, before, after] = parts as unknown[];
    if (
      typeof transaction === "string" &&
      /^[\w-]{1,64}$/.test(transaction) &&
      isText(before) &&
      isText(after)
    )
      return { kind: "intent", transaction, before, after };
  }
  throw new Error("the state bucket holds something that no store has written");
}

function isText(value: unknown): value is string | null {
  return value === null || typeof value === "string";
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}
