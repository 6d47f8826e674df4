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
   * loaded and is about to run: whoever watches the time from outside has a limit for each.
   */
  readonly onLoad?: (begins: boolean) => void;
}

/** A program whose load took longer is not loaded ahead of its next call: whoever waits then may want another one. */
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
  /** A fresh context that the next call of its program takes. */
  ready: { readonly key: string; readonly loaded: LoadedContext } | null;
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
  /** What is known of a program, by its key and the limits that it was loaded with. */
  readonly #programs = new Map<string, Map<string, Loaded>>();
  /** The program to load ahead, and where. */
  #preload: { readonly seat: PooledIsolate; readonly program: Program; readonly limits: Limits } | null = null;

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
    const seat = this.#isolateFor(slot, limits);
    return this.#pristine || call.keep === undefined
      ? this.#callFresh(seat, slot, call, message, started)
      : this.#callKept(seat, slot, call, message, started);
  }

  async inspect(program: Program, limits: Limits, tenant: string): Promise<Inspection> {
    const known = this.#programs.get(program.key)?.get(sizeOf(limits));
    if (known) return known;
    const slot = slotOf(tenant, limits);
    const seat = this.#isolateFor(slot, limits);
    const load: Load = { program, limits, tenant };
    const result = this.#load(seat, slot, load);
    if (result.kind !== "loaded") return { ok: false, fault: loadFault(result, load) };
    this.#storeReady(seat, result.loaded, limits);
    return { ok: true, handlers: result.loaded.handlers };
  }

  forget(programKey: string): void {
    this.#programs.delete(programKey);
    this.#slowLoads.forget(programKey);
    if (this.#preload?.program.key === programKey) this.#preload = null;
    for (const seat of this.#isolates.values()) {
      if (seat.ready?.loaded.program.key === programKey) this.#dropReady(seat);
      for (const [keep, loaded] of seat.kept) {
        if (loaded.program.key !== programKey) continue;
        seat.kept.delete(keep);
        seat.instance.release(loaded);
      }
    }
  }

  /** Loads the program of the last call once more: the place to call this is where an answer has left. */
  tidy(): void {
    const next = this.#preload;
    this.#preload = null;
    if (!next || next.seat.ready || !next.seat.instance.healthy || this.#needsRecycling(next.seat)) return;
    const { seat, program, limits } = next;
    const result = seat.instance.load(program, limits, performance.now() + loadMs({ limits }));
    if (result.kind === "loaded") this.#storeReady(seat, result.loaded, limits);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const seat of this.#isolates.values()) seat.instance.dispose();
    this.#isolates.clear();
    this.#programs.clear();
    this.#preload = null;
  }

  #callFresh(seat: PooledIsolate, slot: string, call: Call, message: Message, started: number): Outcome {
    const { program, limits } = call;
    const { instance } = seat;
    let loaded: LoadedContext;
    if (seat.ready?.key === readyKey(program, limits)) {
      ({ loaded } = seat.ready);
      seat.ready = null;
    } else {
      this.#dropReady(seat);
      const result = this.#loadFor(seat, slot, call);
      if (result.kind !== "loaded") return loadFailed(result, call, started);
      ({ loaded } = result);
    }
    this.#preload = loaded.loadMs < slowLoadMs ? { seat, program, limits } : null;
    const outcome = this.#run(instance, call, started, (deadline) =>
      instance.call(loaded, message, deadline),
    );
    if (instance.healthy) instance.release(loaded);
    this.#recycle(seat, slot);
    return outcome;
  }

  #callKept(seat: PooledIsolate, slot: string, call: Call, message: Message, started: number): Outcome {
    const { program, limits } = call;
    const { instance, kept } = seat;
    const key = `${sizeOf(limits)}\n${program.key}\n${call.keep}`;
    let loaded = kept.get(key);
    if (!loaded) {
      const result = this.#loadFor(seat, slot, call);
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
    this.#recycle(seat, slot);
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

  /** Loads a program for a call that waits for it. */
  #loadFor(seat: PooledIsolate, slot: string, call: Call): LoadResult {
    this.#onLoad(true);
    const result = this.#load(seat, slot, call);
    if (result.kind === "loaded") this.#onLoad(false);
    return result;
  }

  #load(seat: PooledIsolate, slot: string, load: Load): LoadResult {
    const { program, limits } = load;
    const result = seat.instance.load(program, limits, performance.now() + loadMs(load));
    if (!seat.instance.healthy) this.#isolates.delete(slot);
    // A failure by the clock may not happen again; one by counting will.
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

  #storeReady(seat: PooledIsolate, loaded: LoadedContext, limits: Limits): void {
    this.#dropReady(seat);
    seat.ready = { key: readyKey(loaded.program, limits), loaded };
  }

  #dropReady(seat: PooledIsolate): void {
    if (seat.ready && seat.instance.healthy) seat.instance.release(seat.ready.loaded);
    seat.ready = null;
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
    const seat: PooledIsolate = { instance, limits, kept: new Map(), ready: null };
    this.#isolates.set(slot, seat);
    return seat;
  }

  #needsRecycling({ instance }: PooledIsolate): boolean {
    return instance.contexts >= this.#maxContexts;
  }

  /** Replaces an isolate that is broken, or that has made enough contexts and keeps none. */
  #recycle(seat: PooledIsolate, slot: string): void {
    const { instance } = seat;
    if (instance.healthy && !(this.#needsRecycling(seat) && seat.kept.size === 0)) return;
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
