import { leavesOf, withValue } from "@hookwarden/testing/mutate";
import type { Draft } from "../draft.ts";
import { acts, effectWords } from "../run/effect.ts";
import { validEvent } from "../run/input.ts";
import { mapConcurrently, type Run, type Runner } from "../run/runner.ts";
import { touches } from "../run/touched.ts";
import { differences, runsOf } from "./canaries.ts";
import { addresses, type Triple } from "./repeated-secrets.ts";

const max = { bases: 4, leaves: 2, words: 10 } as const;
/** The parameters of a terminal's control sequence are no part of a word. */
const word = /(?<![\p{L}\p{N}_]|\u001b[[\]]?[\d;?]*)[\p{L}\p{N}_]{4,40}/gu;
const ranges = ["abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789"] as const;

/**
 * Replaces words of events, where they stand, by others of the same form. Where the verdict stays, and what the hook says
 * differs in more than the quoted word, or has it in an address, the hook reveals something about the word.
 */
export async function replacedWordFindings(runner: Runner, bases: readonly Run[]): Promise<readonly Draft[]> {
  const all = bases.slice(0, max.bases).filter(({ effect }) => acts(effect));
  const tried = all.flatMap((base) => triplesOf(runner, base).map((triple) => ({ base, triple })));
  const found = await mapConcurrently(
    tried,
    async ({ base, triple }) => {
      const runs = await runsOf(runner, triple);
      // Another verdict shows that the word is what the hook is about.
      if (runs.some(({ effect }) => effectWords(effect) !== effectWords(base.effect))) return [];
      return [
        ...differences(runs, triple.secrets, triple.path),
        ...addresses(runs, triple.secrets, triple.path),
      ];
    },
    runner.signal,
  );
  return found.flat();
}

function triplesOf(runner: Runner, base: Run): readonly Triple[] {
  const leaves = leavesOf(base.input.event, runner.seen)
    .filter(
      ({ path, value }) =>
        typeof value === "string" && path[0] !== "tool_name" && touches(base, path.join(".")),
    )
    .slice(-max.leaves);
  return leaves.flatMap(({ path, value }) => {
    const text = String(value).slice(0, 2_000);
    return [...text.matchAll(word)].slice(0, max.words).flatMap(({ 0: own, index }) => {
      const secrets = [1, 2, 3].map((by) => otherWord(own, by));
      const inputs = secrets.flatMap((secret) => {
        const changed = text.slice(0, index) + secret + text.slice(index + own.length);
        const event = validEvent(withValue(base.input.event, path, changed));
        const label = `${base.input.label}; another word in ${path.join(".")}`;
        return event ? [{ ...base.input, origin: "made" as const, label, event }] : [];
      });
      return inputs.length === secrets.length
        ? [{ path: path.join("."), original: text, said: base.output, ordinary: null, secrets, inputs }]
        : [];
    });
  });
}

/** A word of the same form. Its first letter stays, so that lists that are sorted keep their order. */
function otherWord(own: string, by: number): string {
  return [...own]
    .map((letter, at) => {
      const range = ranges.find((one) => one.includes(letter));
      if (range === undefined || at === 0) return letter;
      return range[(range.indexOf(letter) + by * (2 * at + 3)) % range.length];
    })
    .join("");
}
