import { setFlagsFromString } from "node:v8";
import type { Call, Inspection, Outcome, Program, Sandbox } from "../contract.ts";
import type { Fault } from "../fault.ts";
import { encodeMessage, guestText, type Message, readReply } from "../guest/message.ts";
import { loadMs, type Limits } from "../limits.ts";
import { failed, faults, isLonger, microseconds } from "../outcome.ts";
import { SlowLoads } from "../slow-loads.ts";
import { Instance, type LoadedContext, type LoadResult, type Stopped } from "./instance.ts";
import { loadPackage, packageVersion } from "./package.ts";
import { createWorld, type World } from "./world.ts";

export interface IsolateOptions {
  /**
   * `true` (default): every call has a fresh context. `false`: calls with the same `keep` share a context, and see
   * what earlier ones left.
   */
  readonly pristine?: boolean;
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

/** A program whose load took longer is not loaded ahead of its next call: the next caller may want another one. */
const slowLoadMs = 20;

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

type Loaded =
  | { readonly ok: true; readonly handlers: readonly string[] | null }
  | { readonly ok: false; readonly fault: Fault };

/** What is asked of a program: to be loaded for a call, or for an inspection. */
type Load = Pick<Call, "program" | "tenant" | "limits" | "budgetMs">;

/** An isolate with what it has ready. */
interface PooledIsolate {
  readonly instance: Instance;
  readonly limits: Limits;
  readonly kept: Map<string, LoadedContext>;
  /** A preloaded context for the next call of its program. */
  ready: { readonly key: string; readonly loaded: LoadedContext } | null;
}

/** A call whose input was encoded; `started` is in `performance.now()` milliseconds. */
interface PendingCall {
  readonly call: Call;
  readonly message: Message;
  readonly started: number;
}

class IsolateSandbox implements Sandbox {
  readonly engine = "isolate";
  readonly version: string = packageVersion();
  readonly #world: World;
  readonly #pristine: boolean;
  readonly #maxInstances: number;
  readonly #maxKept: number;
  readonly #maxContexts: number;
  readonly #onLoad: (begins: boolean) => void;
  readonly #slowLoads = new SlowLoads();
  /** By tenant and size. */
  readonly #isolates = new Map<string, PooledIsolate>();
  /** Load results, by program key and by the limits that they depend on. */
  readonly #programs = new Map<string, Map<string, Loaded>>();
  /** The program to preload, and its isolate. */
  #preload: { readonly pooled: PooledIsolate; readonly program: Program; readonly limits: Limits } | null =
    null;

  constructor(world: World, options: IsolateOptions) {
    this.#world = world;
    this.#pristine = options.pristine ?? true;
    this.#maxInstances = options.maxInstances ?? 8;
    this.#maxKept = options.maxKept ?? 256;
    this.#maxContexts = options.maxContexts ?? 1_000;
    this.#onLoad = options.onLoad ?? (() => undefined);
  }

  call(call: Call): Outcome {
    const started = performance.now();
    const { program, limits } = call;
    const message = encodeMessage(call);
    if (isLonger(message.args, limits.inputBytes))
      return failed(faults.inputTooLarge(limits), null, started, 0);
    const known = this.#programs.get(program.key)?.get(sizeOf(limits));
    if (known?.ok === false) return failed(known.fault, null, started, 0);
    const slow = this.#slowLoads.recall(call);
    if (slow) return { ...failed(slow, null, started, 0), loadTimedOut: true };
    const slot = slotOf(call.tenant, limits);
    const pooled = this.#isolateFor(slot, limits);
    return this.#pristine || call.keep === undefined
      ? this.#callFresh(pooled, slot, { call, message, started })
      : this.#callKept(pooled, slot, { call, message, started });
  }

  async inspect(program: Program, limits: Limits, tenant: string): Promise<Inspection> {
    const known = this.#programs.get(program.key)?.get(sizeOf(limits));
    if (known) return known;
    const slot = slotOf(tenant, limits);
    const pooled = this.#isolateFor(slot, limits);
    const load: Load = { program, limits, tenant };
    const result = this.#load(pooled, slot, load);
    if (result.kind !== "loaded") return { ok: false, fault: loadFault(result, load) };
    this.#storeReady(pooled, result.loaded, limits);
    return { ok: true, handlers: result.loaded.handlers };
  }

