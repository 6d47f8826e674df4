import type { Call, Inspection, LogLine, Outcome, Program, Sandbox } from "../contract.ts";
import type { Fault } from "../fault.ts";
import { encodeMessage, guestText, type Reply, readReply } from "../guest/message.ts";
import { loadLimits, type Limits } from "../limits.ts";
import { type Bounds, Instance, type LoadedProgram, pagesFor, type RawResult } from "./instance.ts";
import type { Base } from "./base.ts";
import { loadBase } from "./kept-base.ts";
import { failed, faults, isLonger, microseconds } from "../outcome.ts";
import { engineVersion } from "./module.ts";

export interface QuickjsOptions {
  /**
   * `true` (default): every call starts from the same memory image. `false`: calls with the same `keep` share a
   * context, and see what earlier ones left.
   */
  readonly pristine?: boolean;
  /**
   * Most instances that are kept for tenants and, where not pristine, for sessions; the one that was used longest ago
   * goes first. Each takes about a megabyte. Default 256.
   */
  readonly maxInstances?: number;
}

/** An instance in which a call took more memory than this is not kept: what was touched stays the process's. */
const grownBytes = 4 * 1_048_576;

/** Bytes of a reply for each unit of its log: an empty line counts as one, and takes `["debug",""],`. */
const logOverhead = 16;

/** Browsers have no `setImmediate`. */
const later: (run: () => void) => void =
  typeof setImmediate === "function"
    ? (run) => void setImmediate(run).unref()
    : (run) => void setTimeout(run);

type Loaded =
  { readonly ok: true; readonly program: LoadedProgram } | { readonly ok: false; readonly fault: Fault };

/** Creates a sandbox that runs QuickJS, as WebAssembly, in this process. */
export async function createQuickjsSandbox(options: QuickjsOptions = {}): Promise<Sandbox> {
  return new QuickjsSandbox(await loadBase(), options);
}

class QuickjsSandbox implements Sandbox {
  readonly engine = "quickjs";
  readonly version = engineVersion;
  readonly #base: Base;
  readonly #pristine: boolean;
  readonly #maxInstances: number;
  /** By program, memory and stack: an image is made for one size. */
  readonly #programs = new Map<string, Map<string, Loaded>>();
  readonly #instances = new Map<string, Instance>();
  readonly #spares = new Map<number, Instance>();
  /** Have yet to be made ready for their next call. */
  #used: Instance[] = [];
  #lastSlot = "";
  #lastLoaded: { readonly key: string; readonly limits: Limits; readonly loaded: Loaded } | null = null;
  #disposed = false;

  constructor(base: Base, options: QuickjsOptions) {
    this.#base = base;
    this.#pristine = options.pristine ?? true;
    this.#maxInstances = options.maxInstances ?? 256;
  }

  call(call: Call): Outcome | Promise<Outcome> {
    const pages = pagesFor(call.limits.memoryKb);
    const slot = this.#slot(call, pages);
    const instance = this.#find(slot) ?? this.#takeSpare(slot, pages);
    return instance ? this.#run(instance, slot, call) : this.#createAndRun(slot, pages, call);
  }

  async inspect(program: Program, limits: Limits, tenant: string): Promise<Inspection> {
    const pages = pagesFor(limits.memoryKb);
    const slot = `${pages}\n${tenant}`;
    const instance = this.#find(slot) ?? this.#takeSpare(slot, pages) ?? (await this.#create(slot, pages));
    const loaded = this.#load(instance, slot, program, limits);
    return loaded.ok ? { ok: true, handlers: loaded.program.handlers } : loaded;
  }

  readonly tidy = (): void => {
    const used = this.#used;
    if (used.length === 0) return;
    this.#used = [];
    for (const instance of used) instance.tidy();
  };

  /** The image is put back when the caller has its answer and turns to something else, or else before the next call. */
  #tidyLater(instance: Instance): void {
    if (this.#used.includes(instance)) return;
    this.#used.push(instance);
    if (this.#used.length === 1) later(this.tidy);
  }

  forget(programKey: string): void {
    this.#programs.delete(programKey);
    if (this.#lastLoaded?.key === programKey) this.#lastLoaded = null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true;
    this.#instances.clear();
    this.#spares.clear();
    this.#programs.clear();
    this.#lastLoaded = null;
  }

  /** Calls in one slot share an instance: those of one tenant, or, where contexts are kept, of one key and program. */
  #slot(call: Call, pages: number): string {
    return this.#pristine || call.keep === undefined
      ? `${pages}\n${call.tenant}`
      : `${pages}\n${call.tenant}\n${call.program.key}\n${call.keep}`;
  }

  #find(slot: string): Instance | undefined {
    const instance = this.#instances.get(slot);
    if (!instance || slot === this.#lastSlot) return instance;
    // The last in the map is the one that was used last.
    this.#lastSlot = slot;
    this.#instances.delete(slot);
    this.#instances.set(slot, instance);
    return instance;
  }

  #takeSpare(slot: string, pages: number): Instance | undefined {
    const spare = this.#spares.get(pages);
    if (!spare) return undefined;
    this.#spares.delete(pages);
    this.#keep(slot, spare);
    this.#refill(pages);
    return spare;
  }

  async #create(slot: string, pages: number): Promise<Instance> {
    const instance = await Instance.create(pages, this.#base);
    this.#keep(slot, instance);
    this.#refill(pages);
    return instance;
  }

