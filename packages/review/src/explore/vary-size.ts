import { opens } from "../run/effect.ts";
import { mapConcurrently, type Run, type Runner } from "../run/runner.ts";
import type { AnswerChange } from "./answer-change.ts";
import { harmless, slotsOf } from "./slots.ts";
import { made, type Variant } from "./variant.ts";

const max = {
  length: 512,
  words: 64,
  sides: [1, 60, 130, 260, 520, 1_030, 2_100, 4_200, 8_400],
  sideWords: [9, 30, 70, 200],
  sideLines: [4, 9, 30, 200],
  lines: [1, 2, 3, 5, 8, 13, 25, 60, 150, 600],
} as const;

/** Every length up to 512 and every count of words up to 64, by text that changes nothing. */
export function sizes(runner: Runner, base: Run): readonly Variant[] {
  const slot = slotsOf(base.input, runner.seen).find(
    ({ kind, path, value }) =>
      kind === "text" && typeof value === "string" && harmless(path, value, "x").length > 0,
  );
  if (!slot) return [];
  const value = String(slot.value);
  const shortest = (harmless(slot.path, value, "a")[0] as string).length;
  const fills = [
    ...Array.from({ length: max.length }, (_, at) => shortest + at).map((length) =>
      "a".repeat(length - shortest + 1),
    ),
    ...Array.from({ length: max.words }, (_, at) => Array.from({ length: at + 1 }, () => "a").join(" ")),
  ];
  const texts = fills.map((fill): readonly [text: string, words: string] => [
    harmless(slot.path, value, fill)[0] as string,
    `${value.length + fill.length} characters, ${fill.split(" ").length} words more`,
  ]);
  for (const count of max.lines) texts.push([`${value}${"\n".repeat(count)}`, `${count} lines more`]);
  return texts.flatMap(([text, to]) => {
    const input = slot.set(text);
    return input
      ? [
          {
            slot,
            from: `${value.length} characters`,
            to,
            input: made(input, base, "padded"),
            word: "size" as const,
          },
        ]
      : [];
  });
}

/** Text on both sides, so that neither end has what counts; the first has so little that only its place matters. */
function sides(runner: Runner, base: Run): readonly Variant[] {
  const slot = slotsOf(base.input, runner.seen).find(({ kind, value }) => kind === "text" && value !== "");
  if (!slot) return [];
  const value = String(slot.value);
  const around = (fill: string): string | undefined => {
    const [behind] = harmless(slot.path, value, fill);
    return behind === undefined ? undefined : harmless(slot.path, behind, fill)[1];
  };
  const texts: (readonly [text: string | undefined, added: string])[] = [
    ...max.sides.map((count) => [around("a".repeat(count)), `${count} characters`] as const),
    ...max.sideWords.map((count) => [around("a ".repeat(count).trim()), `${count} words`] as const),
    ...max.sideLines.map((count) => {
      const lines = "\n".repeat(count);
      return [lines + value + lines, `${count} lines`] as const;
    }),
  ];
  return texts.flatMap(([text, added]) => {
    const input = text === undefined ? null : slot.set(text);
    return input
      ? [
          {
            slot,
            from: `${value.length} characters`,
            to: `${added} more on both sides`,
            input: made(input, base, "padded on both sides"),
            word: "size" as const,
          },
        ]
      : [];
  });
}

/** Padding on both sides that opens, unless any text in front does. */
export async function sidesThatOpen(runner: Runner, base: Run): Promise<readonly AnswerChange[]> {
  const variants = sides(runner, base);
  const runs = await mapConcurrently(variants, ({ input }) => runner.run(input), runner.signal);
  const [control] = runs;
  if (!control || opens(base.effect, control.effect)) return [];
  return runs.flatMap((after, at): AnswerChange[] => {
    const { slot, from, to } = variants[at] as Variant;
    return after && opens(base.effect, after.effect)
      ? [{ slot, from, to, before: base, after, opens: true, harmless: true, word: "size" }]
      : [];
  });
}
