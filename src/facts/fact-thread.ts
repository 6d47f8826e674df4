import { Worker } from "node:worker_threads";
import type { FactDeriver } from "./fact-set.ts";
import type { FactAnswer, FactTask } from "./facts-thread.ts";

/** After this time for one task, in milliseconds, the thread is ended: the limits of facts allow much less. */
const longestTaskMs = 10_000;

/** Delay before the thread starts without a task, in milliseconds: only processes that live longer pay for it. */
const startDelayMs = 500;

interface Waiting {
  readonly done: (texts: readonly string[]) => void;
  readonly failed: (error: Error) => void;
}

/** A thread that derives facts, one task after another. It does not keep the process. */
class FactThread {
  #worker: Worker | null = null;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #timer: NodeJS.Timeout | null = null;

  readonly derive: FactDeriver = (names, fields) =>
    new Promise((done, failed) => {
      const worker = (this.#worker ??= this.#start());
      const id = ++this.#lastId;
      this.#waiting.set(id, { done, failed });
      worker.ref();
      this.#timer ??= this.#watch();
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
      worker.postMessage({ id, names, fields } satisfies FactTask);
    });

  /** Starts the thread ahead of its first task, whose time its start would count against. */
  readonly startSoon = (): void => {
    const start = (): void => {
      if (this.#worker !== null) return;
      this.#worker = this.#start();
      this.#worker.unref();
    };
    setTimeout(start, startDelayMs).unref();
  };

  #start(): Worker {
    const worker = new Worker(threadFile(), { resourceLimits: { maxOldGenerationSizeMb: 256 } });
    worker.on("message", (answer: FactAnswer) => this.#take(answer));
    worker.on("error", (error) => this.#fail(worker, error));
    worker.on("exit", () => this.#fail(worker, new Error("the thread that derives facts has ended")));
    return worker;
  }

  #take({ id, texts }: FactAnswer): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = this.#waiting.size > 0 ? this.#watch() : null;
    if (this.#waiting.size === 0) this.#worker?.unref();
    if (texts) waiting?.done(texts);
    else waiting?.failed(new Error("the facts cannot be derived"));
  }

  #watch(): NodeJS.Timeout {
    return setTimeout(() => void this.#worker?.terminate(), longestTaskMs).unref();
  }

  #fail(worker: Worker, error: Error): void {
    if (worker !== this.#worker) return;
    this.#worker = null;
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { failed } of waiting) failed(error);
  }
}

/** Here the sources run as they are; in the package there is one file for each thread. */
function threadFile(): URL {
  const source = import.meta.url.endsWith(".ts");
  return new URL(source ? "./facts-thread.ts" : "./facts-thread.js", import.meta.url);
}

const thread = new FactThread();

/** Derives facts in a thread that all wardens of the process share. */
export const deriveInThread: FactDeriver = thread.derive;

/** Starts that thread shortly, if it does not run: its start would count against the time of the first long event. */
export const startFactThreadSoon = thread.startSoon;
