import { hash } from "node:crypto";

/** What the first record of a log is chained to. */
export const genesis = `sha256:${"0".repeat(64)}`;

/** Where a record stands: its number in the log, its number among its tenant's, and the hash of the record before it. */
export interface Place {
  readonly n: number;
  readonly tenant?: string;
  readonly seq?: number;
  readonly prev: string;
}

// The record itself, its hash behind it.
const sealed = /^(.*),"hash":"(sha256:[0-9a-f]{64})"\}$/;
const notAscii = /[\u007f-\uffff]/g;

/** JSON text with nothing but visible ASCII in it. Reads back to the same value. */
export function asciiJson(text: string): string {
  return text.replace(notAscii, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/**
 * Closes a record: its place and its hash, which covers every byte before it and the hash of the record before.
 *
 * @param body the record as ASCII JSON text of an object with at least one member, without the closing brace.
 */
export function seal(
  body: string,
  { n, tenant, seq, prev }: Place,
): { readonly line: string; readonly hash: string } {
  const whose = tenant === undefined ? "" : `,"tenant":${asciiJson(JSON.stringify(tenant))},"seq":${seq}`;
  const record = `${body}${whose},"n":${n},"prev":"${prev}"`;
  const digest = recordHash(prev, record);
  return { line: `${record},"hash":"${digest}"}`, hash: digest };
}

/** A line taken apart; `null` where it has not the form of a record. */
export function unseal(line: string): { readonly record: string; readonly hash: string } | null {
  const parts = sealed.exec(line);
  return parts ? { record: parts[1] as string, hash: parts[2] as string } : null;
}

/** `sha256:` of the previous hash, a line feed, and the record up to its hash, closed with a brace. */
export function recordHash(prev: string, record: string): string {
  return `sha256:${hash("sha256", `${prev}\n${record}}`, "hex")}`;
}

/** `sha256:` of a text's UTF-8. */
export function digestOf(text: string): string {
  return `sha256:${hash("sha256", text, "hex")}`;
}
