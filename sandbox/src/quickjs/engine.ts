import type { Call, Inspection, LogLine, Outcome, Program, Sandbox } from "../contract.ts";
import type { Fault } from "../fault.ts";
import { encodeMessage, type Reply, readReply } from "../guest/message.ts";
import { loadLimits, loadMs, type Limits } from "../limits.ts";
import { callFault, loadFault } from "./faults.ts";
import { Instance } from "./instance.ts";
import { type Bounds, type Load, type LoadedProgram, pagesFor } from "./raw-result.ts";
import type { Base } from "./base.ts";
import { loadBase } from "./load-base.ts";
import { failed, faults, isLonger, microseconds } from "../outcome.ts";
import { type Loaded, LoadedPrograms } from "./loaded-programs.ts";
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
  /**
   * Called with `true` when a call has to wait for its program to be loaded, and with `false` when the program is
   * loaded and is about to run: an external watchdog has a limit for each.
   */
  readonly onLoad?: (begins: boolean) => void;
}

/** An instance in which a call took more memory than this is not kept: what was touched stays the process's. */
const grownBytes = 4 * 1_048_576;

/** Bytes of a reply for each unit of its log: an empty line counts as one, and takes `["debug",""],`. */
const logOverhead = 16;

/** Browsers have no `setImmediate`. */
const afterReply: (run: () => void) => void =
  typeof setImmediate === "function"
    ? (run) => void setImmediate(run).unref()
    : (run) => void setTimeout(run);

