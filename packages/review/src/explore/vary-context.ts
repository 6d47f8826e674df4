import { acts, effectWords, opens } from "../run/effect.ts";
import type { Input } from "../run/input.ts";
import { mapConcurrently, type Run, type Runner } from "../run/runner.ts";
import type { AnswerChange } from "./answer-change.ts";
import { type Slot, slotsOf } from "./slots.ts";
import { timeSweep } from "./times.ts";

/** Decisions under other ids, and how often the same event comes in a row. */
const max = { chances: 120, repeats: 60, bases: 3 } as const;

/** What the runs so far have shown a hook to look at. */
export interface ContextReads {
  readonly time: boolean;
  readonly chance: boolean;
  readonly state: boolean;
}

/** Decides held events at other times, under other chances and after other events, and sees whether they are let go. */
export async function varyContext(
  runner: Runner,
  held: readonly Run[],
  sequence: readonly Input[],
  reads: ContextReads,
): Promise<readonly AnswerChange[]> {
  const turns: AnswerChange[] = [];
  for (const base of held.slice(0, max.bases)) {
    const slots = slotsOf(base.input, runner.seen);
    const slot = (kind: Slot["kind"]): Slot => slots.find((one) => one.kind === kind) as Slot;
    if (reads.time)
      turns.push(...(await compare(runner, base, slot("time"), timeSweep(base.input.event.time))));
    if (reads.chance) {
      const ids = Array.from({ length: max.chances }, (_, index) => `chance-${index}`);
      turns.push(...(await compare(runner, base, slot("chance"), ids)));
    }
    // What is held with a state may be held for it: only what is held with none must stay so.
    if (reads.state && base.input.state === null) turns.push(...(await repeat(runner, base)));
  }
  const fresh = held.filter(({ input }) => input.state === null);
  if (reads.state) turns.push(...(await afterOthers(runner, fresh, sequence)));
  return turns;
}

async function compare(
  runner: Runner,
  base: Run,
  slot: Slot,
  values: readonly string[],
): Promise<readonly AnswerChange[]> {
  const inputs = values.flatMap((value) => {
    const input = slot.set(value);
    return input
      ? [
          {
            value,
            input: {
              ...input,
              origin: "made" as const,
              label: `${base.input.label}; at another ${slot.kind}`,
            },
          },
        ]
      : [];
  });
  const runs = await mapConcurrently(inputs, ({ input }) => runner.run(input), runner.signal);
  const turns = runs.flatMap((after, index) => {
    if (!after || effectWords(after.effect) === effectWords(base.effect)) return [];
    return [turnOf(slot, { from: String(slot.value), to: inputs[index]?.value ?? "", before: base, after })];
  });
  return turns.toSorted((a, b) => Number(b.opens) - Number(a.opens)).slice(0, 6);
}

/** The same event again and again, with the state that it leaves. */
async function repeat(runner: Runner, base: Run): Promise<readonly AnswerChange[]> {
  let state = base.answer.ok ? base.answer.state : null;
  for (let turn = 1; turn < max.repeats && state !== null; turn++) {
    const after = await runner.run({
      ...base.input,
      state,
      label: `${base.input.label}; the same ${turn} times before`,
    });
    if (!after) return [];
    if (opens(base.effect, after.effect))
      return [turnOf(kept, { from: "null", to: state, before: base, after })];
    if (after.answer.ok && after.answer.state !== null) state = after.answer.state;
  }
  return [];
}

/** Held events with the state that a session of other events leaves. */
async function afterOthers(
  runner: Runner,
  held: readonly Run[],
  sequence: readonly Input[],
): Promise<readonly AnswerChange[]> {
  const turns: AnswerChange[] = [];
  const states = new Set<string>();
  let state: string | null = null;
  for (const input of sequence) {
    if (runner.signal.aborted) break;
    const run: Run | null = await runner.run({ ...input, state });
    if (!run?.answer.ok || run.answer.state === null || run.answer.state === state) continue;
    state = run.answer.state;
    if (states.size < 400) states.add(state);
  }
  const list = [...states];
  const some = list
    .filter((_, index) => index % Math.max(1, Math.floor(list.length / 12)) === 0)
    .slice(0, 14);
  for (const base of held.slice(0, max.bases)) {
    if (!acts(base.effect)) continue;
    for (const one of some) {
      const after = await runner.run({
        ...base.input,
        state: one,
        label: `${base.input.label}; after a session of other events`,
      });
      if (after && opens(base.effect, after.effect)) {
        turns.push(turnOf(kept, { from: "null", to: one, before: base, after }));
        break;
      }
    }
  }
  return turns;
}

/** The slot that all of a hook's state is. */
const kept = { kind: "state", path: "state" } as const;

function turnOf(
  { kind, path }: Pick<Slot, "kind" | "path">,
  change: Pick<AnswerChange, "from" | "to" | "before" | "after">,
): AnswerChange {
  const opened = opens(change.before.effect, change.after.effect);
  return { slot: { kind, path }, ...change, opens: opened, harmless: true };
}
