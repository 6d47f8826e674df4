import { type Answer, refusals } from "./answer.ts";
import type { Composition } from "./compose.ts";
import type { Refusal } from "./decision.ts";
import type { BrokerEvent } from "./event.ts";
import type { Binding } from "./plan.ts";
import { isBounded, type RetryCounters, type RetryKey, retryLimit } from "./retry-limit.ts";

/** The bounded verdicts of one decision, which are counted for the session. */
export class RetryVerdicts {
  /** For hooks whose verdicts are counted: the bounded verdict returned, `null` for another, `false` for one refused. */
  readonly #verdicts = new Map<Binding, string | null | false>();
  readonly #counters: Pick<RetryCounters, "count" | "add" | "reset">;
  readonly #of: RetryScope;

  constructor(counters: Pick<RetryCounters, "count" | "add" | "reset">, of: RetryScope) {
    this.#counters = counters;
    this.#of = of;
  }

  /** The counts that this decision was made with, by hook; zeros are left out. */
  before(bindings: readonly Binding[]): { [hook: string]: number } {
    const counts: { [hook: string]: number } = {};
    for (const binding of bindings) {
      const count = binding.bounded ? this.#counters.count(retryKeyOf(this.#of, binding)) : 0;
      if (count > 0) counts[binding.hook.name] = count;
    }
    return counts;
  }

  /** Notes the verdict of an answer; a bounded one beyond the limit is refused. */
  refusalOf(binding: Binding, { verdict }: Answer & { ok: true }): Refusal | null {
    if (!binding.bounded) return null;
    if (!verdict || !isBounded(binding.event, verdict.action)) {
      this.#verdicts.set(binding, null);
      return null;
    }
    if (this.#counters.count(retryKeyOf(this.#of, binding)) < retryLimit) {
      this.#verdicts.set(binding, verdict.action);
      return null;
    }
    this.#verdicts.set(binding, false);
    const message = `the hook has returned \`${verdict.action}\` ${retryLimit} times in a row in this session`;
    return refusals([verdict], 0, "retry-limit", message)[0] as Refusal;
  }

  /** Counts the bounded verdicts that took effect, and resets the count of hooks that returned another one. */
  count(composition: Composition): void {
    if (this.#verdicts.size === 0) return;
    const outcome = composition.outcome();
    for (const [binding, verdict] of this.#verdicts) {
      if (verdict === null) this.#counters.reset(retryKeyOf(this.#of, binding));
      else if (verdict !== false && outcome?.verdict === verdict && tookEffect(composition, binding, verdict))
        this.#counters.add(retryKeyOf(this.#of, binding));
    }
  }
}

/** What bounded verdicts are counted for. */
interface RetryScope {
  readonly tenant: string;
  readonly event: BrokerEvent;
}

/** The key under which this hook's bounded verdicts at this event are counted. */
export function retryKeyOf({ tenant, event }: RetryScope, binding: Binding): RetryKey {
  return { tenant, session: event.session_id, event: binding.event, hook: binding.hook.name };
}

/** Whether a verdict of a hook is among those that made the decision. */
function tookEffect({ stop, verdicts }: Composition, binding: Binding, verdict: string): boolean {
  return stop ? stop.hook === binding.hook.name : verdicts[binding.place]?.verdict === verdict;
}
