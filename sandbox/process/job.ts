import type { Call, Inspection, Outcome, Program } from "../contract.ts";
import type { FaultCode } from "../fault.ts";
import type { Limits } from "../limits.ts";

/** One call or inspection on its way through the pool. It is answered exactly once. */
export interface Job {
  readonly kind: "call" | "inspect";
  readonly program: Program;
  readonly tenant: string;
  readonly limits: Limits;
  /** `null` for an inspection. */
  readonly call: Call | null;
  /** Bytes of text that it carries, the program's source not counted. */
  readonly bytes: number;
  /** Number in the child that it has been sent to last. */
  id: number;
  /** How often it has been sent to a child. */
  attempts: number;
  resolve(answer: Outcome | Inspection): void;
}

/** A call that ended with a fault that the parent names. */
export function faultOutcome(code: FaultCode, message: string, durationUs = 0): Outcome {
  return { ok: false, fault: { code, message }, steps: null, durationUs, memoryBytes: 0, logs: [] };
}

/** Answers a job with a fault that the parent names. */
export function failJob(job: Job, code: FaultCode, message: string, durationUs = 0): void {
  job.resolve(
    job.kind === "call" ? faultOutcome(code, message, durationUs) : { ok: false, fault: { code, message } },
  );
}