  forget(programKey: string): void {
    this.#programs.delete(programKey);
    this.#slowLoads.forget(programKey);
    if (this.#preload?.program.key === programKey) this.#preload = null;
    for (const pooled of this.#isolates.values()) {
      if (pooled.ready?.loaded.program.key === programKey) this.#dropReady(pooled);
      for (const [keep, loaded] of pooled.kept) {
        if (loaded.program.key !== programKey) continue;
        pooled.kept.delete(keep);
        pooled.instance.release(loaded);
      }
    }
  }

  /** Preloads the program of the last call; to be called after the answer was sent. */
  tidy(): void {
    const next = this.#preload;
    this.#preload = null;
    if (!next || next.pooled.ready || !next.pooled.instance.healthy || this.#needsRecycling(next.pooled))
      return;
    const { pooled, program, limits } = next;
    const result = pooled.instance.load(program, limits, performance.now() + loadMs({ limits }));
    if (result.kind === "loaded") this.#storeReady(pooled, result.loaded, limits);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const pooled of this.#isolates.values()) pooled.instance.dispose();
    this.#isolates.clear();
    this.#programs.clear();
    this.#preload = null;
  }

  #callFresh(pooled: PooledIsolate, slot: string, { call, message, started }: PendingCall): Outcome {
    const { program, limits } = call;
    const { instance } = pooled;
    let loaded: LoadedContext;
    if (pooled.ready?.key === readyKey(program, limits)) {
      ({ loaded } = pooled.ready);
      pooled.ready = null;
    } else {
      this.#dropReady(pooled);
      const result = this.#loadFor(pooled, slot, call);
      if (result.kind !== "loaded") return loadFailed(result, call, started);
      ({ loaded } = result);
    }
    this.#preload = loaded.loadMs < slowLoadMs ? { pooled, program, limits } : null;
    const outcome = this.#run(instance, call, started, (deadline) =>
      instance.call(loaded, message, deadline),
    );
    if (instance.healthy) instance.release(loaded);
    this.#recycle(pooled, slot);
    return outcome;
  }

