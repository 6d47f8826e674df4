import type { Outcome } from "../contract.ts";

/** How V8 words a write that a frozen object refuses, and the realm's own setters do. */
const refusedWrite =
  /^TypeError: (?:Cannot (?:assign to read only|add|redefine|define|delete) property |#<[^>]*> is not extensible|Cannot set property .* which has only a getter|'(?:set|define|delete)[^']*' on proxy|object is not extensible|cannot assign to read only property)/i;

const hint = '; to change built-in objects, a program needs the sandbox option `realm: "fresh"`';

/** The fault of a program that wrote to a frozen object names the option for programs that change built-in objects. */
export function withRealmHint(outcome: Outcome): Outcome {
  if (outcome.ok || (outcome.fault.code !== "threw" && outcome.fault.code !== "load-failed")) return outcome;
  const { fault } = outcome;
  return refusedWrite.test(fault.message)
    ? { ...outcome, fault: { ...fault, message: fault.message + hint } }
    : outcome;
}
