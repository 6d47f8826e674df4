import type { Fault, Outcome } from "@hookwarden/sandbox";
import { type EventName, actionRows } from "../catalogue/index.ts";
import { type Answer, type GoodAnswer, refusals } from "./answer.ts";
import type { Action, Refusal, TraceEntry, TraceOutcome, Verdict } from "./decision.ts";
import type { EventView } from "./event.ts";
import { failClosed, makeFault } from "./failure.ts";
import type { Binding } from "./plan.ts";
import { type Failure, failedEntry, type OpenEntry, ranEntry } from "./trace.ts";

/** A verdict that is in effect so far, with the hook that returned it. */
export interface CurrentVerdict {
  readonly hook: string;
  readonly verdict: Verdict;
  readonly reason: string | null;
  readonly feedback: string | null;
}

/** An addition that is in effect so far. */
export interface HookAddition {
  readonly hook: string;
  readonly action: Action;
  readonly modelFacing: boolean;
}

/**
 * Composes hooks' answers in the order in which they are added. Has no clock and no side effects: the
 * same answers always make the same decision.
 */
export class Composition {
  readonly trace: TraceEntry[] = [];
  /** The verdict that ended the chain. */
  stop: CurrentVerdict | null = null;
  /** Place of the last hook that rewrote the event; -1 where none did. */
  lastRewrite = -1;
  readonly added: HookAddition[] = [];
  /** By place of the hook; a guard's second run replaces its first verdict. */
  readonly verdicts: (CurrentVerdict | undefined)[] = [];
  readonly states = new Map<Binding, string>();
  readonly #writers = new Map<string, OpenEntry>();
  readonly #entries: OpenEntry[] = [];
  #injected = 0;
  readonly #event: EventName;
  readonly #view: EventView;
  readonly #injectionBytes: number;

  constructor(event: EventName, view: EventView, injectionBytes: number) {
    this.#event = event;
    this.#view = view;
    this.#injectionBytes = injectionBytes;
  }

  /** Fields that were rewritten, with their values. */
  changes(): { [field: string]: unknown } {
    const changes: { [field: string]: unknown } = {};
    for (const field of this.#writers.keys()) changes[field] = this.#view.fields[field];
    return changes;
  }

  /** Records the run of a monitored hook, which has no effect. */
  monitored(binding: Binding, usage: Outcome, answer: Answer): void {
    this.#traceOnly(binding, usage, answer, "monitored");
  }

  /** Records a parallel hook whose answer is discarded because another hook stopped the step. */
  discarded(binding: Binding, usage: Outcome, answer: Answer): void {
    this.#traceOnly(binding, usage, answer, "discarded").note = this.stopNote();
  }

  #traceOnly(binding: Binding, usage: Outcome, answer: Answer, outcome: TraceOutcome): OpenEntry {
    const { name } = binding.hook;
    const entry = answer.ok
      ? ranEntry(name, outcome, usage, { actions: answer.actions })
      : failedEntry(binding.hook, answer, usage, false);
    entry.outcome = outcome;
    this.trace.push(entry);
    return entry;
  }

  /** A hook failed: the step stops if the hook fails closed; in degraded mode a person is asked. */
  failed(binding: Binding, failure: Failure, usage: Outcome | null, recheck = false): void {
    const entry = failedEntry(binding.hook, failure, usage, recheck);
    this.trace.push(entry);
    if (recheck) this.verdicts[binding.place] = undefined;
    const closed = failClosed(binding, failure.fault);
    if (!closed) return;
    const hook = binding.hook.name;
    const verdict: CurrentVerdict = { hook, ...closed, feedback: null };
    if (binding.degraded === null) return this.#stopChain(entry, verdict);
    // The hooks behind it run: what another one denies is denied.
    this.verdicts[binding.place] = verdict;
    this.added.push({ hook, action: { action: "notify", text: closed.reason }, modelFacing: false });
  }

  /**
   * A hook answered.
   *
   * @param refusal why a valid verdict is not honoured; the rest of the answer still is.
   */
  answered(binding: Binding, answer: GoodAnswer, usage: Outcome, refusal: Refusal | null): void {
    const bytes = answer.additions.length === 0 ? 0 : modelBytes(answer.additions);
    if (this.#injected + bytes > this.#injectionBytes) {
      const fault = this.#overflow(bytes);
      const first = answer.actions.findIndex(isModelFacing);
      const refused = refusals(answer.actions, first, "injection-overflow", fault.message);
      this.failed(binding, { fault, refused }, usage);
      return;
    }
    this.#injected += bytes;
    const { name } = binding.hook;
    const entry = ranEntry(name, "honoured", usage, {
      actions: refusal ? withoutVerdict(answer) : answer.actions,
    });
    noteRefusals(entry, answer, refusal);
    this.trace.push(entry);
    this.#entries.push(entry);
    for (const change of answer.changes) this.#rewrite(binding, entry, change);
    for (const action of answer.additions) {
      this.added.push({ hook: name, action, modelFacing: isModelFacing(action) });
    }
    if (answer.state !== null) this.states.set(binding, answer.state);
    if (answer.verdict && !refusal) this.#applyVerdict(binding, entry, answer.verdict);
  }

