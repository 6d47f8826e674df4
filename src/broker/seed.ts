import { hash } from "node:crypto";

/** Four unsigned 32-bit numbers. */
export type Seed = readonly [number, number, number, number];

/** The first 128 bits of a text's SHA-256, as four unsigned 32-bit numbers, most significant byte first. */
export function digestWords(text: string): Seed {
  // As hexadecimal text: that is twice as fast as a buffer.
  const digest = hash("sha256", text, "hex");
  return [
    Number.parseInt(digest.slice(0, 8), 16),
    Number.parseInt(digest.slice(8, 16), 16),
    Number.parseInt(digest.slice(16, 24), 16),
    Number.parseInt(digest.slice(24, 32), 16),
  ];
}

/**
 * The seed of a hook's `Math.random` in one decision. For each of the four words: the word of the decision id's digest
 * XOR that of the hook name's digest, mixed by the finaliser of MurmurHash3. Both digests are `digestWords`; they are
 * made once for a decision and once for a hook. A seed is not secret.
 */
export function seedFor(decision: Seed, hook: Seed): Seed {
  return [
    mix(decision[0] ^ hook[0]),
    mix(decision[1] ^ hook[1]),
    mix(decision[2] ^ hook[2]),
    mix(decision[3] ^ hook[3]),
  ];
}

function mix(word: number): number {
  let mixed = word;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
