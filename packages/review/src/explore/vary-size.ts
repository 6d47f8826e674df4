import { opens, opensFully } from "../run/effect.ts";
import { mapConcurrently, type Run, type Runner } from "../run/runner.ts";
import type { AnswerChange } from "./answer-change.ts";
import { harmless, isCommand, neutralWord, touchedSlots } from "./slots.ts";
import { made, type Variant } from "./variant.ts";

const max = {
  length: 512,
  words: 64,
  sides: [1, 60, 130, 260, 520, 1_030, 2_100, 4_200, 8_400, 16_800, 33_600],
  sideWords: [9, 30, 70, 200],
  sideLines: [4, 9, 30, 200],
  largest: 60_000,
  commands: [1, 3, 6, 14, 40, 120],
  lines: [1, 2, 3, 5, 8, 13, 25, 60, 150, 600],
} as const;
/** Length of an event from which on a call can cost more than a hook is given. */
const large = 10_000;

/** Every length up to 512 and every count of words up to 64, by text that changes nothing. */
export function sizes(runner: Runner, base: Run): readonly Variant[] {
  const slot = touchedSlots(runner, base).find(
    ({ kind, path, value }) =>
      (kind === "text" || kind === "place") &&
      typeof value === "string" &&
      harmless(path, value, "x").length > 0,
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

/** Texts with the same effect, from the smallest change to the largest: the first only shifts what the hook looks at. */
type Family = readonly (readonly [text: string | undefined, added: string])[];

/** Text on both sides, so that neither end has what counts. */
function sides(path: string, value: string, numbers: readonly number[]): Family {
  const around = (fill: string): string | undefined => {
    const [behind] = harmless(path, value, fill);
    return behind === undefined ? undefined : harmless(path, behind, fill)[1];
  };
  return [
    ...[...max.sides, ...numbers.filter((one) => one > max.length && one <= max.largest)].map(
      (count) => [around("a".repeat(count)), `${count} characters more on both sides`] as const,
    ),
    ...max.sideWords.map(
      (count) => [around("a ".repeat(count).trim()), `${count} words more on both sides`] as const,
    ),
    ...max.sideLines.map((count) => {
      const lines = "\n".repeat(count);
      return [lines + value + lines, `${count} lines more on both sides`] as const;
    }),
  ];
}

/** Commands that change nothing, no two the same. */
const idle = ": true pwd date id whoami hostname uname tty arch nproc uptime groups env jobs dirs".split(" ");

/** Commands without effect on both sides, and subshells around. */
function commands(path: string, value: string): readonly Family[] {
  if (!isCommand(path)) return [];
  const family = (name: string, make: (count: number) => string): Family =>
    max.commands.map((count) => [make(count), `${count} ${name}`] as const);
  return [
    family("commands more on both sides", (n) => `${": ; ".repeat(n)}${value}${" ; :".repeat(n)}`),
    idle.map((_, at) => [`${idle.slice(0, at + 1).join("; ")}; ${value}`, `${at + 1} other commands before`]),
    family("subshells around", (n) => `${"( ".repeat(n)}${value}${" )".repeat(n)}`),
    family("substitutions around", (n) => `${": $( ".repeat(n)}${value}${" )".repeat(n)}`),
    ...(/[^|]\|[^|]/.test(value)
      ? [family("stages more", (n) => value.replace(/(?<!\|)\|(?!\|)/, () => `|${" cat |".repeat(n)}`))]
      : []),
  ];
}

/**
 * Padding that opens, unless the smallest does, or a word: they only shift what the hook looks at.
 *
 * @param numbers whole numbers of the code: sizes around them are tried.
 */
export async function sidesThatOpen(
  runner: Runner,
  base: Run,
  numbers: readonly number[],
): Promise<readonly AnswerChange[]> {
  const slot = touchedSlots(runner, base).find(({ kind, value }) => kind === "text" && value !== "");
  if (!slot) return [];
  const value = String(slot.value);
  const found: AnswerChange[] = [];
  // Where any word opens, so does padding.
  const [withWord] = harmless(slot.path, value, neutralWord);
  const word = withWord === undefined ? null : slot.set(withWord);
  const controlled = word && (await runner.run(word));
  if (controlled && opens(base.effect, controlled.effect)) return [];
  for (const family of [sides(slot.path, value, numbers), ...commands(slot.path, value)]) {
    const variants = family.flatMap(([text, added]): readonly Variant[] => {
      const input = text === undefined ? null : slot.set(text);
      const from = `${value.length} characters`;
      return input
        ? [{ slot, from, to: added, input: made(input, base, "padded on both sides"), word: "size" }]
        : [];
    });
    const isLarge = ({ input }: Variant): boolean => JSON.stringify(input.event).length > large;
    const { small = [], big = [] } = Object.groupBy(variants, (one) => (isLarge(one) ? "big" : "small"));
    const ordered = [...small, ...big];
    const runs = [...(await mapConcurrently(small, ({ input }) => runner.run(input), runner.signal))];
    // One by one: after a text that is too much for the hook, a larger one has nothing to add.
    for (const { input } of big) {
      if (runs.at(-1)?.outcome.ok !== true) break;
      runs.push(await runner.run(input));
    }
    const [control] = runs;
    if (!control || opens(base.effect, control.effect)) continue;
    const opened = runs.flatMap((after, at): AnswerChange[] => {
      const { from, to } = ordered[at] as Variant;
      if (!after || !opens(base.effect, after.effect)) return [];
      return [{ slot, from, to, before: base, after, opens: true, harmless: true, word: "size" }];
    });
    const fully = opened.find(({ after }) => opensFully(base.effect, after.effect));
    found.push(...(fully ? [fully] : opened.slice(0, 1)));
  }
  return found;
}