  async #createAndRun(slot: string, pages: number, call: Call): Promise<Outcome> {
    return this.#run(await this.#create(slot, pages), slot, call);
  }

  #refill(pages: number): void {
    if (this.#spares.has(pages) || this.#disposed) return;
    void Instance.create(pages, this.#base).then((instance) => {
      if (!this.#disposed) this.#spares.set(pages, instance);
    });
  }

  #keep(slot: string, instance: Instance): void {
    this.#lastSlot = slot;
    if (this.#instances.size >= this.#maxInstances) {
      const oldest = this.#instances.keys().next().value;
      if (oldest !== undefined) this.#instances.delete(oldest);
    }
    this.#instances.set(slot, instance);
  }

  #load(instance: Instance, slot: string, program: Program, limits: Limits): Loaded {
    // Most calls are made with the limits of the one before; those that nobody can change need no second look.
    const last = this.#lastLoaded;
    if (last !== null && last.key === program.key && last.limits === limits) return last.loaded;
    const image = `${limits.memoryKb}/${limits.stackKb}/${limits.logBytes}/${limits.outputBytes}/${limits.outputDepth}`;
    const known = this.#programs.get(program.key);
    const loaded = known?.get(image);
    if (loaded) {
      if (Object.isFrozen(limits)) this.#lastLoaded = { key: program.key, limits, loaded };
      return loaded;
    }
    const bounds: Bounds = {
      steps: Math.max(limits.steps, loadLimits.steps),
      deadline: performance.now() + Math.max(limits.wallMs, loadLimits.wallMs),
      maxReplyBytes: loadLimits.replyBytes,
    };
    const result = instance.load(program.name, program.source, limits, bounds);
    if (!instance.healthy) this.#instances.delete(slot);
    const fresh: Loaded =
      "image" in result ? { ok: true, program: result } : { ok: false, fault: loadFault(result) };
    // A failure by the clock may not happen again; one by counting will.
    if (fresh.ok || fresh.fault.code !== "timeout") {
      if (known) known.set(image, fresh);
      else this.#programs.set(program.key, new Map([[image, fresh]]));
    }
    return fresh;
  }

  #run(instance: Instance, slot: string, call: Call): Outcome {
    const started = performance.now();
    const { limits } = call;
    const loaded = this.#load(instance, slot, call.program, limits);
    if (!loaded.ok) return failed(loaded.fault, instance.steps, started, instance.memoryBytes);
    const kept = !this.#pristine && call.keep !== undefined;
    if (kept) instance.resume(loaded.program);
    else instance.select(loaded.program);
    const message = encodeMessage(call);
    if (isLonger(message.args, limits.inputBytes)) return failed(faults.inputTooLarge(limits), 0, started, 0);
    const result = instance.call(message, {
      steps: limits.steps,
      deadline: performance.now() + limits.wallMs,
      maxReplyBytes: limits.outputBytes + logOverhead * limits.logBytes + 4_096,
    });
    const reply: Reply =
      result.kind === "text"
        ? readReply(result.text, limits)
        : { ok: false, fault: callFault(result, limits), logs: [] };
    if (!reply.ok && reply.fault.code === "crashed") instance.healthy = false;
    const isGrown = !kept && instance.memoryBytes > grownBytes;
    if (!instance.healthy || isGrown) {
      this.#instances.delete(slot);
      this.#refill(instance.pages);
    } else if (!kept) this.#tidyLater(instance);
    const { steps, memoryBytes } = instance;
    const logs: readonly LogLine[] = reply.logs;
    const durationUs = microseconds(started);
    if (reply.ok) return { ok: true, output: reply.output, steps, durationUs, memoryBytes, logs };
    return { ok: false, fault: this.#refine(reply, instance, limits), steps, durationUs, memoryBytes, logs };
  }

  /** An error that the guest let through is one of the stack where the host sees that the stack was used up. */
  #refine(reply: Reply & { ok: false }, instance: Instance, limits: Limits): Fault {
    if (reply.fault.code !== "threw" || !instance.reachedStackLimit()) return reply.fault;
    return faults.stack(limits);
  }
}

function callFault(result: Exclude<RawResult, { kind: "text" }>, limits: Limits): Fault {
  switch (result.kind) {
    case "stopped":
      return result.by === "steps" ? faults.steps(limits) : faults.wall(limits);
    case "unsettled":
      return faults.unsettled();
    case "refused-memory":
      return faults.memory(limits);
    case "overflow":
      return faults.stack(limits);
    case "too-large":
      return faults.outputTooLarge(limits);
    case "exception":
      return { code: "threw", message: guestText(result.message) };
    case "trap":
      return { code: "crashed", message: "the engine trapped" };
  }
}

function loadFault(result: Exclude<RawResult | LoadedProgram, LoadedProgram>): Fault {
  switch (result.kind) {
    case "exception":
      return { code: "load-failed", message: guestText(result.message) };
    case "unsettled":
      return {
        code: "load-failed",
        message: "the module waits for a promise that nothing can settle any more",
      };
    case "stopped":
      return result.by === "steps"
        ? { code: "steps-exceeded", message: `used more than ${loadLimits.steps} steps while it was loaded` }
        : { code: "timeout", message: "took too long to load" };
    case "refused-memory":
      return { code: "memory-exceeded", message: "asked for too much memory while it was loaded" };
    case "overflow":
      return { code: "stack-exceeded", message: "used too much stack while it was loaded" };
    case "trap":
      return { code: "crashed", message: "the engine trapped while the module was loaded" };
    case "text":
    case "too-large":
      return { code: "load-failed", message: "the module exports too many names" };
  }
}
