import type { Call, CallGroup, Outcome } from "../contract.ts";

/** Number of groups that a child remembers. The calls of one group come together, so that more are not needed. */
const maxGroups = 64;

interface Group {
  readonly options: CallGroup;
  /** When its first call began, by `performance.now()`; 0 before that. */
  beganAt: number;
  ended: boolean;
}

/** The groups of calls in a child: which have ended, and how much of their time is left. */
export class CallGroups {
  readonly #groups = new Map<number, Group>();

  add(group: number, options: CallGroup): void {
    this.#groups.set(group, { options, beganAt: 0, ended: false });
    const oldest = this.#groups.keys().next().value;
    if (this.#groups.size > maxGroups && oldest !== undefined) this.#groups.delete(oldest);
  }

  /** The call with the time that is left of its group's budget; `null` if its group has ended. */
  next(number: number | null, call: Call): Call | null {
    const group = number === null ? undefined : this.#groups.get(number);
    if (group === undefined) return call;
    if (group.ended) return null;
    if (call.budgetMs === undefined) return call;
    const now = performance.now();
    if (group.beganAt === 0) {
      group.beganAt = now;
      return call;
    }
    return { ...call, budgetMs: Math.max(1, call.budgetMs - (now - group.beganAt)) };
  }

  /** Ends a group whose other calls are not needed after this outcome. */
  answered(number: number | null, outcome: Outcome): void {
    const group = number === null ? undefined : this.#groups.get(number);
    if (group && endsGroup(group.options, outcome)) group.ended = true;
  }
}

function endsGroup({ endings }: CallGroup, outcome: Outcome): boolean {
  if (!outcome.ok) return true;
  const { output } = outcome;
  return output !== null && endings.some((text) => output.includes(text));
}
