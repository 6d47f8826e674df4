import { type Fault, type FaultCode, faultTable } from "@hookwarden/sandbox";
import { placeText } from "../errors/index.ts";
import type { TraceFault, Verdict } from "./decision.ts";
import type { Binding } from "./plan.ts";

export function makeFault(code: FaultCode, message: string): Fault {
  return { code, message };
}

/** The failure policy, the same for every code: a hook that fails closed stops the step, or asks in degraded mode. `null` if it fails open; the trace has the fault either way. */
export function failClosed(binding: Binding, fault: Fault): { verdict: Verdict; reason: string } | null {
  const { hook, failClosedVerdict: verdict, degraded } = binding;
  if (verdict === null) return null;
  const cause = `${faultTable[fault.code].title} (${fault.code})`;
  const how = degraded === null ? `and fails closed: ${cause}` : `${cause}; ${degraded}`;
  return { verdict, reason: `hook \`${hook.name}\` failed, ${how}` };
}

/** ` at file:line:column`, to follow a fault's message; empty where no place is known. */
export function locationSuffix({ at }: TraceFault): string {
  return at ? ` at ${placeText(at)}` : "";
}
