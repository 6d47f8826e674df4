import { setFlagsFromString } from "node:v8";
import type { Call, Inspection, Outcome, Program, RealmKind, Sandbox } from "../contract.ts";
import { encodeMessage } from "../guest/message.ts";
import type { Limits } from "../limits.ts";
import { failed, faults, isLonger } from "../outcome.ts";
import { FreshCalls } from "./fresh-calls.ts";
import { FrozenCalls } from "./frozen-calls.ts";
import { withRealmHint } from "./realm-hint.ts";
import { LoadCache } from "./load-cache.ts";
import { loadPackage, packageVersion } from "./package.ts";
import type { PendingCall } from "./run-call.ts";
import { createWorld, type World } from "./world.ts";

export interface IsolateOptions {
  /**
   * `true` (default): no call sees a value, an object or code of another one. `false`: calls with the same `keep`
   * share a context, and see what earlier ones left.
   */
  readonly pristine?: boolean;
  /**
   * What pristine calls run in. `frozen` (default): a context whose built-in objects are frozen, in which the module
   * is evaluated anew for each call. `fresh`: a new context for each call, about a hundred times slower, for programs
   * that change built-in objects.
   */
  readonly realm?: RealmKind;
  /** Most isolates that are kept for tenants and sizes. Default 8. */
  readonly maxInstances?: number;
  /** Most contexts that one isolate keeps, where not pristine. Default 256. */
  readonly maxKept?: number;
  /** Contexts that one isolate makes before it is replaced, so that what V8 keeps of each cannot add up. Default 1,000. */
  readonly maxContexts?: number;
  /**
   * Called with `true` when a call has to wait for its program to be loaded, and with `false` when the program is
   * loaded and is about to run: an external watchdog has a limit for each.
   */
  readonly onLoad?: (begins: boolean) => void;
}

/**
 * Creates a sandbox that runs V8 isolates in this process. Some built-in functions of V8 stop for no timeout, and a
 * few kinds of memory escape its limit, so the process must be one that can be killed, and serve one tenant.
 * Rejects with `EngineMissingError` where isolated-vm cannot be used.
 */
export async function createIsolateSandbox(options: IsolateOptions = {}): Promise<IsolateSandbox> {
  const ivm = await loadPackage();
  // V8 takes the zone from the process, and isolates live only in processes that are theirs.
  process.env["TZ"] = "UTC";
  // This optimisation takes the interrupt check out of loops that it believes to be short, and `for (;;)` around an
  // array's `fill` is one of them: neither the timeout nor the memory limit would ever end it.
  setFlagsFromString("--no-turboshaft-loop-unrolling");
  return new IsolateSandbox(createWorld(ivm), options);
}

export class IsolateSandbox implements Sandbox {
  readonly engine = "isolate";
  readonly version: string = packageVersion();
  readonly #pristine: boolean;
  readonly #realm: RealmKind;
  readonly #loads = new LoadCache();
  readonly #fresh: FreshCalls;
  readonly #frozen: FrozenCalls;
  /** Keys of programs that cannot be evaluated more than once in a realm. */
  readonly #needFresh = new Set<string>();

  constructor(world: World, options: IsolateOptions) {
    const { maxInstances = 8, maxKept = 256, maxContexts = 1_000, onLoad = () => undefined } = options;
    this.#pristine = options.pristine ?? true;
    this.#realm = options.realm ?? "frozen";
    this.#fresh = new FreshCalls(world, this.#loads, { maxInstances, maxKept, maxContexts, onLoad });
    this.#frozen = new FrozenCalls(world, this.#loads, { maxInstances, onLoad });
  }

  call(call: Call): Outcome {
    const started = performance.now();
    const message = encodeMessage(call);
    const { limits, keep, program } = call;
    if (isLonger(message.args, limits.inputBytes))
      return failed(faults.inputTooLarge(limits), null, started, 0);
    const known = this.#loads.outcomeOf(call, started);
    if (known) return known;
    const pending: PendingCall = { call, message, started };
    if (!this.#pristine && keep !== undefined) return this.#fresh.callKept(pending, keep);
    if (!this.#isFrozen(program)) return this.#fresh.call(pending);
    const outcome = this.#frozen.call(pending);
    if (!("kind" in outcome)) return withRealmHint(outcome);
    this.#needFresh.add(program.key);
    return this.#fresh.call(pending);
  }

  async inspect(program: Program, limits: Limits, tenant: string): Promise<Inspection> {
    const load = { program, limits, tenant };
    const known = this.#loads.find(load);
    if (known) return known;
    if (this.#isFrozen(program)) {
      const inspection = this.#frozen.inspect(load);
      if (!("kind" in inspection)) return inspection;
      this.#needFresh.add(program.key);
    }
    return this.#fresh.inspect(load);
  }

  forget(programKey: string): void {
    this.#needFresh.delete(programKey);
    this.#loads.forget(programKey);
    this.#fresh.forget(programKey);
    this.#frozen.forget(programKey);
  }

  /** Does work ahead of the next call; to be called after the answer was sent. */
  tidy(): void {
    this.#fresh.tidy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#fresh.dispose();
    this.#frozen.dispose();
    this.#loads.clear();
  }

  /** Whether a program runs in a frozen realm. Kept contexts are contexts of their own, and so are those beside them. */
  #isFrozen(program: Program): boolean {
    return this.#pristine && this.#realm === "frozen" && !this.#needFresh.has(program.key);
  }
}
