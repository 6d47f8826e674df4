import { opens } from "../run/effect.ts";
import { mapConcurrently, type Run, type Runner } from "../run/runner.ts";
import type { AnswerChange } from "./answer-change.ts";
import { touchedSlots } from "./slots.ts";
import { made } from "./variant.ts";

const max = { bases: 3, tries: 14 } as const;
/** A key: long, without spaces, and no word. */
const key = /(?<![\w-])(?=[\w-]*\d|[A-Z]{16})[A-Za-z0-9_-]{16,}(?![\w-])/;
/** What says which kind of key it is. */
const prefix = /^(?:[A-Za-z]+[_-](?:[A-Za-z]+[_-])*|[A-Z]{4})/;

/**
 * Changes single letters and digits of a key that is held, so that it keeps its form.
 * A pattern that leaves some of them out finds what its author tried it with, and not what is real.
 */
export async function otherKeys(runner: Runner, held: readonly Run[]): Promise<readonly AnswerChange[]> {
  const found: AnswerChange[] = [];
  for (const base of held.slice(0, max.bases))
    for (const slot of touchedSlots(runner, base)) {
      const value = String(slot.value);
      const [own] = key.exec(value) ?? [];
      if (slot.kind !== "text" || own === undefined) continue;
      const texts = Array.from({ length: max.tries }, (_, at) => value.replace(own, () => another(own, at)));
      const runs = await mapConcurrently(
        texts,
        async (text) => {
          const input = slot.set(text);
          return input && runner.run(made(input, base, "another key of the same form"));
        },
        runner.signal,
      );
      const at = runs.findIndex((after) => after && opens(base.effect, after.effect));
      // Where no other one is held, it is this very key that the hook is about.
      if (at < 0 || runs.every((after) => !after || opens(base.effect, after.effect))) continue;
      const [to, after] = [texts[at] as string, runs[at] as Run];
      found.push({
        slot,
        from: value,
        to,
        before: base,
        after,
        opens: true,
        harmless: true,
        grade: "exempt",
      });
    }
  return found;
}

/** The same key with one other letter or digit. The same number gives the same one. */
function another(own: string, number: number): string {
  const [head = ""] = prefix.exec(own) ?? [];
  const at = head.length + ((number * 5) % (own.length - head.length));
  const letter = own[at] ?? "";
  const from = [..."abcdefghijklmnopqrstuvwxyz", ..."ABCDEFGHIJKLMNOPQRSTUVWXYZ", ..."0123456789"].filter(
    (one) => [/[a-z]/, /[A-Z]/, /\d/].some((kind) => kind.test(one) && kind.test(letter)),
  );
  const other = from[(from.indexOf(letter) + 3 + number * 7) % from.length] ?? letter;
  return own.slice(0, at) + other + own.slice(at + 1);
}
