import { setFlagsFromString } from "node:v8";
import type IsolatedVm from "isolated-vm";
import type { Program } from "../contract.ts";
import type { Message } from "../guest/message.ts";
import { type Limits, loadLimits } from "../limits.ts";
import { type Bridge, bridgeName, decoyReason, guardModule, outerModule } from "./bridge.ts";
import { v8StackKb } from "../v8-stack.ts";
import type { World } from "./world.ts";

/** Minimum memory limit that isolated-vm accepts, in MiB. */
const minimumMb = 8;
/** Base memory of an isolate with a loaded program, in MiB. */
const overheadMb = 4;
/** Stack used by the engine and the host's calls into it, in KiB. */
const overheadStackKb = 64;

/** Why guest code was stopped, as observed by the host. */
export type Stopped = "wall" | "memory" | "crash";

/** A program in a context of its own, ready to be called. */
export interface LoadedContext {
  readonly program: Program;
  readonly context: IsolatedVm.Context;
  readonly bridge: Bridge;
  /** Names of the handlers, `null` where one function serves all. */
  readonly handlers: readonly string[] | null;
  readonly loadMs: number;
}

export type LoadResult =
  | { readonly kind: "loaded"; readonly loaded: LoadedContext }
  | { readonly kind: "failed"; readonly message: string }
  | { readonly kind: "stopped"; readonly by: Stopped };

export type CallResult =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "unsettled" }
  | { readonly kind: "stopped"; readonly by: Stopped };

/** A fresh context, and the modules that were compiled for it. */
interface LoadTarget {
  readonly context: IsolatedVm.Context;
  readonly bridge: Bridge;
  readonly modules: IsolatedVm.Module[];
}

interface Exported {
  readonly kind: "loaded";
  readonly handlers: readonly string[] | null;
}

/** One isolate. Makes contexts, loads programs into them, and calls them. */
export class Instance {
  /** `false` after anything that leaves the isolate in doubt; it must be thrown away then. */
  healthy = true;
  readonly #isolate: IsolatedVm.Isolate;
  readonly #taken: string;
  #contexts = 0;
  #usedBytes = 0;

