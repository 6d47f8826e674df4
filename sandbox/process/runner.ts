import type { Program } from "../contract.ts";
import { Fifo } from "./fifo.ts";
import type { Job } from "./job.ts";
import { type Child, type Launch, launchChild } from "./launch.ts";
import { type ResidentMemory, openResidentMemory } from "./resident-memory.ts";
import { ProtocolViolation, ReplyReader } from "./reply.ts";
import { encodeCall, encodeForget, encodeInspect, encodeLoad, protocolVersion } from "./request.ts";

/** Why a child is no more. */
export type End =
  | { readonly cause: "deadline" | "memory" | "retired" }
  | { readonly cause: "violation"; readonly what: string }
  | { readonly cause: "missing"; readonly message: string }
  | {
      readonly cause: "exit";
      readonly code: number | null;
      readonly signal: NodeJS.Signals | null;
      readonly outOfMemory: boolean;
    };

export interface RunnerOwner {
  ready(runner: Runner): void;
  /** An answer has come; `idle` tells that it was the last one. */
  answered(runner: Runner): void;
  /** The child has ended or been killed; `jobs` are those that it has not answered, oldest first. */
  gone(runner: Runner, end: End, jobs: Job[]): void;
}

export interface RunnerTimes {
  readonly graceMs: number;
  readonly loadMs: number;
}

interface Slot {
  readonly index: number;
  /** An answer has come, so the program is loaded. */
  warm: boolean;
}

/** How much of a child's standard error is kept for whoever debugs it. */
const stderrBytes = 4_096;

/** One child process as its parent sees it: a queue of jobs that it answers in order. */
export class Runner {
  state: "starting" | "ready" | "gone" = "starting";
  /** Whose child this is, where a child serves one tenant only. */
  tenant: string | null = null;
  version = "";
  /** When the oldest job must have been answered, by `performance.now()`; `Infinity` without one. */
  deadline = Infinity;
  /** When the oldest job became the oldest. */
  since = 0;
  readonly jobs = new Fifo<Job>();
  readonly memory: ResidentMemory;
  /** Settles when the operating system has let go of the process. */
  readonly ended: Promise<void>;

  readonly #owner: RunnerOwner;
  readonly #times: RunnerTimes;
  readonly #child: Child;
  readonly #reader = new ReplyReader();
  readonly #slots = new Map<string, Slot>();
  #lastIndex = 0;
  #lastId = 0;
  #outbox = "";
  #stderr = Buffer.alloc(0);

  constructor(launch: Launch, owner: RunnerOwner, times: RunnerTimes) {
    this.#owner = owner;
    this.#times = times;
    const child = launchChild(launch);
    this.#child = child;
    this.memory = openResidentMemory(child.pid);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    child.once("error", () => {
      resolve();
      this.#exited(null, null);
    });
    child.once("exit", (code, signal) => {
      resolve();
      // Answers may still be in the pipe: its end tells that all have been read, unless someone else holds it open.
      if (child.stdout.readableEnded || child.stdout.destroyed) this.#exited(code, signal);
      else {
        const end = (): void => this.#exited(code, signal);
        child.stdout.once("close", end);
        setTimeout(end, 100).unref();
      }
    });
    child.stdin.on("error", ignore);
    child.stdout.on("error", ignore);
    child.stderr.on("error", ignore);
    child.stdout.on("data", (chunk: Buffer) => this.#read(chunk));
    // A child that closes its output without ending can answer nothing any more.
    child.stdout.once("end", () => child.kill("SIGKILL"));
    child.stderr.on("data", (chunk: Buffer) => {
      this.#stderr = (chunk.length >= stderrBytes ? chunk : Buffer.concat([this.#stderr, chunk])).subarray(
        -stderrBytes,
      );
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** The end of what the child wrote to standard error. */
  get stderr(): string {
    return this.#stderr.toString("utf8");
  }

  has(key: string): boolean {
    return this.#slots.has(key);
  }

  /** Sends a job; `true` when it is the first since the last `flush`. */
  send(job: Job): boolean {
    const first = this.#outbox === "";
    let slot = this.#slots.get(job.program.key);
    if (!slot) {
      slot = { index: ++this.#lastIndex, warm: false };
      this.#slots.set(job.program.key, slot);
      this.#outbox += encodeLoad(slot.index, job.program);
    }
    job.id = ++this.#lastId;
    job.attempts++;
    this.#outbox += job.call
      ? encodeCall(job.id, slot.index, job.call)
      : encodeInspect(job.id, slot.index, job.tenant, job.limits);
    this.jobs.push(job);
    if (this.jobs.length === 1) this.#begin(job);
    return first;
  }

  /** Makes the child forget a program; `true` when it knew it. */
  forget(program: Pick<Program, "key">): boolean {
    const slot = this.#slots.get(program.key);
    if (!slot) return false;
    this.#slots.delete(program.key);
    this.#outbox += encodeForget(slot.index);
    return true;
  }

  /** Writes what has been sent since the last time, in one piece. */
  flush(): void {
    if (this.#outbox === "") return;
    const text = this.#outbox;
    this.#outbox = "";
    if (this.state === "ready") this.#child.stdin.write(text);
  }

  /** Ends the child at once. */
  kill(end: End): void {
    if (this.state === "gone") return;
    this.state = "gone";
    this.deadline = Infinity;
    this.#child.kill("SIGKILL");
    this.#child.stdin.destroy();
    this.#child.stdout.destroy();
    this.#child.stderr.destroy();
    this.memory.close();
    this.#outbox = "";
    this.#owner.gone(this, end, this.jobs.drain());
  }

  /** The clock of a job starts when nothing is before it in its child. */
  #begin(job: Job): void {
    this.since = performance.now();
    const { wallMs } = job.limits;
    const warm = this.#slots.get(job.program.key)?.warm === true;
    this.deadline = this.since + wallMs + this.#times.graceMs + (warm ? 0 : this.#times.loadMs);
  }

  #read(chunk: Buffer): void {
    if (this.state === "gone") return;
    this.#reader.push(chunk);
    try {
      for (;;) {
        const job = this.jobs.peek();
        const reply = this.#reader.next(this.state === "starting" ? undefined : (job ?? null));
        if (!reply) return;
        if (!job) this.#greeted(reply.kind, reply.id, reply.text);
        else {
          this.jobs.shift();
          const slot = this.#slots.get(job.program.key);
          if (slot) slot.warm = true;
          const next = this.jobs.peek();
          if (next) this.#begin(next);
          else this.deadline = Infinity;
          job.resolve((reply.outcome ?? reply.inspection)!);
          this.#owner.answered(this);
        }
        if ((this.state as string) === "gone") return;
      }
    } catch (error) {
      if (!(error instanceof ProtocolViolation)) throw error;
      this.kill({ cause: "violation", what: error.message });
    }
  }

  #greeted(kind: string, id: number, text: string): void {
    if (kind === "missing") return this.kill({ cause: "missing", message: text });
    if (id !== protocolVersion)
      return this.kill({ cause: "violation", what: "another version of the protocol" });
    this.version = text;
    this.state = "ready";
    this.memory.sample();
    this.#owner.ready(this);
  }

  #exited(code: number | null, signal: NodeJS.Signals | null): void {
    // V8 and Node.js abort when the heap is full, and only they write to the child's standard error.
    const aborted = signal === "SIGABRT" || code === 134;
    this.kill({
      cause: "exit",
      code,
      signal,
      outOfMemory: aborted && /out of memory|Allocation failed/.test(this.stderr),
    });
  }
}

function ignore(): void {}
