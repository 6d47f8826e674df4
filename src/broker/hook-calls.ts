import type { Call, CallGroup, Fault, Outcome, Sandbox } from "@hookwarden/sandbox";
import { type ActionRow, actionRows } from "../catalogue/index.ts";
import type { DecisionState } from "./decision-state.ts";
import { makeFault } from "./failure.ts";
import type { BrokerEvent, EventView } from "./event.ts";
import type { Binding } from "./plan.ts";
import { digestWords, type Seed, seedFor } from "./seed.ts";

/** What a hook sees: its event and its context, each as JSON text. */
export type HookInput = readonly [event: string, context: string];

/** What the calls of one decision have in common. */
export interface CallSource {
  readonly decisionId: string;
  readonly tenant: string;
  readonly event: BrokerEvent;
  /** The event's time, in milliseconds since 1970. */
  readonly clock: number;
  /** Whether the calls of a session may share a context. */
  readonly keep: boolean;
}

export interface SendOptions {
  /** The decision's remaining time, in milliseconds. */
  readonly leftMs: () => number;
  /** The hooks that will be called next if nothing changes, with their inputs as of now. */
  readonly following: () => readonly (readonly [Binding, HookInput])[];
}

/** Texts in answers after which the hooks that follow may not be called, or see another event. */
const endings: readonly string[] = [...actionRows]
  .filter(([, row]: readonly [string, ActionRow]) => row.stops || row.kind === "change")
  .map(([name]) => `"action":"${name}"`);

/**
 * The calls of one decision. A sandbox in another process gets the calls of all hooks that are to run in one message,
 * before it is known whether an earlier one rewrites the event or stops the step. Hooks are pure functions of their
 * input, so that an outcome is used if the input of its call is, byte for byte, the one that the hook has to see;
 * otherwise the call is made again.
 */
export class HookCalls {
  /** The call that each hook's outcome comes from, for the record. */
  readonly made = new Map<Binding, Call>();
  readonly #sandbox: Sandbox;
  readonly #request: CallSource;
  readonly #state: DecisionState | null;
  /** Calls made before it was known whether they are needed. */
  readonly #ahead = new Map<Binding, { readonly call: Call; readonly outcome: Outcome | Promise<Outcome> }>();
  #seed: Seed | null = null;
  #contextTail = "";

  constructor(sandbox: Sandbox, request: CallSource, state: DecisionState | null) {
    this.#sandbox = sandbox;
    this.#request = request;
    this.#state = state;
  }

  /** What a hook sees now. */
  inputOf(binding: Binding, view: EventView): HookInput {
    if (this.#contextTail === "") {
      const { tenant, event } = this.#request;
      this.#contextTail = `,"tenant":${JSON.stringify(tenant)},"time":"${event.time}","state":`;
    }
    const state = this.#state?.textOf(binding) ?? "null";
    return [binding.project(view), `${binding.contextHead}${this.#contextTail}${state}}`];
  }

  /** Calls a hook, or takes the outcome of a call that has been made ahead. */
  send(binding: Binding, input: HookInput, options: SendOptions): Outcome | Promise<Outcome> {
    const ahead = this.#ahead.get(binding);
    this.#ahead.delete(binding);
    if (ahead?.call.args[0] !== input[0] || ahead.call.args[1] !== input[1])
      return this.#send(binding, input, options);
    const { call, outcome } = ahead;
    const take = (one: Outcome): Outcome | Promise<Outcome> => {
      if (isSkipped(one)) return this.#send(binding, input, options);
      this.made.set(binding, call);
      return one;
    };
    return outcome instanceof Promise ? outcome.then(take) : take(outcome);
  }

  #send(binding: Binding, input: HookInput, { leftMs, following }: SendOptions): Outcome | Promise<Outcome> {
    const budgetMs = Math.max(1, Math.ceil(leftMs()));
    const next = this.#sandbox.groupsCalls && !this.#request.keep ? following() : [];
    const group = next.length === 0 ? undefined : { endings };
    const call = this.#callOf(binding, input, budgetMs, group);
    this.made.set(binding, call);
    const outcome = this.#run(call);
    for (const [hook, itsInput] of next) {
      const itsCall = this.#callOf(hook, itsInput, budgetMs, group);
      this.#ahead.set(hook, { call: itsCall, outcome: this.#run(itsCall) });
    }
    return outcome;
  }

  #callOf(binding: Binding, args: HookInput, budgetMs: number, group: CallGroup | undefined): Call {
    const { decisionId, tenant, clock, keep, event } = this.#request;
    this.#seed ??= digestWords(decisionId);
    return {
      program: binding.hook.program,
      tenant,
      handler: binding.event,
      args,
      time: clock,
      seed: seedFor(this.#seed, binding.seed),
      limits: binding.limits,
      budgetMs,
      ...(group ? { group } : undefined),
      ...(keep ? { keep: event.session_id } : undefined),
    };
  }

  #run(call: Call): Outcome | Promise<Outcome> {
    try {
      const outcome = this.#sandbox.call(call);
      return outcome instanceof Promise ? outcome.catch(sandboxFailure) : outcome;
    } catch {
      return sandboxFailure();
    }
  }
}

function isSkipped(outcome: Outcome): boolean {
  return !outcome.ok && outcome.skipped === true;
}

/** A sandbox must not throw or reject; if it does, the sandbox is at fault, not the hook. */
function sandboxFailure(): Outcome {
  const fault: Fault = makeFault("crashed", "the sandbox failed");
  return { ok: false, fault, steps: null, durationUs: 0, memoryBytes: 0, logs: [] };
}
