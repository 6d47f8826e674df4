import { setFlagsFromString } from "node:v8";
import type IsolatedVm from "isolated-vm";
import type { Message } from "../guest/message.ts";
import type { Limits } from "../limits.ts";
import { v8StackKb } from "../v8-stack.ts";
import { type Bridge, bridgeName, decoyReason } from "./bridge.ts";
import type { World } from "./world.ts";

/** Minimum memory limit that isolated-vm accepts, in MiB. */
const minimumMb = 8;
/** Base memory of an isolate with a loaded program, in MiB. */
const overheadMb = 4;
/** Stack used by the engine and the host's calls into it, in KiB. */
const overheadStackKb = 64;

/** Why guest code was stopped, as observed by the host. */
export interface Stop {
  readonly kind: "stopped";
  readonly by: "wall" | "memory" | "crash";
}

export type CallResult =
  { readonly kind: "text"; readonly text: string } | { readonly kind: "unsettled" } | Stop;

/** A context in which the prelude has run and the allow-list was applied. */
export interface Realm {
  readonly context: IsolatedVm.Context;
  readonly bridge: Bridge;
}

/** One V8 isolate: makes contexts, runs tasks in them until a deadline, and classifies how they end. */
export class Instance {
  /** `false` after anything that leaves the isolate in doubt; it must be thrown away then. */
  healthy = true;
  readonly #isolate: IsolatedVm.Isolate;
  readonly #taken: string;
  /** Memory limit of the isolate, in bytes. */
  readonly limitBytes: number;
  #contexts = 0;
  #usedBytes = 0;

  /** @param roomMb memory for programs beyond the first, in MiB */
  constructor({ ivm, snapshot, taken }: World, limits: Limits, roomMb: number = 0) {
    this.#taken = taken;
    const limitMb = Math.max(minimumMb, Math.ceil(limits.memoryKb / 1_024) + overheadMb) + roomMb;
    this.limitBytes = limitMb * 1_048_576;
    // V8 reads the size of the stack when a thread enters an isolate for the first time.
    setFlagsFromString(`--stack-size=${limits.stackKb + overheadStackKb}`);
    try {
      this.#isolate = new ivm.Isolate({
        memoryLimit: limitMb,
        snapshot,
        // No `onCatastrophicError`: with it a thread that V8 gave up waits for ever, and this is the main thread.
        // Without it the process aborts, which its parent detects.
      });
      this.#isolate.createContextSync().release();
    } finally {
      setFlagsFromString(`--stack-size=${v8StackKb()}`);
    }
  }

  get disposed(): boolean {
    return this.#isolate.isDisposed;
  }

  /** How many contexts the isolate has made. */
  get contexts(): number {
    return this.#contexts;
  }

  /** Bytes of heap and of buffers in use when this was last measured. */
  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** Measures memory. Returns the bytes that came into use since the last time. */
  measure(): number {
    if (!this.healthy) return 0;
    const before = this.#usedBytes;
    const { used_heap_size: heap, externally_allocated_size: external } =
      this.#isolate.getHeapStatisticsSync();
    this.#usedBytes = heap + external;
    return Math.max(0, this.#usedBytes - before);
  }

  /** Makes a context whose world is that of the allow-list. */
  createRealm(deadline: number): Realm | Stop {
    this.#contexts++;
    try {
      const context = this.#isolate.createContextSync();
      const bridge = context.global.getSync(bridgeName, { reference: true }) as Bridge;
      bridge.applySync(undefined, ["remove", this.#taken]);
      return { context, bridge };
    } catch {
      return this.stop(deadline);
    }
  }

  /** Compiles a module. Throws the engine's `SyntaxError`; no code of the guest runs. */
  compile(source: string, filename: string, lineOffset: number = 0): IsolatedVm.Module {
    return this.#isolate.compileModuleSync(source, { filename, lineOffset });
  }

  /** Runs a task that begins with the decoy; `null` where it came to its end. */
  guarded(deadline: number, task: (timeout: number) => unknown): Stop | null {
    try {
      task(timeoutUntil(deadline));
    } catch (error) {
      if (error === decoyReason) return null;
    }
    return this.stop(deadline);
  }

  /**
   * Calls a program and takes its reply.
   *
   * @param index the program whose module is evaluated first; absent where that has been done
   */
  call(realm: Pick<Realm, "bridge">, message: Message, deadline: number, index?: number): CallResult {
    const { bridge } = realm;
    const task = ["run", index, message.args, message.handler, message.numbers];
    const stopped = this.guarded(deadline, (timeout) => bridge.applySync(undefined, task, { timeout }));
    return stopped ?? this.#reply(this.take(bridge), deadline);
  }

  /** Calls a program in a context that is kept, without the decoy. */
  callKept(bridge: Bridge, { args, handler, numbers }: Message, deadline: number): CallResult {
    let text: string | null;
    try {
      const timeout = timeoutUntil(deadline);
      text = bridge.applySync(undefined, ["plain", args, handler, numbers], {
        timeout,
        result: { copy: true },
      }) as string;
      if (text === "p") text = this.take(bridge);
    } catch {
      // Either the call was ended from outside, or the guest left a rejected promise behind.
      if (this.#isolate.isDisposed || performance.now() >= deadline) return this.stop(deadline);
      text = this.take(bridge);
    }
    return this.#reply(text, deadline);
  }

  /** Takes the reply of the last task; `null` where there is none. */
  take(bridge: Bridge): string | null {
    try {
      const text: unknown = bridge.applySync(undefined, ["take"], { result: { copy: true } });
      return typeof text === "string" ? text : null;
    } catch {
      return null;
    }
  }

  /** Lets go of a context and of all that is in it. */
  release({ context, bridge }: Realm): void {
    if (!this.healthy) return;
    bridge.release();
    context.release();
  }

  dispose(): void {
    this.healthy = false;
    if (!this.#isolate.isDisposed) this.#isolate.dispose();
  }

  /** Classifies a stopped task by host-side facts only: whether the isolate is disposed, and the clock. */
  stop(deadline: number): Stop {
    const by = this.#isolate.isDisposed ? "memory" : performance.now() >= deadline ? "wall" : "crash";
    this.dispose();
    return { kind: "stopped", by };
  }

  #reply(text: string | null, deadline: number): CallResult {
    if (text === null) return this.stop(deadline);
    return text === "p" ? { kind: "unsettled" } : { kind: "text", text };
  }
}

/** A timeout for isolated-vm: whole milliseconds; 0 would mean none. */
function timeoutUntil(deadline: number): number {
  return Math.max(1, Math.ceil(deadline - performance.now()));
}
