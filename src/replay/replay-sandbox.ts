import {
  type Call,
  circumstantialFaults,
  type Inspection,
  type Limits,
  type Outcome,
  type Program,
  type Sandbox,
} from "@hookwarden/sandbox";
import type { SkippedCall, RetryKey } from "../broker/index.ts";
import type { StateKey, StateRecord, StateStore } from "../state/index.ts";
import type { LoggedCall, LoggedDecision } from "./parse-record.ts";

/** A slower machine must not turn an answer into a timeout: a call that once ended in time gets this many milliseconds. */
const minTimeoutMs = 10_000;

/** Everything that a decision depended on beside its event and its pack, as the record has it. */
export class RecordedState implements StateStore {
  readonly #logged: LoggedDecision;
  readonly #calls = new Map<string, LoggedCall[]>();

  constructor(logged: LoggedDecision) {
    this.#logged = logged;
    for (const call of logged.calls) {
      const same = this.#calls.get(call.hook);
      if (same) same.push(call);
      else this.#calls.set(call.hook, [call]);
    }
  }

  /** What kept a hook from running. */
  readonly skippedCall = (hook: string, recheck: boolean): SkippedCall | null => {
    const found = this.#logged.skipped.find((one) => one.hook === hook && one.recheck === recheck);
    return found ? { ok: null, fault: found.fault, note: found.note } : null;
  };

  /** The outcome of a hook's next call where that cannot be repeated; `null` where it can. */
  outcome(hook: string): Outcome | null {
    const call = this.#calls.get(hook)?.shift();
    if (!call) return null;
    const entry = this.#logged.decision.trace.find(
      (one) => one.hook === hook && one.recheck === call.recheck,
    );
    // The decision's time may have been over before the hook's own: the trace says what became of the call.
    const fault = [entry?.fault, call.fault].find((one) => one && circumstantialFaults.has(one.code));
    if (!fault) return null;
    const logs = call.logs ?? entry?.logs ?? [];
    return { ok: false, fault, steps: call.steps, durationUs: 0, memoryBytes: 0, logs };
  }

  read({ hook }: StateKey): StateRecord | null {
    const { state } = this.#logged;
    const value = Object.hasOwn(state, hook) ? state[hook] : null;
    return typeof value === "string" ? { value, version: 1 } : null;
  }

  commit(): boolean {
    return true;
  }

  /** Bounded verdicts in a row before the decision. */
  readonly retries = {
    count: ({ hook }: RetryKey): number =>
      Object.hasOwn(this.#logged.retries, hook) ? (this.#logged.retries[hook] as number) : 0,
    add: (): void => undefined,
    reset: (): void => undefined,
  };
}

/** Runs calls on a sandbox, but those whose outcome has to be taken from a record. */
export class ReplaySandbox implements Sandbox {
  readonly engine: Sandbox["engine"];
  readonly version: string;
  readonly #inner: Sandbox;
  readonly #recall: RecordedState;

  constructor(inner: Sandbox, recall: RecordedState) {
    this.engine = inner.engine;
    this.version = inner.version;
    this.#inner = inner;
    this.#recall = recall;
  }

  call(call: Call): Outcome | Promise<Outcome> {
    const recalled = this.#recall.outcome(call.program.name);
    if (recalled) return recalled;
    return this.#inner.call({
      ...call,
      limits: { ...call.limits, wallMs: Math.max(call.limits.wallMs, minTimeoutMs) },
    });
  }

  inspect(program: Program, limits: Limits, tenant: string): Promise<Inspection> {
    return this.#inner.inspect(program, limits, tenant);
  }

  forget(programKey: string): void {
    this.#inner.forget(programKey);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // The inner one serves other decisions too.
  }
}
