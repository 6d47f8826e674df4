import type { Call, Outcome, Sandbox } from "@hookwarden/sandbox";
import { type Answer, readAnswer } from "./answer.ts";
import { Composition } from "./compose.ts";
import type { DecisionState } from "./decision-state.ts";
import type { FactDeriver } from "../facts/index.ts";
import { type BrokerEvent, EventView } from "./event.ts";
import { makeFault } from "./failure.ts";
import { HookCalls, type HookInput } from "./hook-calls.ts";
import type { CallRecord, SkippedCallRecord } from "./record.ts";
import type { RetryCounters } from "./retry-limit.ts";
import { RetryVerdicts } from "./retry-verdicts.ts";
import { type Binding, type EventPlan, listens, type Plan } from "./plan.ts";
import { skipForBudget, skipWithFault, type SkippedCall } from "./skipped-call.ts";
import type { ToolInputCheck, ToolInputChecks } from "./tool-input.ts";
import { idleEntry, unmatchedEntry } from "./trace.ts";

/** The components that `decide` uses. */
export interface BrokerParts {
  readonly sandbox: Sandbox;
  readonly retries: Pick<RetryCounters, "count" | "add" | "reset"> &
    Partial<Pick<RetryCounters, "fetch" | "settle">>;
  readonly toolInputs: ToolInputChecks;
  /** Derives facts that may take long; absent: they are derived here. */
  readonly deriveFacts?: FactDeriver;
}

/** One event to decide. */
export interface DecideRequest {
  readonly plan: Plan;
  readonly event: BrokerEvent;
  /** The event's time, in milliseconds since 1970. */
  readonly clock: number;
  readonly decisionId: string;
  readonly tenant: string;
  /** Whether to keep what a log needs. */
  readonly record: boolean;
  /** Where sandboxes keep contexts between calls: the session's calls may share one. */
  readonly keep: boolean;
  /** Replays only: why the original decision skipped a hook; `null` if it did not. */
  readonly replayedSkip?: (hook: string, recheck: boolean) => SkippedCall | null;
}

/** One run of an event's hooks: builds calls and passes the outcomes to the composition. */
export class DecisionRun {
  readonly composition: Composition;
  readonly calls: CallRecord[] = [];
  readonly skipped: SkippedCallRecord[] = [];
  readonly view: EventView;
  /** The input of each hook's first run, by place; absent if it did not run. */
  readonly #inputsSeen: (string | undefined)[] = [];
  /** The bounded verdicts of this decision. */
  readonly retries: RetryVerdicts;
  readonly #unmatched = new Set<Binding>();
  readonly #parts: BrokerParts;
  readonly #request: DecideRequest;
  readonly #plan: EventPlan;
  readonly #state: DecisionState | null;
  readonly #toolInput: ToolInputCheck | null;
  readonly #deadline: number;
  #hooksRun = 0;
  readonly #hookCalls: HookCalls;
  /** The state of the event whose facts have been looked at. */
  #factsVersion = -1;
  /** Hooks that started with less than half of the decision's budget left. */
  readonly #lateStarts = new Set<Binding>();