/** A call whose program is loaded; `began` is in `performance.now()` milliseconds. */
interface LoadedCall {
  readonly call: Call;
  readonly program: LoadedProgram;
  readonly began: number;
}

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
  readonly #onLoad: (begins: boolean) => void;
  readonly #programs = new LoadedPrograms();
  readonly #instances = new Map<string, Instance>();
  readonly #spares = new Map<number, Instance>();
  /** Have yet to be made ready for their next call. */
  #used: Instance[] = [];
  #lastSlot = "";
  #disposed = false;

  constructor(base: Base, options: QuickjsOptions) {
    this.#base = base;
    this.#pristine = options.pristine ?? true;
    this.#maxInstances = options.maxInstances ?? 256;
    this.#onLoad = options.onLoad ?? (() => undefined);
  }

  call(call: Call): Outcome | Promise<Outcome> {
    const loaded = this.#programs.outcomeOf(call, false);
    return loaded ? this.#callLoaded(call, loaded, performance.now()) : this.#loadAndCall(call);
  }

  async inspect(program: Program, limits: Limits, tenant: string): Promise<Inspection> {
    const slot = `${pagesFor(limits.memoryKb)}\n${tenant}`;
    const loaded = await this.#load({ program, limits, tenant }, slot, true);
    return loaded.ok ? { ok: true, handlers: loaded.program.handlers } : { ok: false, fault: loaded.fault };
  }

  #loadAndCall(call: Call): Outcome | Promise<Outcome> {
    const started = performance.now();
    this.#onLoad(true);
    const run = (loaded: Loaded): Outcome | Promise<Outcome> => {
      if (loaded.ok) this.#onLoad(false);
      return this.#callLoaded(call, loaded, started);
    };
    const loaded = this.#load(call, this.#slot(call, pagesFor(call.limits.memoryKb)), false);
    return loaded instanceof Promise ? loaded.then(run) : run(loaded);
  }

  /** @param began when the call did, its loading included: the caller's time budget counts from there. */
  #callLoaded(call: Call, loaded: Loaded, began: number): Outcome | Promise<Outcome> {
    if (!loaded.ok) {
      const { fault, steps, memoryBytes } = loaded;
      const outcome = failed(fault, steps, began, memoryBytes);
      return fault.code === "timeout" ? { ...outcome, loadTimedOut: true } : outcome;
    }
    const pages = pagesFor(call.limits.memoryKb);
    const slot = this.#slot(call, pages);
    const instance = this.#find(slot) ?? this.#useSpare(slot, pages);
    if (instance) return this.#run(instance, slot, { call, program: loaded.program, began });
    return this.#create(slot, pages).then((created) =>
      this.#run(created, slot, { call, program: loaded.program, began }),
    );
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
    if (this.#used.length === 1) afterReply(this.tidy);
  }

  forget(programKey: string): void {
    this.#programs.forget(programKey);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true;
    this.#instances.clear();
    this.#spares.clear();
    this.#programs.clear();
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

  #useSpare(slot: string, pages: number): Instance | undefined {
    const spare = this.#spares.get(pages);
    if (!spare) return undefined;
    this.#spares.delete(pages);
    this.#addInstance(slot, spare);
    this.#refill(pages);
    return spare;
  }

  async #create(slot: string, pages: number): Promise<Instance> {
    const instance = await Instance.create(pages, this.#base);
    this.#addInstance(slot, instance);
    this.#refill(pages);
    return instance;
  }

  #refill(pages: number): void {
    if (this.#spares.has(pages) || this.#disposed) return;
    void Instance.create(pages, this.#base).then((instance) => {
      if (!this.#disposed) this.#spares.set(pages, instance);
    });
  }

  #addInstance(slot: string, instance: Instance): void {
    this.#lastSlot = slot;
    if (this.#instances.size >= this.#maxInstances) {
      const oldest = this.#instances.keys().next().value;
      if (oldest !== undefined) this.#instances.delete(oldest);
    }
    this.#instances.set(slot, instance);
  }

  /**
   * Loads a program in an engine in which nothing has run. All tenants start from the image that is taken there: a
   * program that broke the engine under one tenant must not be able to put something into the image of another one.
   *
   * @param slot gets the engine afterwards, if it has none
   * @param again whether to load a program again that ran out of time a moment ago
   */
  #load(load: Load, slot: string, again: boolean): Loaded | Promise<Loaded> {
    const pages = pagesFor(load.limits.memoryKb);
    const spare = this.#spares.get(pages);
    if (!spare) {
      return Instance.create(pages, this.#base).then((fresh) => {
        // Another call may have waited for an engine at the same time, and have loaded the program.
        const done = this.#programs.outcomeOf(load, again);
        if (!done) return this.#loadIn(fresh, load, slot);
        this.#spares.set(pages, fresh);
        return done;
      });
    }
    const done = this.#programs.outcomeOf(load, again);
    if (done) return done;
    this.#spares.delete(pages);
    return this.#loadIn(spare, load, slot);
  }

  #loadIn(instance: Instance, load: Load, slot: string): Loaded {
    const { program, limits } = load;
    const bounds: Bounds = {
      steps: Math.max(limits.steps, loadLimits.steps),
      deadline: performance.now() + loadMs(load),
      maxReplyBytes: loadLimits.replyBytes,
    };
    const result = instance.load(program.name, program.source, limits, bounds);
    // Creating the next engine takes longer than most calls, so it is deferred.
    afterReply(() => this.#refill(instance.pages));
    if (instance.healthy && !this.#instances.has(slot)) this.#addInstance(slot, instance);
    const { steps, memoryBytes } = instance;
    const loaded: Loaded =
      "image" in result
        ? { ok: true, program: result }
        : { ok: false, fault: loadFault(result, load), steps, memoryBytes };
    this.#programs.remember(load, loaded);
    return loaded;
  }

  #run(instance: Instance, slot: string, { call, program, began }: LoadedCall): Outcome {
    const started = performance.now();
    const { limits, budgetMs = Infinity } = call;
    const kept = !this.#pristine && call.keep !== undefined;
    if (kept) instance.resume(program);
    else instance.select(program);
    const message = encodeMessage(call);
    if (isLonger(message.args, limits.inputBytes)) return failed(faults.inputTooLarge(limits), 0, started, 0);
    const now = performance.now();
    const ms = Math.min(limits.wallMs, began + budgetMs - now);
    const result = instance.call(message, {
      steps: limits.steps,
      deadline: now + ms,
      maxReplyBytes: limits.outputBytes + logOverhead * limits.logBytes + 16_384,
    });
    const reply: Reply =
      result.kind === "text"
        ? readReply(result.text, limits, call.program.name)
        : { ok: false, fault: callFault(result, limits, ms), logs: [] };
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