  #callKept(pooled: PooledIsolate, slot: string, { call, message, started }: PendingCall): Outcome {
    const { program, limits } = call;
    const { instance, kept } = pooled;
    const key = `${sizeOf(limits)}\n${program.key}\n${call.keep}`;
    let loaded = kept.get(key);
    if (!loaded) {
      const result = this.#loadFor(pooled, slot, call);
      if (result.kind !== "loaded") return loadFailed(result, call, started);
      ({ loaded } = result);
      const oldest = kept.size >= this.#maxKept ? kept.entries().next().value : undefined;
      if (oldest) {
        kept.delete(oldest[0]);
        instance.release(oldest[1]);
      }
      kept.set(key, loaded);
    }
    const context = loaded;
    const outcome = this.#run(instance, call, started, (deadline) =>
      instance.callKept(context, message, deadline),
    );
    this.#recycle(pooled, slot);
    return outcome;
  }

  #run(
    instance: Instance,
    { program, limits, budgetMs = Infinity }: Call,
    started: number,
    run: (deadline: number) => ReturnType<Instance["call"]>,
  ): Outcome {
    const now = performance.now();
    const ms = Math.min(limits.wallMs, started + budgetMs - now);
    const result = run(now + ms);
    const { grownBytes: memoryBytes } = instance;
    if (result.kind === "stopped")
      return failed(stopFault(result.by, limits, ms), null, started, memoryBytes);
    if (result.kind === "unsettled") return failed(faults.unsettled(), null, started, memoryBytes);
    const reply = readReply(result.text, limits, program.name);
    if (!reply.ok && reply.fault.code === "crashed") instance.dispose();
    const durationUs = microseconds(started);
    const { logs } = reply;
    return reply.ok
      ? { ok: true, output: reply.output, steps: null, durationUs, memoryBytes, logs }
      : { ok: false, fault: reply.fault, steps: null, durationUs, memoryBytes, logs };
  }

  /** Loads a program on the critical path of a call. */
  #loadFor(pooled: PooledIsolate, slot: string, call: Call): LoadResult {
    this.#onLoad(true);
    const result = this.#load(pooled, slot, call);
    if (result.kind === "loaded") this.#onLoad(false);
    return result;
  }

  #load(pooled: PooledIsolate, slot: string, load: Load): LoadResult {
    const { program, limits } = load;
    const result = pooled.instance.load(program, limits, performance.now() + loadMs(load));
    if (!pooled.instance.healthy) this.#isolates.delete(slot);
    // A timeout may not recur, so only deterministic failures are cached.
    if (result.kind === "stopped" && result.by === "wall") {
      this.#slowLoads.remember(load);
    } else if (result.kind !== "stopped" || result.by === "memory") {
      const loaded: Loaded =
        result.kind === "loaded"
          ? { ok: true, handlers: result.loaded.handlers }
          : { ok: false, fault: loadFault(result, load) };
      const known = this.#programs.get(program.key);
      if (known) known.set(sizeOf(limits), loaded);
      else this.#programs.set(program.key, new Map([[sizeOf(limits), loaded]]));
    }
    return result;
  }

  #storeReady(pooled: PooledIsolate, loaded: LoadedContext, limits: Limits): void {
    this.#dropReady(pooled);
    pooled.ready = { key: readyKey(loaded.program, limits), loaded };
  }

  #dropReady(pooled: PooledIsolate): void {
    if (pooled.ready && pooled.instance.healthy) pooled.instance.release(pooled.ready.loaded);
    pooled.ready = null;
  }

  #isolateFor(slot: string, limits: Limits): PooledIsolate {
    const known = this.#isolates.get(slot);
    if (known) return known;
    if (this.#isolates.size >= this.#maxInstances) {
      const [oldest] = this.#isolates;
      if (oldest) {
        this.#isolates.delete(oldest[0]);
        oldest[1].instance.dispose();
      }
    }
    const instance = new Instance(this.#world, limits);
    const pooled: PooledIsolate = { instance, limits, kept: new Map(), ready: null };
    this.#isolates.set(slot, pooled);
    return pooled;
  }

  #needsRecycling({ instance }: PooledIsolate): boolean {
    return instance.contexts >= this.#maxContexts;
  }

  /** Replaces an isolate that is broken, or that has made enough contexts and keeps none. */
  #recycle(pooled: PooledIsolate, slot: string): void {
    const { instance } = pooled;
    if (instance.healthy && !(this.#needsRecycling(pooled) && pooled.kept.size === 0)) return;
    this.#isolates.delete(slot);
    if (instance.healthy) instance.dispose();
  }
}

export type { IsolateSandbox };

/** Calls in one slot share an isolate. */
function slotOf(tenant: string, limits: Limits): string {
  return `${limits.memoryKb}/${limits.stackKb}\n${tenant}`;
}

/** The limits that a loaded program depends on. */
function sizeOf(limits: Limits): string {
  return `${limits.memoryKb}/${limits.stackKb}/${limits.logBytes}/${limits.outputBytes}/${limits.outputDepth}`;
}

function readyKey(program: Program, limits: Limits): string {
  return `${sizeOf(limits)}\n${program.key}`;
}

/** @param ms time that the call had */
function stopFault(by: Stopped, limits: Limits, ms: number): Fault {
  switch (by) {
    case "wall":
      return ms < limits.wallMs ? faults.budget(ms) : faults.wall(limits);
    case "memory":
      return faults.memory(limits);
    case "crash":
      return { code: "crashed", message: "the engine ended the call" };
  }
}

type FailedLoad = Exclude<LoadResult, { kind: "loaded" }>;

function loadFailed(result: FailedLoad, load: Load, since: number): Outcome {
  const fault = loadFault(result, load);
  const outcome = failed(fault, null, since, 0);
  return fault.code === "timeout" ? { ...outcome, loadTimedOut: true } : outcome;
}

function loadFault(result: FailedLoad, load: Load): Fault {
  if (result.kind === "failed") return { code: "load-failed", message: guestText(result.message) };
  switch (result.by) {
    case "wall":
      return faults.loadWall(load);
    case "memory":
      return { code: "memory-exceeded", message: "asked for too much memory while it was loaded" };
    case "crash":
      return { code: "crashed", message: "the engine ended the load" };
  }
}