  constructor(
    parts: BrokerParts,
    request: DecideRequest,
    plan: EventPlan,
    { state, started }: { readonly state: DecisionState | null; readonly started: number },
  ) {
    const { event, plan: whole } = request;
    this.#parts = parts;
    this.#request = request;
    this.#plan = plan;
    this.#state = state;
    this.retries = new RetryVerdicts(parts.retries, request);
    this.#hookCalls = new HookCalls(parts.sandbox, request, state);
    this.view = new EventView(event);
    this.composition = new Composition(plan.event, this.view, whole.pack.budgets.injectionBytes);
    this.#deadline = started + whole.pack.budgets.decisionMs;
    this.#toolInput =
      typeof event.tool_name === "string" ? (this.#parts.toolInputs.get(event.tool_name) ?? null) : null;
  }

  /**
   * Derives elsewhere the facts that may take long to derive here, for the event as rewritten so far; `null` if there is
   * nothing to wait for. To be called before the hooks' conditions are tested or their inputs made.
   *
   * @param name what matchers test
   */
  deriveFacts(name: unknown): Promise<void> | null {
    const { view } = this;
    if (this.#plan.facts.length === 0 || this.#factsVersion === view.version) return null;
    this.#factsVersion = view.version;
    const { deriveFacts } = this.#parts;
    if (!deriveFacts) return null;
    const { sequential, parallel } = this.#plan;
    const read = [...sequential, ...parallel].flatMap((one) => (listens(one, name) ? one.facts : []));
    const heavy = view.facts.heavyOnes([...new Set(read)]);
    if (heavy.length === 0) return null;
    return view.facts.deriveElsewhere(heavy, deriveFacts, this.#leftMs());
  }

  /** Whether a hook is to be called for the event as rewritten so far; in a replay, also if it was to be called then. */
  listens(binding: Binding, name: unknown): boolean {
    return (
      listens(binding, name, this.view) ||
      (binding.routes !== null && Boolean(this.#request.replayedSkip?.(binding.hook.name, false)))
    );
  }

  /** Calls a hook, or returns why it is skipped. */
  call(binding: Binding, recheck: boolean): Outcome | Promise<Outcome> | SkippedCall {
    const result =
      this.#request.replayedSkip?.(binding.hook.name, recheck) ?? this.#callUnlessSkipped(binding, recheck);
    if (this.#request.record && !(result instanceof Promise) && result.ok === null) {
      this.skipped.push({ hook: binding.hook.name, recheck, fault: result.fault, note: result.note });
    }
    return result;
  }

  #callUnlessSkipped(binding: Binding, recheck: boolean): Outcome | Promise<Outcome> | SkippedCall {
    const { budgets } = this.#request.plan.pack;
    if (!recheck && this.#hooksRun >= budgets.maxHooks) {
      return skipForBudget(binding, `${budgets.maxHooks} hooks have run, which is \`budgets.maxHooks\``);
    }
    // The first hook starts when the budget does: save a clock read.
    const left = this.#hooksRun === 0 ? budgets.decisionMs : this.#leftMs();
    if (left <= 0) return skipForBudget(binding, `\`budgets.decisionMs\` (${budgets.decisionMs}) is used up`);
    // A hook that got at least half the budget is to blame for its own timeout.
    if (left < budgets.decisionMs / 2) this.#lateStarts.add(binding);
    if (this.view.facts.lost && binding.facts.length > 0)
      return skipForBudget(binding, "the event's facts could not be derived in time");
    if (this.#isStateUnavailable(binding))
      return skipWithFault("state-unavailable", "the hook's state cannot be read or written");
    const input = this.#hookCalls.inputOf(binding, this.view);
    if (isTooLarge(binding, input)) {
      return skipWithFault(
        "input-too-large",
        `the event with its context is larger than \`limits.inputBytes\` (${binding.limits.inputBytes})`,
      );
    }
    if (!recheck) {
      this.#hooksRun++;
      this.#inputsSeen[binding.place] = input[0];
    }
    return this.#hookCalls.send(binding, input, {
      leftMs: () => this.#leftMs(),
      following: () => this.#following(binding, recheck),
    });
  }

  #leftMs(): number {
    return this.#deadline - performance.now();
  }

  #isStateUnavailable(binding: Binding): boolean {
    return this.#state?.unavailable === true && this.#state.hasSlot(binding);
  }

  /** The hooks that are to be called after this one if nothing changes, with their inputs as of now. */
  #following(binding: Binding, recheck: boolean): readonly (readonly [Binding, HookInput])[] {
    const { event, plan } = this.#request;
    const { matches, sequential } = this.#plan;
    const candidates = recheck ? this.staleGuards() : sequential;
    const name = matches === null ? undefined : event[matches];
    const left = recheck ? Infinity : plan.pack.budgets.maxHooks - this.#hooksRun;
    const following: (readonly [Binding, HookInput])[] = [];
    for (const next of candidates) {
      if (following.length >= left) break;
      if (next.place <= binding.place || !listens(next, name, this.view) || this.#isStateUnavailable(next))
        continue;
      const input = this.#hookCalls.inputOf(next, this.view);
      if (!isTooLarge(next, input)) following.push([next, input]);
    }
    return following;
  }

  /** Applies the result of a call. */
  applyResult(binding: Binding, result: Outcome | SkippedCall, recheck: boolean): void {
    const { composition } = this;
    if (result.ok === null) {
      if (result.fault) composition.failed(binding, { fault: result.fault, refused: [] }, null, recheck);
      else composition.trace.push(idleEntry(binding.hook.name, "not-run", result.note));
      return;
    }
    const answer = this.#read(binding, result, recheck);
    if (binding.monitor) composition.monitored(binding, result, answer);
    else if (!answer.ok) composition.failed(binding, answer, result, recheck);
    else if (recheck) composition.rechecked(binding, answer, result, this.retries.refusalOf(binding, answer));
    else composition.answered(binding, answer, result, this.retries.refusalOf(binding, answer));
  }

  /** Records the result of a parallel hook after another one stopped the step. */
  applyDiscarded(binding: Binding, result: Outcome | SkippedCall): void {
    if (result.ok === null) this.noteNotRun(binding);
    else this.composition.discarded(binding, result, this.#read(binding, result, false));
  }

  /** Records that a hook did not run because the step was stopped. */
  noteNotRun(binding: Binding, recheck = false): void {
    this.composition.trace.push(
      idleEntry(binding.hook.name, "not-run", this.composition.stopNote(), recheck),
    );
  }

  /** Records that a hook did not run because it does not listen to this event. */
  noteUnmatched(binding: Binding): void {
    if (binding.routes) this.#unmatched.add(binding);
    this.composition.trace.push(unmatchedEntry(binding));
  }

  /** The guards that ran, or were not matched, before the last rewrite and whose view of the final event differs. */
  staleGuards(): Binding[] {
    const { lastRewrite } = this.composition;
    return this.#plan.sequential.filter((binding) => {
      const seen = this.#inputsSeen[binding.place];
      return (
        binding.guard &&
        (seen !== undefined || this.#unmatched.has(binding)) &&
        binding.place < lastRewrite &&
        binding.project(this.view) !== seen
      );
    });
  }

  #read(binding: Binding, outcome: Outcome, recheck: boolean): Answer {
    if (this.#request.record) this.#record(binding, outcome, recheck);
    if (outcome.ok) return readAnswer(binding, outcome.output, this.#toolInput);
    let { fault } = outcome;
    if (
      fault.code === "timeout" &&
      this.#lateStarts.has(binding) &&
      performance.now() >= this.#deadline - 1
    ) {
      const { decisionMs } = this.#request.plan.pack.budgets;
      fault = makeFault(
        "budget-exceeded",
        `\`budgets.decisionMs\` (${decisionMs}) ran out while the hook was running`,
      );
    }
    return { ok: false, fault, refused: [] };
  }

  #record(binding: Binding, outcome: Outcome, recheck: boolean): void {
    const call = this.#hookCalls.made.get(binding) as Call;
    this.calls.push({
      hook: binding.hook.name,
      digest: binding.hook.digest,
      recheck,
      input: call.args as unknown as readonly [string, string],
      seed: call.seed,
      output: outcome.ok ? outcome.output : null,
      fault: outcome.ok ? null : outcome.fault,
      steps: outcome.steps,
      logs: outcome.logs,
    });
  }
}

function isTooLarge({ limits }: Binding, [event, context]: HookInput): boolean {
  return (
    (event.length + context.length) * 3 > limits.inputBytes &&
    Buffer.byteLength(event) + Buffer.byteLength(context) > limits.inputBytes
  );
}
