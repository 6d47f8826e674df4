import { actionRows } from "../catalogue/index.ts";
import type { Action, Additions, AttributedText, Decision, Refusal, TraceEntry } from "../broker/index.ts";
import { Fragments } from "./fragments.ts";
import { maskText } from "./mask.ts";

/** Shorter values are only masked where they stand alone: they are part of anything. */
const leastWithin = 4;
/** Keys are often names of fields, so that only long ones count as values. */
const leastKey = 8;

type Json = (text: string) => string;

/** Takes masked values out of everything else that stands in a record. */
export class Scrubber {
  private readonly values: readonly string[];
  private readonly fragments: Fragments;

  /** @param masked JSON values. Booleans and `null` say too little to be looked for. */
  constructor(masked: readonly unknown[]) {
    const texts = new Set<string>();
    for (const value of masked) collect(value, texts);
    texts.delete(maskText);
    texts.delete("");
    // Long ones first: a short one may be part of a long one.
    this.values = [...texts].sort((a, b) => b.length - a.length);
    this.fragments = new Fragments(this.values);
  }

  /** What the host sent: only whole values are masked. */
  readonly hostText = (text: string): string => {
    let out = text;
    for (const value of this.values) {
      if (out === value) return maskText;
      if (value.length >= leastWithin && out.includes(value)) out = out.replaceAll(value, maskText);
    }
    return out;
  };

  /** What a hook wrote: every piece of a value is masked. */
  readonly hookText = (text: string): string => this.fragments.mask(text, maskText);

  event(event: { readonly [field: string]: unknown }): { readonly [field: string]: unknown } {
    const { hook_event_name, time, ...rest } = event;
    return { hook_event_name, ...(walk(rest, this.hostText) as object), time };
  }

  /** JSON text that a hook wrote; masked whole where it is none. */
  json(text: string): string {
    try {
      return JSON.stringify(walk(JSON.parse(text), this.hookText));
    } catch {
      return maskText;
    }
  }

  decision(decision: Decision): Decision {
    return {
      ...decision,
      reason: this.maybe(decision.reason),
      feedback: this.maybe(decision.feedback),
      changes: walk(decision.changes, this.hookText) as Decision["changes"],
      additions: this.additions(decision.additions),
      trace: decision.trace.map((entry) => this.entry(entry)),
    };
  }

  private maybe(text: string | null): string | null {
    return text === null ? null : this.hookText(text);
  }

  private additions({ augment, messages, context, notices }: Additions): Additions {
    const clean = <T extends AttributedText>(texts: readonly T[]): readonly T[] =>
      texts.map((one) => ({ ...one, text: this.hookText(one.text) }));
    return {
      augment: augment && { text: this.hookText(augment.text), parts: clean(augment.parts) },
      messages: clean(messages),
      context: clean(context),
      notices: clean(notices),
    };
  }

  private entry(entry: TraceEntry): TraceEntry {
    return {
      ...entry,
      actions: entry.actions.map((action) => this.action(action)),
      refused: entry.refused.map((refusal) => this.refusal(refusal)),
      fault: entry.fault && { ...entry.fault, message: this.hookText(entry.fault.message) },
      logs: entry.logs.map(({ level, text }) => ({ level, text: this.hookText(text) })),
      ...(entry.note === undefined ? {} : { note: this.hookText(entry.note) }),
    };
  }

  private action({ action, ...payload }: Action): Action {
    return { action, ...(walk(payload, this.hookText) as object) };
  }

  private refusal(refusal: Refusal): Refusal {
    return {
      ...refusal,
      action: actionRows.has(refusal.action) ? refusal.action : this.hookText(refusal.action),
      message: this.hookText(refusal.message),
      // A short value could be found by trying which one has the digest.
      digest: maskText,
    };
  }
}

function collect(value: unknown, into: Set<string>): void {
  if (typeof value === "string") into.add(value);
  else if (typeof value === "number") into.add(String(value));
  else if (Array.isArray(value)) for (const member of value) collect(member, into);
  else if (typeof value === "object" && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      if (key.length >= leastKey) into.add(key);
      collect(member, into);
    }
  }
}

/** A copy with every string and key sent through `clean`, numbers too where that changes them. */
function walk(value: unknown, clean: Json): unknown {
  if (typeof value === "string") return clean(value);
  if (typeof value === "number") return clean(String(value)) === String(value) ? value : maskText;
  if (Array.isArray(value)) return value.map((member) => walk(member, clean));
  if (typeof value !== "object" || value === null) return value;
  const copy: { [key: string]: unknown } = {};
  for (const [key, member] of Object.entries(value)) {
    let name = clean(key);
    while (Object.hasOwn(copy, name)) name += "'";
    Object.defineProperty(copy, name, {
      value: walk(member, clean),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return copy;
}
