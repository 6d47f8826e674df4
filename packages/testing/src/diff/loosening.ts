import type { Verdict } from "hookwarden/broker";
import { canonicalJson, sha256 } from "hookwarden/files";
import type { DiffEvent } from "./event.ts";

/**
 * How far a verdict holds an agent back. `allow` stands below `continue`: it takes the person out of the loop that
 * `continue` leaves in it. `ask` and `retry` hold a step back until someone has done something; the others stop it.
 */
const strictness: { readonly [V in Verdict]: number } = {
  allow: 0,
  continue: 1,
  ask: 2,
  retry: 2,
  drop_chunk: 3,
  skip: 3,
  deny: 3,
  block: 3,
  halt: 3,
};

/** Whether an event that had the first verdict is held back less by the second one. */
export function isLoosened(before: Verdict, after: Verdict): boolean {
  return strictness[after] < strictness[before];
}

/** Something that the new version lets happen and the old one did not. */
export interface Loosening {
  /** `sha256:` of what was opened: the same loosening has the same digest in every run. For `--accept`. */
  readonly digest: string;
  /** A `verdict` that strictness back less, a `rewrite` that is not made any more, or a new `power`. */
  readonly kind: "verdict" | "rewrite" | "power";
  /** `null`: the pack as a whole. */
  readonly hook: string | null;
  /** What was opened, in words. */
  readonly what: string;
  /** The event that it shows at; `null` for a power. */
  readonly event: DiffEvent | null;
  readonly accepted: boolean;
}

/** A loosening that an event shows. */
export function eventLoosening(
  kind: "verdict" | "rewrite",
  hook: string | null,
  what: string,
  event: DiffEvent,
): Loosening {
  const digest = sha256(canonicalJson(["hookwarden-loosening-1", kind, hook, what, event.fields]));
  return { digest, kind, hook, what, event, accepted: false };
}

/** A loosening that the manifests show. */
export function powerLoosening(hook: string | null, what: string): Loosening {
  const digest = sha256(canonicalJson(["hookwarden-loosening-1", "power", hook, what]));
  return { digest, kind: "power", hook, what, event: null, accepted: false };
}
