import { circumstantialFaults } from "@hookwarden/sandbox";
import type { Decision, TraceEntry, Verdict } from "hookwarden/broker";
import { canonicalJson } from "hookwarden/files";
import { isLoosened } from "./loosening.ts";
import type { BeforeAfter } from "./before-after.ts";

/** Every kind of difference, in the order in which reports have them. */
export const changeKinds = [
  "verdict",
  "changes",
  "faults",
  "refusals",
  "additions",
  "state",
  "reason",
  "decided by",
  "monitored",
  "logs",
  "steps",
  "memory",
] as const;
export type ChangeKind = (typeof changeKinds)[number];

/** One thing that differs between two decisions about the same event. */
export interface Difference {
  readonly kind: ChangeKind;
  /** What changed, in words that are the same for all events of a group: `deny → continue`. */
  readonly change: string;
  readonly values: BeforeAfter<unknown>;
  /** Set where it is a loosening. */
  readonly opens: "verdict" | "rewrite" | null;
}

/** A difference in memory below these is noise of the allocator. */
const memoryNoise = { bytes: 4_096, share: 0.25 } as const;

/**
 * What differs between two decisions about one event.
 *
 * @param alone whether one hook decided by itself: only then steps, memory and logs are those of one hook. In a whole
 *   pack a hook that stops keeps others from running, which would show as a difference of theirs.
 */
export function compareDecisions(
  { old, new: next }: BeforeAfter<Decision>,
  alone: boolean,
): readonly Difference[] {
  const found: Difference[] = [];
  const note = (
    kind: ChangeKind,
    values: BeforeAfter<unknown>,
    change: string,
    opens: Difference["opens"] = null,
  ): void => void found.push({ kind, change, values, opens });
  const whenUnequal = (kind: ChangeKind, values: BeforeAfter<unknown>, what = ""): void => {
    if (!isSame(values)) note(kind, values, `${what}${presence(values)}`);
  };
  const verdicts: BeforeAfter<Verdict> = { old: old.verdict, new: next.verdict };
  if (!isSame(verdicts)) {
    const opens = isLoosened(verdicts.old, verdicts.new) ? "verdict" : null;
    note("verdict", verdicts, `${verdicts.old} → ${verdicts.new}`, opens);
  } else {
    // Another verdict has another reason and, in a pack, another author: that says nothing more.
    whenUnequal(
      "reason",
      pick(old, next, ({ reason, feedback }) => reason ?? feedback),
    );
    if (!alone) {
      const authors = pick(old, next, ({ decided_by }) => decided_by);
      if (!isSame(authors))
        note("decided by", authors, `${authors.old ?? "no hook"} → ${authors.new ?? "no hook"}`);
    }
  }
  compareChanges(old, next, note, isStopped(verdicts.new));
  const faults = pick(old, next, faultsOf);
  if (!isSame(faults)) note("faults", faults, `${listed(faults.old)} → ${listed(faults.new)}`);
  const refusals = pick(old, next, refusalsOf);
  if (!isSame(refusals)) note("refusals", refusals, `${listed(refusals.old)} → ${listed(refusals.new)}`);
  for (const name of ["augment", "messages", "context", "notices"] as const) {
    whenUnequal(
      "additions",
      pick(old, next, ({ additions }) => emptyAsNull(additions[name])),
      `${name} `,
    );
  }
  if (!alone) return found;
  const entries = pick(old, next, ({ trace }) => trace.at(-1));
  whenUnequal("state", map(entries, stateOf));
  whenUnequal(
    "monitored",
    map(entries, (entry) => (entry?.outcome === "monitored" ? entry.actions : null)),
  );
  whenUnequal(
    "logs",
    map(entries, (entry) => emptyAsNull(entry?.logs ?? null)),
  );
  compareWork(entries, note);
  return found;
}

type Note = (
  kind: ChangeKind,
  values: BeforeAfter<unknown>,
  change: string,
  opens?: Difference["opens"],
) => void;

function compareChanges(old: Decision, next: Decision, note: Note, stopped: boolean): void {
  for (const field of new Set([...Object.keys(old.changes), ...Object.keys(next.changes)])) {
    const values = pick(old, next, ({ changes }) =>
      Object.hasOwn(changes, field) ? changes[field] : undefined,
    );
    if (isSame(values)) continue;
    // What is stopped now goes nowhere, rewritten or not.
    const opens = values.new === undefined && !stopped ? "rewrite" : null;
    note("changes", values, `\`${field}\` ${presence(values)}`, opens);
  }
}

function compareWork(entries: BeforeAfter<TraceEntry | undefined>, note: Note): void {
  const steps = map(entries, (entry) => entry?.steps ?? null);
  if (!isSame(steps)) note("steps", steps, (steps.new ?? 0) > (steps.old ?? 0) ? "more" : "fewer");
  const memory = map(entries, (entry) => entry?.memory_bytes ?? 0);
  const gap = Math.abs(memory.new - memory.old);
  if (gap > memoryNoise.bytes && gap > memoryNoise.share * Math.max(memory.old, memory.new)) {
    note("memory", memory, memory.new > memory.old ? "more" : "less");
  }
}

function isStopped(verdict: Verdict): boolean {
  return isLoosened(verdict, "ask");
}

function faultsOf({ trace }: Decision): readonly string[] {
  return trace.flatMap(({ hook, fault }) => (fault ? [`${fault.code} of ${hook}`] : []));
}

function refusalsOf({ trace }: Decision): readonly string[] {
  return trace.flatMap(({ hook, refused }) =>
    refused.map(({ action, code }) => `${action} of ${hook}: ${code}`),
  );
}

/** Whether a fault came from the clock or the machine, which another run may not have. */
export function isUnsteady({ trace }: Decision): boolean {
  return trace.some(({ fault }) => fault !== null && circumstantialFaults.has(fault.code));
}

function stateOf(entry: TraceEntry | undefined): unknown {
  const action = entry?.actions.findLast(({ action: name }) => name === "set_state");
  return action?.["value"];
}

function presence({ old, new: next }: BeforeAfter<unknown>): string {
  if (isNothing(old)) return "new";
  return isNothing(next) ? "gone" : "other";
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? "none" : names.join(", ");
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null;
}

function emptyAsNull<T>(value: T): T | null {
  return Array.isArray(value) && value.length === 0 ? null : value;
}

function isSame({ old, new: next }: BeforeAfter<unknown>): boolean {
  if (old === next) return true;
  if (old === undefined || next === undefined) return false;
  return canonicalJson(old) === canonicalJson(next);
}

function pick<T>(old: Decision, next: Decision, of: (decision: Decision) => T): BeforeAfter<T> {
  return { old: of(old), new: of(next) };
}

function map<T, R>({ old, new: next }: BeforeAfter<T>, of: (one: T) => R): BeforeAfter<R> {
  return { old: of(old), new: of(next) };
}
