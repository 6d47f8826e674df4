import { createHash } from "node:crypto";
import type { Checkout, SourceName } from "./sources.ts";

/** One thing that policies are measured on: a command line, a secret in its text, a document, a prompt. */
export interface Item {
  /** The part of the set that it belongs to: a family of attacks, a vendor, a kind of document. */
  readonly family: string;
  readonly text: string;
  /** The secret in the text, where the set names it. */
  readonly secret?: string;
}

/** What the items of a set are, and so how they are judged. */
export type Kind =
  "shell-attack" | "shell-benign" | "secret" | "lookalike" | "clean" | "prompt" | "injection";

/** Items from one public source. */
export interface PublicSet {
  readonly name: string;
  readonly kind: Kind;
  readonly source: SourceName;
  readonly read: (checkout: Checkout) => Iterable<Item>;
}

/**
 * Which half an item belongs to, by its digest: rules may be tuned on one half, and the other one is what is reported.
 */
export function halfOf({ text }: Item): "tuned" | "held-out" {
  const digest = createHash("sha256").update(text).digest();
  return (digest[0] ?? 0) % 2 === 0 ? "tuned" : "held-out";
}
