import type { Answer, Verdict, Binding } from "hookwarden/broker";
import { actionRows } from "hookwarden/catalogue";
import { isLoosened } from "@hookwarden/testing/diff";

/** What an answer does to the step, as far as a guard is judged by it. */
export interface Effect {
  /** What the fault became, where there was one. */
  readonly verdict: Verdict;
  /** Rewritten fields, each with its new value as JSON text. */
  readonly changes: ReadonlyMap<string, string>;
  /** Kinds of additions that people or the model see. */
  readonly additions: ReadonlySet<string>;
}

/** @param event a rewrite to the value that it already has does not count. */
export function effectOf(
  binding: Binding,
  answer: Answer,
  event: { readonly [field: string]: unknown },
): Effect {
  if (!answer.ok)
    return { verdict: binding.failClosedVerdict ?? "continue", changes: new Map(), additions: new Set() };
  const changes = new Map<string, string>();
  for (const action of answer.changes) {
    for (const [payload, field] of Object.entries(actionRows.get(action.action)?.rewrites ?? {})) {
      if (action[payload] === undefined) continue;
      const value = JSON.stringify(action[payload]);
      if (value !== JSON.stringify(event[field])) changes.set(field, value);
    }
  }
  return {
    verdict: (answer.verdict?.action ?? "continue") as Verdict,
    changes,
    additions: new Set(answer.additions.map(({ action }) => action)),
  };
}

const stops: ReadonlySet<string> = new Set(
  [...actionRows].filter(([, row]) => row.stops).map(([name]) => name),
);

/**
 * Whether the second effect holds an agent back less: a weaker verdict, a rewrite that is not made, or a warning that is
 * not given, where nothing stops the step instead.
 */
export function opens(before: Effect, after: Effect): boolean {
  if (isLoosened(before.verdict, after.verdict)) return true;
  if (stops.has(after.verdict) || isLoosened(after.verdict, before.verdict)) return false;
  for (const field of before.changes.keys()) if (!after.changes.has(field)) return true;
  for (const kind of before.additions) if (!after.additions.has(kind)) return true;
  return false;
}

/** Whether an effect holds, rewrites or warns at all. */
export function acts({ verdict, changes, additions }: Effect): boolean {
  return isLoosened(verdict, "continue") || changes.size > 0 || additions.size > 0;
}

/** An effect in a few words, for lists. */
export function effectWords({ verdict, changes, additions }: Effect): string {
  const more = [...[...changes.keys()].map((field) => `rewrites ${field}`), ...additions];
  if (more.length === 0) return verdict;
  return verdict === "continue" ? more.join(", ") : `${verdict}, ${more.join(", ")}`;
}

/** Whether a loosening leaves nothing in the way: a question to a person, or another try, is still a gate. */
export function opensFully(before: Effect, after: Effect): boolean {
  return opens(before, after) && (!isLoosened(after.verdict, "continue") || before.verdict === "continue");
}
