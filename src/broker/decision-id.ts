import { randomFillSync } from "node:crypto";

const pool = Buffer.alloc(4_096);
let used = pool.length;

const hex: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/**
 * A UUID of version 7 (RFC 9562): 48 bits of time, 74 of chance. Ids sort by the time they were made.
 *
 * @param milliseconds since 1970; the time that `timeOfId` reads from it again.
 */
export function makeDecisionId(milliseconds: number): string {
  if (used + 10 > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const at = used;
  used += 10;
  const time = milliseconds.toString(16).padStart(12, "0");
  const byte = (index: number): string => hex[pool[at + index] as number] as string;
  const version = hex[0x70 | ((pool[at] as number) & 0x0f)] as string;
  const variant = hex[0x80 | ((pool[at + 2] as number) & 0x3f)] as string;
  return `${time.slice(0, 8)}-${time.slice(8)}-${version}${byte(1)}-${variant}${byte(3)}-${byte(4)}${byte(5)}${byte(6)}${byte(7)}${byte(8)}${byte(9)}`;
}

const version7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/**
 * When a decision id was made, in milliseconds since 1970: the time in a UUID of version 7, and 0 for any other id.
 * It stands in for the `time` that neither event nor host gave: the same event and id must give the same decision, so
 * that it may depend on nothing else.
 */
export function timeOfId(id: string): number {
  return version7.test(id) ? Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) : 0;
}
