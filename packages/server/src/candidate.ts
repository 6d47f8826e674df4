import { actionRows } from "hookwarden/catalogue";
import type { Decision, Verdict, EventInput, PlanRules } from "hookwarden/broker";
import type { LoadedPack } from "hookwarden/pack";
import { MemoryStateStore } from "hookwarden/state";
import { createWarden, type Warden } from "hookwarden/warden";
import type { Turn } from "./tenancy/turn.ts";
import type { TenantSandbox } from "./tenant-sandbox.ts";

/** What a candidate would have decided, beside what was decided. */
export interface CandidateReport {
  readonly revision: number;
  readonly percent: number;
  /** Events that it has seen, and those that it was to see and had no time for. */
  readonly sampled: number;
  readonly skipped: number;
  readonly same: number;
  /** It would have stopped or asked where the active pack let go on, and the other way round. */
  readonly stricter: number;
  readonly looser: number;
  /** Another verdict that is neither, other changes or other additions. */
  readonly changed: number;
  readonly faults: number;
}

/** What a candidate runs in: its tenant's sandboxes, within its tenant's limits. */
export interface CandidateParts {
  readonly sandbox: TenantSandbox;
  /** Most state of its hooks, in bytes. */
  readonly stateBytes: number;
  /** @throws {Problem} where the tenant may not run anything now */
  readonly takeTurn: () => Turn | Promise<Turn>;
}

/** Events that it may be busy with at the same time. */
const most = 4;

/**
 * A pack on trial: it sees a share of the events behind the active pack, and decides nothing. What its hooks set as
 * state is kept apart, and gone with it.
 */
export class Candidate implements AsyncDisposable {
  readonly revision: number;
  percent: number;
  readonly pack: LoadedPack;
  readonly #warden: Warden;
  readonly #takeTurn: CandidateParts["takeTurn"];
  readonly #counts = { sampled: 0, skipped: 0, same: 0, stricter: 0, looser: 0, changed: 0, faults: 0 };
  #busy = 0;

  private constructor(
    { revision, percent }: { readonly revision: number; readonly percent: number },
    warden: Warden,
    takeTurn: CandidateParts["takeTurn"],
  ) {
    this.revision = revision;
    this.percent = percent;
    this.#warden = warden;
    this.#takeTurn = takeTurn;
    this.pack = warden.pack;
  }

  static async create(
    step: { readonly revision: number; readonly percent: number },
    pack: LoadedPack,
    { sandbox, stateBytes, takeTurn }: CandidateParts,
  ): Promise<Candidate> {
    const store = new MemoryStateStore({ maxBytesPerTenant: stateBytes });
    return new Candidate(step, await createWarden({ pack, sandbox, store }), takeTurn);
  }

  /** Lets it see an event that was decided, if it is one of its share. */
  see(input: EventInput, decision: Decision, rules: PlanRules | undefined): void {
    if (Math.random() * 100 >= this.percent) return;
    if (this.#busy >= most) {
      this.#counts.skipped++;
      return;
    }
    this.#busy++;
    // Behind the answer: who waits for a decision does not wait for a trial.
    setImmediate(() => void this.#try(input, decision, rules));
  }

  get report(): CandidateReport {
    return { revision: this.revision, percent: this.percent, ...this.#counts };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#warden[Symbol.asyncDispose]();
  }

  async #try(input: EventInput, decision: Decision, rules: PlanRules | undefined): Promise<void> {
    try {
      const taken = this.#takeTurn();
      const turn = taken instanceof Promise ? await taken : taken;
      const begun = performance.now();
      try {
        const { decision_id: decisionId, tenant } = decision;
        const options = { decisionId, tenant, sandbox: turn.sandbox, ...(rules ? { rules } : {}) };
        this.#count(decision, await this.#warden.dispatch(input, options));
      } finally {
        turn.leave((performance.now() - begun) * 1_000);
      }
    } catch {
      this.#counts.skipped++;
    } finally {
      this.#busy--;
    }
  }

  #count(decision: Decision, own: Decision): void {
    const counts = this.#counts;
    counts.sampled++;
    if (own.trace.some(({ fault }) => fault !== null)) counts.faults++;
    const [before, after] = [holds(decision.verdict), holds(own.verdict)];
    if (before !== after) counts[after ? "stricter" : "looser"]++;
    else if (sameWord(decision, own)) counts.same++;
    else counts.changed++;
  }
}

/** Whether a verdict keeps the agent from going on as it would. */
function holds(verdict: Verdict): boolean {
  return verdict === "ask" || actionRows.get(verdict)?.stops === true;
}

function sameWord(one: Decision, other: Decision): boolean {
  const word = ({ verdict, changes, additions }: Decision): string =>
    JSON.stringify([verdict, changes, additions]);
  return word(one) === word(other);
}
