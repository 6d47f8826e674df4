import type IsolatedVm from "isolated-vm";
import type { Program } from "../contract.ts";
import type { Message } from "../guest/message.ts";
import { positionIn } from "../guest/stack.ts";
import { loadMs } from "../limits.ts";
import { factoryModule, factoryOf } from "./factory.ts";
import { importFailure } from "./fresh-realm.ts";
import type { CallResult, Instance, Realm, Stop } from "./instance.ts";
import {
  failure,
  type Handlers,
  type Load,
  type LoadFailure,
  readExports,
  syntaxFailure,
} from "./load-result.ts";

/** Length of the sources in one realm; a realm with more takes no further program. In UTF-16 code units. */
const fullAt = 1_048_576;
/** A module that was evaluated faster than this is evaluated within the time of its call, in milliseconds. */
const quickMs = 1;
/** What a module cannot queue jobs without, unless it hides it. */
const jobWords = /\b(?:async|await|Promise|then|fromAsync|import)\b/;

/** A program whose module can be evaluated again and again. */
export interface FrozenProgram {
  readonly kind: "loaded";
  readonly program: Program;
  readonly handlers: Handlers;
  /** How long its module took to be evaluated when it was loaded, in milliseconds. */
  readonly evaluationMs: number;
  /**
   * Whether evaluating the module and calling the program can be one task. Jobs that a module queues have to run
   * before the call, and jobs run only at the end of a task.
   */
  readonly inOneTask: boolean;
  /** Number of the program in the realm. */
  readonly index: number;
}

/** A program that cannot be made into a factory, and needs a fresh context. */
export interface NeedsFresh {
  readonly kind: "needs-fresh";
}

/**
 * A context in which everything that programs share is frozen, so that a call can leave no value, object or code
 * behind for the next one. A program's module is a function there, which is called for each call of the program.
 */
export class FrozenRealm {
  readonly #instance: Instance;
  readonly #realm: Realm;
  readonly #programs = new Map<string, FrozenProgram>();
  /** The program whose module was evaluated and that has not been called since. */
  #ready: FrozenProgram | null = null;
  #nextIndex = 0;
  #sourceLength = 0;

  private constructor(instance: Instance, realm: Realm) {
    this.#instance = instance;
    this.#realm = realm;
  }

  /** Makes the realm. Throws if something that programs share could not be frozen. */
  static create(instance: Instance): FrozenRealm {
    const realm = instance.createRealm(Infinity);
    if ("kind" in realm) throw new Error("the isolate has no memory for a realm");
    realm.bridge.applySync(undefined, ["freeze"]);
    return new FrozenRealm(instance, realm);
  }

  /** Whether further programs should go to another realm. */
  get isFull(): boolean {
    return this.#sourceLength >= fullAt;
  }

  find(key: string): FrozenProgram | undefined {
    return this.#programs.get(key);
  }

  /** Loads a program, and has it ready for a call. */
  add(key: string, load: Load): FrozenProgram | LoadFailure | NeedsFresh | Stop {
    const { program } = load;
    const deadline = performance.now() + loadMs(load);
    const index = this.#nextIndex++;
    const refused = this.#addFactory(index, load, deadline);
    if (refused) return refused;
    const started = performance.now();
    const result = this.#evaluate(index, program, deadline);
    if ("kind" in result) {
      this.#drop(index);
      return result;
    }
    const evaluationMs = performance.now() - started;
    const inOneTask = evaluationMs < quickMs && !jobWords.test(program.source);
    const { handlers } = result;
    const added: FrozenProgram = { kind: "loaded", program, handlers, evaluationMs, inOneTask, index };
    this.#programs.set(key, added);
    this.#sourceLength += program.source.length;
    this.#ready = added;
    this.#instance.measure();
    return added;
  }

  /** Evaluates the module of a program for its next call, where that cannot be a part of the call. */
  prepare(program: FrozenProgram, load: Load): FrozenProgram | LoadFailure | Stop {
    if (this.#ready === program || program.inOneTask) return program;
    this.#ready = null;
    const result = this.#evaluate(program.index, program.program, performance.now() + loadMs(load));
    if ("kind" in result) return result;
    this.#ready = program;
    return program;
  }

  /** Calls a program that was prepared. */
  call(program: FrozenProgram, message: Message, deadline: number): CallResult | LoadFailure {
    const index = this.#ready === program ? undefined : program.index;
    this.#ready = null;
    const result = this.#instance.call(this.#realm, message, deadline, index);
    if (result.kind !== "text") return result;
    if (result.text.startsWith("l")) return thrownAtLoad(result.text.slice(1), program.program);
    return result.text === "e" ? this.#instance.stop(deadline) : result;
  }

  /** Lets go of a program, under all keys that it was added by. */
  remove(programKey: string): void {
    for (const [key, { program, index }] of this.#programs) {
      if (program.key !== programKey) continue;
      this.#programs.delete(key);
      this.#sourceLength -= program.source.length;
      this.#ready = null;
      this.#drop(index);
    }
  }

  #drop(index: number): void {
    if (this.#instance.healthy) this.#realm.bridge.applySync(undefined, ["drop", index]);
  }

  /** Compiles the program's factory. No code of the program runs. */
  #addFactory(
    index: number,
    { program, limits }: Load,
    deadline: number,
  ): LoadFailure | NeedsFresh | Stop | null {
    const { context, bridge } = this.#realm;
    const modules: IsolatedVm.Module[] = [];
    const compile = (source: string, lineOffset: number): IsolatedVm.Module => {
      const module = this.#instance.compile(source, program.name, lineOffset);
      modules.push(module);
      return module;
    };
    try {
      const imported = importFailure(compile(program.source, 0));
      if (imported) return imported;
      const text = factoryOf(program.source, (source) => {
        try {
          compile(source, -1);
          return null;
        } catch (error) {
          return error as Error;
        }
      });
      if (!text) return { kind: "needs-fresh" };
      const module = compile(factoryModule(text), -1);
      module.instantiateSync(context, () => module);
      module.evaluateSync();
      const made = module.namespace.getSync("default", { reference: true }) as IsolatedVm.Reference;
      const factory = made.derefInto({ release: true });
      const { logBytes, outputBytes, outputDepth } = limits;
      bridge.applySync(undefined, ["add", index, factory, logBytes, outputBytes, outputDepth]);
      return null;
    } catch (error) {
      return this.#instance.disposed ? this.#instance.stop(deadline) : syntaxFailure(error);
    } finally {
      if (this.#instance.healthy) for (const module of modules) module.release();
    }
  }

  #evaluate(
    index: number,
    program: Program,
    deadline: number,
  ): { readonly handlers: Handlers } | LoadFailure | Stop {
    const { bridge } = this.#realm;
    const stopped = this.#instance.guarded(deadline, (timeout) =>
      bridge.applySync(undefined, ["run", index], { timeout }),
    );
    if (stopped) return stopped;
    const reply = this.#instance.take(bridge);
    if (reply?.startsWith("r")) return readExports(reply);
    if (reply?.startsWith("l")) return thrownAtLoad(reply.slice(1), program);
    return this.#instance.stop(deadline);
  }
}

/** What a module threw, as the prelude described it: two JSON strings on a line each. */
function thrownAtLoad(description: string, program: Program): LoadFailure {
  try {
    const [message, frames] = description.split("\n").map((line) => JSON.parse(line) as unknown);
    if (typeof message !== "string" || typeof frames !== "string") throw new TypeError("no description");
    return failure(message, positionIn(frames, program.name));
  } catch {
    return failure("the module threw");
  }
}
