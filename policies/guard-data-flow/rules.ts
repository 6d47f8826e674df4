import { globMatches } from "../lib/paths.ts";
import type { Act, ActKind } from "./acts.ts";

/** What a rule waits for or forbids: acts, by patterns in which `*` stands for any text. */
export type Pattern = { readonly [K in ActKind]?: readonly string[] } & { readonly prompt?: true };

/** A rule of the configuration. */
export interface Rule {
  readonly name: string;
  readonly after: Pattern;
  readonly never: Pattern;
  readonly until?: Pattern;
  readonly verdict?: "ask" | "deny";
}

/** The act that a pattern matches, if any. An act that is not known matches every pattern of its kind. */
export function matchOf(pattern: Pattern, acts: readonly Act[]): Act | undefined {
  return acts.find(({ kind, what }) => {
    const globs = pattern[kind];
    return globs !== undefined && (what === "" || globs.some((glob) => matches(glob, what)));
  });
}

/** Whether one of some patterns matches a name. A double star is a star here: a path is one text. */
export function isListed(list: readonly string[] | undefined, name: string): boolean {
  return (list ?? []).some((glob) => matches(glob, name));
}

function matches(glob: string, text: string): boolean {
  const plain = glob.replaceAll("**/", "*").replaceAll("**", "*").toLowerCase();
  return globMatches(plain, text.toLowerCase());
}
