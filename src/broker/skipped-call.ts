import type { Fault, FaultCode } from "@hookwarden/sandbox";
import { makeFault } from "./failure.ts";
import type { Binding } from "./plan.ts";

/** Why a hook was not called. */
export interface SkippedCall {
  readonly ok: null;
  /** `null` if skipping the hook is not a fault. */
  readonly fault: Fault | null;
  readonly note: string;
}

/** Skips a hook because the budget is exhausted: a fault for guards, a note for others. */
export function skipForBudget(binding: Binding, why: string): SkippedCall {
  return binding.guard ? skipWithFault("budget-exceeded", why) : { ok: null, fault: null, note: why };
}

export function skipWithFault(code: FaultCode, why: string): SkippedCall {
  return { ok: null, fault: makeFault(code, why), note: why };
}
