import { type Fault, type FaultCode, faultTable } from "@hookwarden/sandbox";
import { placeText } from "../errors/index.ts";
import type { TraceFault, Verdict } from "./decision.ts";
import type { Binding } from "./plan.ts";

/** The verdict of a faulted hook that fails closed. */
export interface FailClosedVerdict {
  readonly verdict: Verdict;
  /** Written by the host; contains no text from the hook. */
  readonly reason: string;
}

export function makeFault(code: FaultCode, message: string): Fault {
  return { code, message };
}

/** The failure policy, the same for every code: a hook that fails closed stops the step. `null` if it fails open; the trace has the fault either way. */
export function failClosed(binding: Binding, fault: Fault): FailClosedVerdict | null {
  if (binding.failClosedVerdict === null) return null;
  return {
    verdict: binding.failClosedVerdict,
    reason: `hook \`${binding.hook.name}\` failed, and fails closed: ${faultTable[fault.code].title} (${fault.code})`,
  };
}

/** ` at file:line:column`, to follow a fault's message; empty where no place is known. */
export function locationSuffix({ at }: TraceFault): string {
  return at ? ` at ${placeText(at)}` : "";
}
