import type { Call, Inspection, Outcome, Program } from "../contract.ts";
import type { Fault, FaultCode } from "../fault.ts";
import type { Limits } from "../limits.ts";
import type { Flow } from "../resilience/fair-queue.ts";

export type Answer = Outcome | Inspection;

/** Is notified when a job is over. */
export interface JobOwner {
  settled(job: Job, answer: Answer): void;
}

/** What a job is made of. */
export interface JobInit {
  readonly program: Program;
  readonly tenant: string;
  readonly limits: Limits;
  /** `null` for an inspection. */
  readonly call: Call | null;
  /** Size of its arguments in bytes; the program's source does not count. */
  readonly bytes: number;
  readonly resolve: (answer: never) => void;
}

/** One call or inspection on its way through the pool. Settles exactly once. */
export class Job {
  readonly kind: "call" | "inspect";
  readonly program: Program;
  readonly tenant: string;
  readonly limits: Limits;
  readonly call: Call | null;
  readonly bytes: number;
  /** The caller's remaining time, in milliseconds. */
  readonly budgetMs: number;
  /** When it was submitted, by `performance.now()`. Its time in the queue counts from here, however often it returns there. */
  readonly submittedAt = performance.now();
  /** Its place in the fair queue. */
  flow: Flow<Job> | null = null;
  /** Number of children that it has been sent to. */
  attempts = 0;
  readonly #owner: JobOwner;
  #resolve: ((answer: Answer) => void) | null;

  constructor(owner: JobOwner, { program, tenant, limits, call, bytes, resolve }: JobInit) {
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

  get isSettled(): boolean {
    return this.#resolve === null;
  }

  /** Resolves the call; later answers are ignored. */
  settle(answer: Answer): void {
    const resolve = this.#resolve;
    if (!resolve) return;
    this.#resolve = null;
    this.#owner.settled(this, answer);
    resolve(answer);
  }

  /** Settles with a fault that the parent detected. */
  fail(code: FaultCode, message: string, durationUs = 0): void {
    this.settle(
      this.call ? faultOutcome(code, message, durationUs) : { ok: false, fault: { code, message } },
    );
  }

  /** The same, if the job ended its process. */
  failKilled({ code, message }: Fault, durationUs: number): void {
    if (!this.call) return this.fail(code, message, durationUs);
    this.settle({ ...faultOutcome(code, message, durationUs), killed: true });
  }

  /** The same, if the process had to be killed while it loaded the program. */
  failLoading({ code, message }: Fault, durationUs: number): void {
    if (!this.call) return this.fail(code, message, durationUs);
    this.settle({ ...faultOutcome(code, message, durationUs), killed: true, loadTimedOut: true });
  }
}

/** The outcome of a call that ended with a fault that the parent detected. */
export function faultOutcome(code: FaultCode, message: string, durationUs = 0): Outcome & { ok: false } {
  return { ok: false, fault: { code, message }, steps: null, durationUs, memoryBytes: 0, logs: [] };
}
