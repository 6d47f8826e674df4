import type { Fault } from "@hookwarden/sandbox";
import type { Additions, AttributedText, Decision, DecisionRecord, TraceEntry } from "../broker/index.ts";
import { actionRows } from "../catalogue/index.ts";
import { type MaskedEvent, maskText } from "./mask.ts";

/** Shorter values are masked only where they are a whole text: they are part of anything. */
const minPartLength = 4;
/** Keys are often names of fields, so only long ones count as values. */
const minKeyLength = 8;

/** The members of a masked record, without those that both kinds of record have. */
export function maskRecord(record: DecisionRecord, masked: MaskedEvent): object {
  const { decision, calls, skipped, priorState } = record;
  return {
    event: maskElsewhere(masked),
    decision: maskDecision(decision),
    // Without digests: a short value could be found by trying which one has the digest.
    calls: calls.map(({ hook, digest, recheck, seed, output, fault, steps }) => ({
      hook,
      digest,
      recheck,
      seed,
      steps,
      fault: maskFault(fault),
      output_text: maskOptional(output),
      logs: [],
    })),
    skipped: skipped.map((one) => ({ ...one, fault: maskFault(one.fault), note: maskText })),
    state: Object.fromEntries(Object.entries(priorState).map(([hook, text]) => [hook, maskOptional(text)])),
  };
}

/**
 * A decision without anything that hooks wrote. A hook that has read a masked value can write it in any encoding, so
 * looking for it in the hook's texts would not find it; what is kept are names and codes from closed sets, and what the
 * host measured.
 */
function maskDecision(decision: Decision): Decision {
  return {
    ...decision,
    reason: maskOptional(decision.reason),
    feedback: maskOptional(decision.feedback),
    changes: Object.fromEntries(Object.keys(decision.changes).map((field) => [field, maskText])),
    additions: maskAdditions(decision.additions),
    trace: decision.trace.map(maskEntry),
  };
}

function maskAdditions({ augment, messages, context, notices }: Additions): Additions {
  const masked = <T extends AttributedText>(texts: readonly T[]): readonly T[] =>
    texts.map((one) => ({ ...one, text: maskText }));
  return {
    augment: augment && { text: maskText, parts: masked(augment.parts) },
    messages: masked(messages),
    context: masked(context),
    notices: masked(notices),
  };
}

function maskEntry(entry: TraceEntry): TraceEntry {
  return {
    ...entry,
    actions: entry.actions.map(({ action }) => ({ action })),
    refused: entry.refused.map(({ action, code }) => ({
      action: actionRows.has(action) ? action : maskText,
      code,
      message: maskText,
      digest: maskText,
    })),
    fault: maskFault(entry.fault),
    logs: [],
    ...(entry.note === undefined ? {} : { note: maskText }),
  };
}

/** Without the place: a hook can choose the line at which it throws. */
function maskFault<T extends Pick<Fault, "code">>(
  fault: T | null,
): { readonly code: T["code"]; readonly message: string } | null {
  return fault && { code: fault.code, message: maskText };
}

function maskOptional(text: string | null): string | null {
  return text === null ? null : maskText;
}

/** The event, where masked values are masked at other places as well. */
function maskElsewhere({ event, values }: MaskedEvent): object {
  const texts = new Set<string>();
  for (const value of values) collect(value, texts);
  texts.delete(maskText);
  texts.delete("");
  // Long ones first: a short one may be part of a long one.
  const sorted = [...texts].sort((a, b) => b.length - a.length);
  const { hook_event_name, time, ...rest } = event;
  const clean = (text: string): string => {
    let out = text;
    for (const value of sorted) {
      if (out === value) return maskText;
      if (value.length >= minPartLength) out = out.replaceAll(value, maskText);
    }
    return out;
  };
  return { hook_event_name, ...(mapTexts(rest, clean) as object), time };
}

function collect(value: unknown, into: Set<string>): void {
  if (typeof value === "string" || typeof value === "number") into.add(String(value));
  else if (typeof value === "object" && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      if (key.length >= minKeyLength) into.add(key);
      collect(member, into);
    }
  }
}

/** A copy with every string and key sent through `clean`, numbers too where that changes them. */
function mapTexts(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === "string") return clean(value);
  if (typeof value === "number") return clean(String(value)) === String(value) ? value : maskText;
  if (Array.isArray(value)) return value.map((member) => mapTexts(member, clean));
  if (typeof value !== "object" || value === null) return value;
  const copy: { [key: string]: unknown } = {};
  for (const [key, member] of Object.entries(value)) {
    let name = clean(key);
    while (Object.hasOwn(copy, name)) name += "'";
    Object.defineProperty(copy, name, {
      value: mapTexts(member, clean),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return copy;
}
