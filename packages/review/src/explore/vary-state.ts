import { effectWords, opens } from "../run/effect.ts";
import { mapConcurrently, type Run, type Runner } from "../run/runner.ts";
import type { AnswerChange } from "./answer-change.ts";
import { neutralWord, slotsOf } from "./slots.ts";

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

const max = { bases: 3, states: 24, values: 40, lists: [1, 5, 30, 300] } as const;
const day = 86_400_000;
/** Where counters of one and of two bytes end: calls do not count further. */
const ends = [7, 8, 15, 16].flatMap((bits) => [2 ** bits - 1, 2 ** bits]);

/**
 * Decides events that are held without state with states that the hook could have: those that it was seen to keep, with
 * other numbers, flags and texts in them, and at later times.
 *
 * @param own whole numbers of the code, and its words: names of states are among them.
 */
export async function varyState(
  runner: Runner,
  held: readonly Run[],
  seen: readonly string[],
  own: OwnValues,
): Promise<readonly AnswerChange[]> {
  const shapes = new Map(seen.map((text) => [text.replaceAll(/\d+/g, "#"), text]));
  const states = [...shapes.values()]
    .slice(0, max.states)
    .flatMap((text) => variants(JSON.parse(text) as Json, own));
  const turns: AnswerChange[] = [];
  for (const base of held.filter(({ input }) => input.state === null).slice(0, max.bases)) {
    const inputs = states.flatMap(({ value, kind }) =>
      [0, 10 * day, 800 * day].map((later) => ({
        kind,
        input: {
          ...base.input,
          state: JSON.stringify(value),
          event: {
            ...base.input.event,
            time: new Date(Date.parse(base.input.event.time) + later).toISOString(),
          },
          origin: "made" as const,
          label: `${base.input.label}; with another state`,
        },
      })),
    );
    const runs = await mapConcurrently(inputs, ({ input }) => runner.run(input), runner.signal);
    for (const [at, after] of runs.entries()) {
      const { kind, input } = inputs[at] as (typeof inputs)[number];
      if (
        !after ||
        effectWords(after.effect) === effectWords(base.effect) ||
        !opens(base.effect, after.effect)
      )
        continue;
      turns.push({
        slot: { kind: "state", path: `state (${kind})` },
        from: "null",
        to: input.state,
        before: base,
        after,
        opens: true,
        harmless: true,
      });
    }
  }
  turns.push(...(await overflowing(runner, held)));
  // What any word opens is no state that the hook was ever in.
  const unknown = turns.some(({ slot, to }) => slot.path === "state (text)" && to.includes(neutralWord));
  // A count or a time that opens says more than a flag: nothing but waiting is needed.
  return turns
    .filter(({ slot }) => !unknown || slot.path !== "state (text)")
    .toSorted((a, b) => Number(b.slot.path.includes("number")) - Number(a.slot.path.includes("number")))
    .slice(0, 6);
}

/** Counts that let an event go where one more holds it: those at which a counter starts again. */
async function overflowing(runner: Runner, held: readonly Run[]): Promise<readonly AnswerChange[]> {
  const found: AnswerChange[] = [];
  for (const before of held.filter(({ input }) => input.state !== null).slice(0, max.bases))
    for (const slot of slotsOf(before.input, runner.seen)) {
      const { value } = slot;
      if (slot.kind !== "state" || typeof value !== "number") continue;
      const counts = [value + 1, ...ends.filter((end) => end > value + 1)];
      if (counts.length === 1) continue;
      const [next, ...runs] = await mapConcurrently(
        counts.flatMap((count) => slot.set(count) ?? []),
        (input) => runner.run({ ...input, origin: "made" }),
        runner.signal,
      );
      // A number that any other one turns is no count, but the name of something, such as a day.
      if (!next || opens(before.effect, next.effect)) continue;
      const at = runs.findIndex((run) => run !== null && opens(before.effect, run.effect));
      const after = runs[at];
      if (after)
        found.push({
          slot: { kind: "state", path: "state (number)" },
          from: String(value),
          to: String(counts[at + 1]),
          before,
          after,
          opens: true,
          harmless: true,
        });
    }
  return found;
}

export interface OwnValues {
  readonly numbers: readonly number[];
  readonly words: readonly string[];
}

interface StateVariant {
  readonly value: Json;
  readonly kind: "as kept" | "number" | "flag" | "text" | "list";
}

function variants(state: Json, { numbers, words }: OwnValues): readonly StateVariant[] {
  const found: StateVariant[] = [{ value: state, kind: "as kept" }];
  const values = [
    0,
    1,
    2,
    3,
    5,
    10,
    50,
    100,
    255,
    511,
    512,
    999,
    1_000,
    10_000,
    ...numbers.flatMap((one) => [one - 1, one, one + 1]),
  ];
  const walk = (value: Json, set: (next: Json) => Json): void => {
    if (typeof value === "number") {
      for (const one of [...new Set(values)].slice(0, max.values))
        found.push({ value: set(one), kind: "number" });
      found.push({ value: set(value - 30 * day), kind: "number" });
    } else if (typeof value === "boolean") found.push({ value: set(!value), kind: "flag" });
    else if (typeof value === "string")
      for (const one of [neutralWord, ...words.slice(0, max.values)])
        found.push({ value: set(one), kind: "text" });
    else if (isList(value)) {
      const own = words.slice(0, max.values);
      const [first = own[0] ?? 0] = value;
      found.push({ value: set(own), kind: "list" });
      // A list of words says what was done; one of numbers counts, or waits.
      const kind = typeof first === "number" ? "number" : "list";
      for (const count of max.lists)
        found.push({ value: set(Array.from({ length: count }, (_, at) => numbered(first, at))), kind });
    } else if (typeof value === "object" && value !== null)
      for (const [name, member] of Object.entries(value))
        walk(member as Json, (next) => set({ ...value, [name]: next }));
  };
  walk(state, (next) => next);
  return found;
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

/** Another one of the same kind, as the next entry of a list. */
function numbered(value: Json, at: number): Json {
  if (typeof value === "number") return value + at;
  return typeof value === "string" ? `${value}${at}` : value;
}
