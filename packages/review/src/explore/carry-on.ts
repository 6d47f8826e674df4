import type { Run, Runner } from "../run/runner.ts";
import { acts, opens } from "../run/effect.ts";
import type { AnswerChange } from "./answer-change.ts";

const max = { held: 2, others: 5, ofKind: 3 } as const;
/** A hook that gives in after so many repetitions has not been persuaded by one of them. */
const manyRepeats = 4;
/** How often an event is repeated, and how long it is until the next time, in milliseconds. */
const soon = { repeats: 60, interval: 1_000 } as const;
const later = { repeats: 8, interval: 45 * 86_400_000 } as const;
type Pace = typeof soon | typeof later;

const stops: ReadonlySet<string> = new Set(["deny", "ask", "block", "halt"]);

/**
 * Calls a hook again and again with what it keeps, and looks whether it comes to permit what it stops at first: by
 * repeating the very event, or an ordinary one, at once or over days. Every state here is one that an agent can cause.
 */
export async function carryOn(
  runner: Runner,
  held: readonly Run[],
  others: readonly Run[],
): Promise<readonly AnswerChange[]> {
  const found: AnswerChange[] = [];
  const stopped = held
    // Another try is asked for a few times and no more.
    .filter(({ input, effect: { verdict } }) => input.state === null && stops.has(verdict))
    .slice(0, max.held);
  for (const [at, base] of stopped.entries()) {
    const between = others.filter(({ event }) => at === 0 && event === base.event).slice(0, max.others);
    for (const repeated of [
      [base],
      ...between.map((one) => [one]),
      ...(between.length > 1 ? [between] : []),
    ]) {
      const quick = await firstOpening(runner, base, repeated, soon);
      if (quick && quick.repeats < manyRepeats) continue;
      const turn = quick ?? (await firstOpening(runner, base, repeated, later));
      if (turn)
        found.push({
          slot: { kind: "state", path: "state (carried on)" },
          from: "null",
          to: turn.after.input.state ?? "null",
          before: base,
          after: turn.after,
          opens: true,
          harmless: true,
        });
      if (found.length > 0) return found;
    }
  }
  return found;
}

/** After how many repetitions a hook permits an event, with what it has kept; `null` for never. */
async function firstOpening(
  runner: Runner,
  base: Run,
  repeated: readonly Run[],
  { repeats: most, interval }: Pace,
): Promise<{ readonly repeats: number; readonly after: Run } | null> {
  let state: string | null = null;
  const seen = new Set<string>();
  for (let repeats = 1; repeats <= most && !runner.signal.aborted; repeats++) {
    const time = (at: number): string =>
      new Date(Date.parse(base.input.event.time) + at * interval).toISOString();
    const { input } = repeated[repeats % repeated.length] as Run;
    const at = { ...input, state, event: { ...input.event, time: time(repeats) } };
    const run: Run | null = await runner.run({ ...at, origin: "made" });
    if (!run?.answer.ok) return null;
    state = run.answer.state ?? state;
    // What keeps nothing, or the same again, comes to nothing else.
    if (state === null || seen.has(state)) return null;
    seen.add(state);
    const what = repeated.map((one) => (one === base ? "the same" : one.input.label)).join(", ");
    const label = `${base.input.label}; after ${repeats} times ${what}`;
    const event = { ...base.input.event, time: time(repeats + 1) };
    const after = await runner.run({ ...base.input, state, event, origin: "made", label });
    if (after && opens(base.effect, after.effect)) return { repeats, after };
  }
  return null;
}

/**
 * Events that a hook lets go: what happens between those that it stops.
 *
 * @param words of the code: events with some of them come first.
 */
export function permitted(runs: readonly Run[], words: readonly string[]): readonly Run[] {
  const free = runs.filter(({ answer, effect, input }) => answer.ok && !acts(effect) && input.state === null);
  // What is kept after them is how they differ.
  const kinds = Map.groupBy(
    free,
    ({ event, answer }) => `${event} ${answer.ok ? shapeOf(answer.state) : ""}`,
  );
  return [...kinds.values()].flatMap((own) => {
    const count = new Map(own.map((run) => [run, words.filter((word) => run.args[0].includes(word)).length]));
    return own.toSorted((a, b) => (count.get(b) ?? 0) - (count.get(a) ?? 0)).slice(0, max.ofKind);
  });
}

/** What is kept, without its texts and numbers. */
function shapeOf(state: string | null): string {
  return JSON.stringify(JSON.parse(state ?? "null"), (_, value: unknown) =>
    typeof value === "string" || typeof value === "number" ? "#" : value,
  );
}
