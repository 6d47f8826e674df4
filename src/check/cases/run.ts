import type { EngineName, Sandbox } from "@hookwarden/sandbox";
import type { Decision } from "../../broker/index.ts";
import { HookwardenError } from "../../errors/index.ts";
import type { LoadedHook, LoadedPack } from "../../pack/index.ts";
import { MemoryStateStore, type StateKey } from "../../state/index.ts";
import { createWarden } from "../../warden/index.ts";
import { type Difference, differencesOf, gotOf } from "./compare.ts";
import { type Case, caseDefaults } from "./read.ts";
import type { SinglePacks, SuiteHook } from "./suite.ts";

/** An event of a case that was not decided as expected. */
export interface StepFailure {
  /** Place of the event in its case, from 0. */
  readonly step: number;
  readonly differences: readonly Difference[];
}

/** How one case fared on one engine. */
export interface CaseResult {
  readonly hook: string;
  readonly name: string;
  readonly engine: EngineName;
  /** File of the cases, from the root of the pack. */
  readonly file: string;
  /** JSON pointer of the case in its file. */
  readonly pointer: string;
  readonly events: number;
  /** Empty where the case passed. */
  readonly failures: readonly StepFailure[];
  readonly durationMs: number;
}

/** Tenant of every case. */
const tenant = "default";

/** What a case runs with. */
export interface CaseRun {
  readonly packs: SinglePacks;
  readonly sandbox: Sandbox;
  /** Called with each decision, as it is made. */
  observe?(decision: Decision): void;
}

/**
 * Runs one case: its events one after another, in a warden and with state that belong to it alone. The decision ids are
 * `case-1`, `case-2` and so on, so that a hook that uses `Math.random` answers the same each time.
 *
 * @throws {HookwardenError} `cases-invalid` for a configuration or state that the hook cannot have
 */
export async function runCase(
  hook: SuiteHook,
  index: number,
  { packs, sandbox, observe }: CaseRun,
): Promise<CaseResult> {
  const test = hook.cases[index] as Case;
  const begun = performance.now();
  const { pointer } = test;
  const pack = packs.packFor(hook, test, pointer);
  const store = new MemoryStateStore();
  const states = new CaseState(store, loadedHook(pack));
  states.begin(test, hook.file, pointer);
  await using warden = await createWarden({ pack, sandbox, store, facts: "recorded" });
  const failures: StepFailure[] = [];
  for (const [step, given] of test.events.entries()) {
    const event = { ...caseDefaults, ...given };
    const decision = await warden.dispatch(event, { decisionId: `case-${step + 1}`, tenant });
    observe?.(decision);
    const got = gotOf(decision, hook.name, states.after(String(event.session_id)));
    const differences = differencesOf(test.expect[step] ?? null, got);
    if (differences.length > 0) failures.push({ step, differences });
  }
  return {
    hook: hook.name,
    name: test.name,
    engine: sandbox.engine,
    file: hook.file,
    pointer,
    events: test.events.length,
    failures,
    durationMs: performance.now() - begun,
  };
}

interface ParallelWork<Item, Result> {
  work(item: Item): Promise<Result>;
  done(result: Result): void;
  readonly signal?: AbortSignal | undefined;
}

/** Runs many pieces of work, some at the same time, and hands each result over in order of finishing. */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  concurrency: number,
  { work, done, signal }: ParallelWork<Item, Result>,
): Promise<void> {
  let next = 0;
  let failed = false;
  const over = (): boolean => next >= items.length || failed || signal?.aborted === true;
  const worker = async (): Promise<void> => {
    while (!over()) {
      try {
        done(await work(items[next++] as Item));
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: concurrency }, worker));
  for (const end of ends) if (end.status === "rejected") throw end.reason;
}

/** The hook's state, as a case gives and expects it. */
class CaseState {
  readonly #store: MemoryStateStore;
  readonly #hook: LoadedHook;

  constructor(store: MemoryStateStore, hook: LoadedHook) {
    this.#store = store;
    this.#hook = hook;
  }

  begin(test: Case, file: string, pointer: string): void {
    if (test.state === undefined || test.state === null) return;
    const { state } = this.#hook;
    const value = JSON.stringify(test.state);
    const problem =
      state === null
        ? "the case gives a state to a hook that declares none"
        : Buffer.byteLength(value) > state.maxBytes
          ? `the state is larger than the ${state.maxBytes} bytes that the hook declares`
          : null;
    if (problem) throw new HookwardenError("cases-invalid", problem, { file, pointer: `${pointer}/state` });
    const session = (test.events[0] as { readonly session_id?: unknown }).session_id;
    const key = this.#key(String(session ?? caseDefaults.session_id));
    if (key) this.#store.commit([{ key, value, expected: 0 }]);
  }

  after(session: string): unknown {
    const key = this.#key(session);
    const record = key && this.#store.read(key);
    return record ? (JSON.parse(record.value) as unknown) : null;
  }

  #key(session: string): StateKey | null {
    const { name: hook, state } = this.#hook;
    if (!state) return null;
    const { scope } = state;
    return { tenant, hook, scope, session: scope === "session" ? session : "" };
  }
}

function loadedHook(pack: LoadedPack): LoadedHook {
  return pack.hooks[0] as LoadedHook;
}
