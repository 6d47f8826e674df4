import type { LoadedHook } from "hookwarden/pack";
import { wordsOf } from "./regex-words.ts";

/** Names that the matchers of hooks mention. */
export function matcherNames(hooks: readonly LoadedHook[]): readonly string[] {
  const sources = hooks.flatMap(({ on }) => on.flatMap(({ matcher }) => (matcher ? [matcher.source] : [])));
  return [
    ...new Set(
      sources.flatMap((source) => [
        ...source.split(/[|,\s]+/).filter((name) => /^[\w-]+$/.test(name)),
        ...wordsOf(source, ""),
      ]),
    ),
  ];
}
