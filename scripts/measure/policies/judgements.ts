/**
 * Judgements by hand on stops of ordinary commands, in `judgements.json`. A stop is right if the reason that the policy
 * gives is true of the command, and names what the policy claims to stop or ask about; that the command was meant well
 * does not make it wrong. `--notable N` prints the key of each stop, and how it was judged.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Item } from "./item.ts";

const judgements = JSON.parse(readFileSync(new URL("judgements.json", import.meta.url), "utf8")) as {
  readonly [key: string]: string;
};

/** The key of a stop. It holds a digest of the command, because the sets are not committed. */
export function judgementKey(policy: string, result: string, { text }: Item): string {
  return `${policy} ${result} ${createHash("sha256").update(text).digest("hex").slice(0, 16)}`;
}

/** `right`, or `wrong` and why; `undefined` where the stop was not judged. */
export function judgementOf(policy: string, result: string, item: Item): string | undefined {
  return judgements[judgementKey(policy, result, item)];
}
