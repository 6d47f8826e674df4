import type { Fault, Outcome } from "@hookwarden/sandbox";
import { conditionText } from "../facts/index.ts";
import { type LoadedHook } from "../pack/index.ts";
import { sourcePlace } from "../compile/index.ts";
import type { Action, Refusal, TraceEntry, TraceOutcome } from "./decision.ts";
import type { Binding } from "./plan.ts";
import { sanitizeText } from "../text/index.ts";

/** An entry while the decision is being made. */
export type OpenEntry = { -readonly [Key in keyof TraceEntry]: TraceEntry[Key] };

/** A fault, with the actions that were refused because of it. */
export interface Failure {
  readonly fault: Fault;
  readonly refused: readonly Refusal[];
}

/** Longest message of a fault, in UTF-16 code units. */
const maxFaultMessage = 2_000;

const none: readonly never[] = Object.freeze([]);

/** The entry of a hook that did not run. */
export function idleEntry(
  hook: string,
  outcome: "not-matched" | "not-run",
  note?: string,
  recheck = false,
): TraceEntry {
  return {
    hook,
    outcome,
    actions: none,
    refused: none,
    fault: null,
    recheck,
    steps: 0,
    duration_us: 0,
    memory_bytes: 0,
    logs: none,
    ...(note === undefined ? {} : { note }),
  };
}

const unmatched = new WeakMap<Binding, TraceEntry>();

/** The entry of a hook whose matchers or conditions do not match; shared, because it never varies. */
export function unmatchedEntry(binding: Binding): TraceEntry {
  let entry = unmatched.get(binding);
  if (!entry) {
    const conditions = binding.routes?.flatMap(({ when }) => (when ? conditionText(when.condition) : []));
    const note = conditions && `not the case: ${conditions.join("; ")}`;
    entry = Object.freeze(idleEntry(binding.hook.name, "not-matched", note));
    unmatched.set(binding, entry);
  }
  return entry;
}

/** The entry of a hook that ran. */
export function ranEntry(
  hook: string,
  outcome: TraceOutcome,
  usage: Outcome | null,
  {
    actions = none,
    recheck = false,
  }: { readonly actions?: readonly Action[]; readonly recheck?: boolean } = {},
): OpenEntry {
  return {
    hook,
    outcome,
    actions,
    refused: none,
    fault: null,
    recheck,
    steps: usage === null ? 0 : usage.steps,
    duration_us: usage === null ? 0 : Math.round(usage.durationUs),
    memory_bytes: usage === null ? 0 : usage.memoryBytes,
    logs:
      usage === null || usage.logs.length === 0
        ? none
        : usage.logs.map(({ level, text }) => ({ level, text: sanitizeText(text) })),
  };
}

/** The entry of a hook that failed, or whose answer was refused. */
export function failedEntry(
  { name, program }: Pick<LoadedHook, "name" | "program">,
  { fault, refused }: Failure,
  usage: Outcome | null,
  recheck: boolean,
): OpenEntry {
  const entry = ranEntry(name, refused.length > 0 ? "refused" : "faulted", usage, { recheck });
  entry.refused = refused;
  // Our sandboxes sanitize guest text in messages; a host's own sandbox might not.
  const at = fault.position ? sourcePlace(program, fault.position) : null;
  entry.fault = {
    code: fault.code,
    message: sanitizeText(fault.message.slice(0, maxFaultMessage)),
    ...(at ? { at: { ...at, file: sanitizeText(at.file) } } : {}),
  };
  return entry;
}