  /** Records a guard's second run, on the final event: its verdict replaces the first one. */
  rechecked(binding: Binding, answer: GoodAnswer, usage: Outcome, refusal: Refusal | null): void {
    const { verdict } = answer;
    const entry = ranEntry(binding.hook.name, "honoured", usage, {
      actions: verdict && !refusal ? [verdict] : [],
      recheck: true,
    });
    noteRefusals(entry, answer, refusal);
    const rest = answer.actions.filter(({ action }) => action !== verdict?.action && action !== "continue");
    if (rest.length > 0) entry.note = `only the verdict of a second run counts, not ${namesOf(rest)}`;
    this.trace.push(entry);
    this.verdicts[binding.place] = undefined;
    if (verdict && !refusal) this.#applyVerdict(binding, entry, verdict);
  }

  /** Why the rest of the chain does not run. */
  stopNote(): string {
    return `\`${this.stop?.hook}\` ended the chain with ${this.stop?.verdict}`;
  }

  /** The effective verdict: the stop, or else the strictest; of equal ones the first. */
  outcome(): CurrentVerdict | null {
    if (this.stop) return this.stop;
    let strictest: CurrentVerdict | null = null;
    for (const verdict of this.verdicts) {
      if (verdict && (!strictest || strictness(verdict.verdict) > strictness(strictest.verdict)))
        strictest = verdict;
    }
    if (strictest?.verdict !== "retry") return strictest;
    const feedback = this.verdicts.filter((s) => s?.verdict === "retry").map((s) => s?.feedback);
    return { ...strictest, feedback: feedback.join("\n") };
  }

  #rewrite(binding: Binding, entry: OpenEntry, change: Action): void {
    const rewrites = actionRows.get(change.action)?.rewrites ?? {};
    for (const payloadField of Object.keys(rewrites)) {
      const value = change[payloadField];
      if (value === undefined) continue;
      const field = rewrites[payloadField] as string;
      const writer = this.#writers.get(field);
      if (writer && writer !== entry) writer.overwritten = [...(writer.overwritten ?? []), field];
      this.#writers.set(field, entry);
      this.#view.set(field, value);
      this.lastRewrite = binding.place;
    }
  }

  #applyVerdict(binding: Binding, entry: OpenEntry, action: Action): void {
    const verdict: CurrentVerdict = {
      hook: binding.hook.name,
      verdict: action.action as Verdict,
      reason: (action.reason as string | undefined) ?? null,
      feedback: (action.feedback as string | undefined) ?? null,
    };
    if (actionRows.get(action.action)?.stops) this.#stopChain(entry, verdict);
    else this.verdicts[binding.place] = verdict;
  }

  /** Ends the chain. Drops changes and additions for the model: the step they were meant for does not happen. */
  #stopChain(stopping: OpenEntry, verdict: CurrentVerdict): void {
    this.stop = verdict;
    const note = this.stopNote();
    for (const entry of this.#entries) {
      const lost = entry.actions.filter((action) => isModelFacing(action) || isChange(action));
      if (lost.length === 0) continue;
      if (entry !== stopping) entry.outcome = "discarded";
      entry.note = `discarded: ${namesOf(lost)}; ${note}`;
    }
    this.#writers.clear();
    for (let index = this.added.length - 1; index >= 0; index--) {
      if (this.added[index]?.modelFacing) this.added.splice(index, 1);
    }
  }

  #overflow(bytes: number): Fault {
    const left = this.#injectionBytes - this.#injected;
    return makeFault(
      "injection-overflow",
      `the hook adds ${bytes} bytes for the model at ${this.#event}, and ${left} of ${this.#injectionBytes} are left`,
    );
  }
}

function strictness(verdict: Verdict): number {
  return actionRows.get(verdict)?.strictness ?? 0;
}

function isModelFacing({ action }: Action): boolean {
  return actionRows.get(action)?.modelFacing === true;
}

function isChange({ action }: Action): boolean {
  return actionRows.get(action)?.kind === "change";
}

function namesOf(actions: readonly Action[]): string {
  return actions.map(({ action }) => action).join(", ");
}

/** The actions of an answer without its verdict. */
function withoutVerdict(answer: GoodAnswer): readonly Action[] {
  return answer.actions.filter((action) => action !== answer.verdict);
}

/** Adds refusals that are not faults; the rest of the answer is honoured. */
function noteRefusals(entry: OpenEntry, answer: GoodAnswer, refusal: Refusal | null): void {
  if (!refusal && answer.refused.length === 0) return;
  entry.refused = refusal ? [...answer.refused, refusal] : answer.refused;
  if (entry.actions.length === 0) entry.outcome = "refused";
}

/** Bytes of UTF-8 that the model would read. */
function modelBytes(additions: readonly Action[]): number {
  let bytes = 0;
  for (const action of additions) {
    if (!isModelFacing(action)) continue;
    if (typeof action.text === "string") bytes += Buffer.byteLength(action.text);
    for (const message of (action.messages as { content: string }[] | undefined) ?? []) {
      bytes += Buffer.byteLength(message.content);
    }
  }
  return bytes;
}
