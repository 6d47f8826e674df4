import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

/** What of `node:crypto` the broker and the pack use, for a page: the browser's own digests can only be awaited. */

function digestOf(algorithm: string, text: string): Uint8Array {
  if (algorithm !== "sha256") throw new Error(`there is no digest ${algorithm} here`);
  return sha256(utf8ToBytes(text));
}

export function hash(algorithm: string, text: string, encoding: "hex"): string {
  if (encoding !== "hex") throw new Error("digests are hexadecimal here");
  return bytesToHex(digestOf(algorithm, text));
}

export function createHash(algorithm: string): {
  update(text: string, encoding?: "utf8"): { digest(encoding: "hex"): string };
} {
  return { update: (text) => ({ digest: () => bytesToHex(digestOf(algorithm, text)) }) };
}

export function randomFillSync<T extends Uint8Array>(bytes: T): T {
  crypto.getRandomValues(bytes);
  return bytes;
}
