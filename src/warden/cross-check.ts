import type { Call, EngineName, Inspection, Limits, Outcome, Program, Sandbox } from "@hookwarden/sandbox";

/** Two engines gave different answers to the same call. */
export interface Divergence {
  /** Name of the program. */
  readonly hook: string;
  readonly hook_event_name: string;
  readonly tenant: string;
  /** Each engine's answer as JSON text (`null` where there was none), as it came: not safe to show. Or its fault's code. */
  readonly outcomes: readonly [EngineOutcome, EngineOutcome];
}

export interface EngineOutcome {
  readonly engine: EngineName;
  readonly output: string | null;
  readonly fault: string | null;
}

/** Most second calls under way at once; above that, calls go unchecked: checking must not slow down what it checks. */
const maxPending = 64;

/**
 * A sandbox that also runs a share of its calls on a second one, and reports differing answers. The answer is
 * always that of the first; the outcome of the second has no effect on it.
 */
export class CrossCheckedSandbox implements Sandbox {
  readonly engine: EngineName;
  readonly version: string;
  readonly #first: Sandbox;
  readonly #second: Sandbox;
  readonly #rate: number;
  readonly #report: (divergence: Divergence) => void;
  readonly #pending = new Set<Promise<void>>();

  /** @param rate share of calls, 0 to 1. Calls are chosen by their seed: the same ones on every machine. */
  constructor(first: Sandbox, second: Sandbox, rate: number, report: (divergence: Divergence) => void) {
    this.engine = first.engine;
    this.version = first.version;
    this.#first = first;
    this.#second = second;
    this.#rate = rate;
    this.#report = report;
  }

  get groupsCalls(): boolean {
    return this.#first.groupsCalls === true;
  }

  call(call: Call): Outcome | Promise<Outcome> {
    const outcome = this.#first.call(call);
    if (call.seed[0] / 2 ** 32 < this.#rate && this.#pending.size < maxPending) {
      const check = this.#compare(call, outcome).finally(() => this.#pending.delete(check));
      this.#pending.add(check);
    }
    return outcome;
  }

  inspect(program: Program, limits: Limits, tenant: string): Promise<Inspection> {
    return this.#first.inspect(program, limits, tenant);
  }

  forget(programKey: string): void {
    this.#first.forget(programKey);
    this.#second.forget(programKey);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#first[Symbol.asyncDispose](), this.#second[Symbol.asyncDispose]()]);
    await Promise.all(this.#pending);
  }

  /** Waits until every second call that is under way has been compared. */
  async settled(): Promise<void> {
    await Promise.all(this.#pending);
  }

  async #compare(call: Call, first: Outcome | Promise<Outcome>): Promise<void> {
    try {
      const [one, other] = await Promise.all([first, this.#second.call(call)]);
      if (isSkipped(one) || isSkipped(other) || agree(one, other)) return;
      this.#report({
        hook: call.program.name,
        hook_event_name: call.handler,
        tenant: call.tenant,
        outcomes: [describe(this.#first, one), describe(this.#second, other)],
      });
    } catch {
      // The call itself reports a sandbox that rejects; here it only means that nothing was compared.
    }
  }
}

/** Such a call has no answer to compare; if it is needed, it is made again. */
function isSkipped(outcome: Outcome): boolean {
  return !outcome.ok && outcome.skipped === true;
}

/** Answers agree when their texts do; failures agree, since engines may name the same failure differently. */
function agree(one: Outcome, other: Outcome): boolean {
  if (!one.ok || !other.ok) return one.ok === other.ok;
  return one.output === other.output;
}

function describe({ engine }: Sandbox, outcome: Outcome): EngineOutcome {
  return outcome.ok
    ? { engine, output: outcome.output, fault: null }
    : { engine, output: null, fault: outcome.fault.code };
}