  constructor({ ivm, snapshot, taken }: World, limits: Limits) {
    this.#taken = taken;
    // V8 reads the size of the stack when a thread enters an isolate for the first time.
    setFlagsFromString(`--stack-size=${limits.stackKb + overheadStackKb}`);
    try {
      this.#isolate = new ivm.Isolate({
        memoryLimit: Math.max(minimumMb, Math.ceil(limits.memoryKb / 1_024) + overheadMb),
        snapshot,
        // No `onCatastrophicError`: with it a thread that V8 gave up waits for ever, and this is the main thread.
        // Without it the process aborts, which its parent detects.
      });
      this.#isolate.createContextSync().release();
    } finally {
      setFlagsFromString(`--stack-size=${v8StackKb()}`);
    }
  }

  /** How many contexts the isolate has made. */
  get contexts(): number {
    return this.#contexts;
  }

  /** Bytes of heap and of buffers that came into use since this was last asked, or since the last load. */
  get grownBytes(): number {
    if (!this.healthy) return 0;
    const before = this.#usedBytes;
    this.#measure();
    return Math.max(0, this.#usedBytes - before);
  }

  #measure(): void {
    const { used_heap_size: heap, externally_allocated_size: external } =
      this.#isolate.getHeapStatisticsSync();
    this.#usedBytes = heap + external;
  }

  /** Loads a program into a fresh context. `deadline` is in `performance.now()` milliseconds. */
  load(program: Program, limits: Limits, deadline: number): LoadResult {
    const started = performance.now();
    this.#contexts++;
    let context: IsolatedVm.Context;
    let bridge: Bridge;
    try {
      context = this.#isolate.createContextSync();
      bridge = context.global.getSync(bridgeName, { reference: true }) as Bridge;
      bridge.applySync(undefined, ["remove", this.#taken]);
    } catch {
      return this.#stopped(deadline);
    }
    // An unreleased module leaks its context.
    const modules: IsolatedVm.Module[] = [];
    const result = this.#loadInto({ context, bridge, modules }, program, limits, deadline);
    for (const module of modules) module.release();
    if (result.kind === "loaded") {
      this.#measure();
      const loadMs = performance.now() - started;
      return { kind: "loaded", loaded: { program, context, bridge, handlers: result.handlers, loadMs } };
    }
    if (this.healthy) this.release({ context, bridge });
    return result;
  }

  #loadInto(
    { context, bridge, modules }: LoadTarget,
    program: Program,
    limits: Limits,
    deadline: number,
  ): Exported | Exclude<LoadResult, { kind: "loaded" }> {
    const compile = (source: string, filename: string): IsolatedVm.Module => {
      const module = this.#isolate.compileModuleSync(source, { filename });
      modules.push(module);
      return module;
    };
    let outer: IsolatedVm.Module;
    try {
      const inner = compile(program.source, program.name);
      const [imported] = inner.dependencySpecifiers;
      if (imported !== undefined)
        return failed(`imports \`${imported.slice(0, 80)}\`, and a program has no imports`);
      const guard = compile(guardModule, bridgeName);
      outer = compile(outerModule, bridgeName);
      outer.instantiateSync(context, (specifier) => (specifier === "guard" ? guard : inner));
    } catch (error) {
      // No code of the guest has run: the error is V8's own.
      return this.#isolate.isDisposed ? this.#stopped(deadline) : failed(messageOf(error));
    }
    const evaluated = this.#guarded(deadline, (timeout) => outer.evaluateSync({ timeout }));
    if (evaluated) return evaluated;
    const namespace = outer.namespace.derefInto({ release: true });
    const budgets = [limits.logBytes, limits.outputBytes, limits.outputDepth].map(String);
    const args = ["load", namespace, ...budgets];
    const registered = this.#guarded(deadline, (timeout) => bridge.applySync(undefined, args, { timeout }));
    if (registered) return registered;
    const reply = this.#take(bridge);
    if (reply === null) return this.#stopped(deadline);
    if (!reply.startsWith("r")) return failed("the module threw, or awaits a promise that never settles");
    if (reply === "r") return failed("the module has no default export that can be called");
    if (reply.length > loadLimits.replyBytes) return failed("the module exports too many names");
    return { kind: "loaded", handlers: reply === "rf" ? null : (JSON.parse(reply.slice(1)) as string[]) };
  }

  /** Calls a loaded program in a context that is thrown away afterwards. */
  call({ bridge }: LoadedContext, { args, handler, numbers }: Message, deadline: number): CallResult {
    const stopped = this.#guarded(deadline, (timeout) =>
      bridge.applySync(undefined, ["call", args, handler, numbers], { timeout }),
    );
    return stopped ?? this.#reply(this.#take(bridge), deadline);
  }

  /** Calls a loaded program in a context that is kept. */
  callKept({ bridge }: LoadedContext, { args, handler, numbers }: Message, deadline: number): CallResult {
    let text: string | null;
    try {
      const timeout = timeoutUntil(deadline);
      text = bridge.applySync(undefined, ["plain", args, handler, numbers], {
        timeout,
        result: { copy: true },
      }) as string;
      if (text === "p") text = this.#take(bridge);
    } catch {
      // Either the call was ended from outside, or the guest left a rejected promise behind.
      if (this.#isolate.isDisposed || performance.now() >= deadline) return this.#stopped(deadline);
      text = this.#take(bridge);
    }
    return this.#reply(text, deadline);
  }

  /** Lets go of a context and of all that is in it. */
  release({ context, bridge }: Pick<LoadedContext, "context" | "bridge">): void {
    bridge.release();
    context.release();
  }

  dispose(): void {
    this.healthy = false;
    if (!this.#isolate.isDisposed) this.#isolate.dispose();
  }

  /** Runs a task that begins with the decoy; `null` where it came to its end. */
  #guarded(deadline: number, task: (timeout: number) => unknown): { kind: "stopped"; by: Stopped } | null {
    try {
      task(timeoutUntil(deadline));
    } catch (error) {
      if (error === decoyReason) return null;
    }
    return this.#stopped(deadline);
  }

  #take(bridge: Bridge): string | null {
    try {
      const text: unknown = bridge.applySync(undefined, ["take"], { result: { copy: true } });
      return typeof text === "string" ? text : null;
    } catch {
      return null;
    }
  }

  #reply(text: string | null, deadline: number): CallResult {
    if (text === null) return this.#stopped(deadline);
    return text === "p" ? { kind: "unsettled" } : { kind: "text", text };
  }

  /** Classifies a stopped task by host-side facts only: whether the isolate is disposed, and the clock. */
  #stopped(deadline: number): { kind: "stopped"; by: Stopped } {
    const by = this.#isolate.isDisposed ? "memory" : performance.now() >= deadline ? "wall" : "crash";
    this.dispose();
    return { kind: "stopped", by };
  }
}

function failed(message: string): { kind: "failed"; message: string } {
  return { kind: "failed", message };
}

/** A timeout for isolated-vm: whole milliseconds; 0 would mean none. */
function timeoutUntil(deadline: number): number {
  return Math.max(1, Math.ceil(deadline - performance.now()));
}

function messageOf(error: unknown): string {
  const { name, message } = error as Error;
  return `${name}: ${message}`;
}
