import type { Call, Inspection, Outcome, Program } from "../contract.ts";
import type { Fault, FaultCode } from "../fault.ts";
import type { Limits } from "../limits.ts";

export type Answer = Outcome | Inspection;

/** Whoever has to know when a job is over. */
export interface JobOwner {
  settled(job: Job, answer: Answer): void;
}

/** One call or inspection on its way through the pool. It is answered exactly once. */
export class Job {
  readonly kind: "call" | "inspect";
  readonly program: Program;
  readonly tenant: string;
  readonly limits: Limits;
  /** `null` for an inspection. */
  readonly call: Call | null;
  /** Bytes of text that it carries, the program's source not counted. */
  readonly bytes: number;
  /** Time that the caller has left, in milliseconds. */
  readonly budgetMs: number;
  /** Since when it waits for a child, by `performance.now()`. */
  waitsSince = 0;
  /** How many children it has been sent to. */
  attempts = 0;
  readonly #owner: JobOwner;
  #resolve: ((answer: Answer) => void) | null;

  constructor(
    owner: JobOwner,
    program: Program,
    tenant: string,
    limits: Limits,
    call: Call | null,
    bytes: number,
    resolve: (answer: never) => void,
  ) {
    this.kind = call ? "call" : "inspect";
    this.program = program;
    this.tenant = tenant;
    this.limits = limits;
    this.call = call;
    this.bytes = bytes;
    this.budgetMs = call?.budgetMs ?? Infinity;
    this.#owner = owner;
    this.#resolve = resolve as (answer: Answer) => void;
  }

  /** Gives the answer to whoever waits for it; a second one is dropped. */
  settle(answer: Answer): void {
    const resolve = this.#resolve;
    if (!resolve) return;
    this.#resolve = null;
    this.#owner.settled(this, answer);
    resolve(answer);
  }

  /** Answers with a fault that the parent names. */
  fail(code: FaultCode, message: string, durationUs = 0): void {
    this.settle(
      this.call ? faultOutcome(code, message, durationUs) : { ok: false, fault: { code, message } },
    );
  }

  /** The same, where the process has ended by this very job. */
  failKilled(code: FaultCode, message: string, durationUs: number): void {
    if (!this.call) return this.fail(code, message, durationUs);
    this.settle({ ...faultOutcome(code, message, durationUs), killed: true });
  }

  /** The same, where it had to be ended while it loaded the program. */
  failLoading(fault: Fault, durationUs: number): void {
    if (!this.call) return this.fail(fault.code, fault.message, durationUs);
    this.settle({
      ...faultOutcome(fault.code, fault.message, durationUs),
      killed: true,
      loadTimedOut: true,
    });
  }
}

/** A call that ended with a fault that the parent names. */
export function faultOutcome(code: FaultCode, message: string, durationUs = 0): Outcome & { ok: false } {
  return { ok: false, fault: { code, message }, steps: null, durationUs, memoryBytes: 0, logs: [] };
}
