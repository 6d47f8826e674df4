import { constants } from "node:os";
import { type Limits, loadMs } from "../limits.ts";
import { Fifo } from "./fifo.ts";
import { Job } from "./job.ts";
import type { Child } from "./launch.ts";
import type { Settings } from "./options.ts";
import { type ResidentMemory, residentMemoryOf } from "./resident-memory.ts";
import { ProtocolViolation, ReplyReader } from "./read-reply.ts";
import { encodeCall, encodeForget, encodeInspect, encodeLoad, protocolVersion } from "./request.ts";

/** Why a child is no more. */
export type End =
  | { readonly cause: "deadline" | "memory" | "retired" }
  | { readonly cause: "violation"; readonly what: string }
  | { readonly cause: "missing"; readonly message: string }
  | {
      readonly cause: "exit";
      readonly how: string;
      readonly outOfMemory: boolean;
      readonly byStranger: boolean;
    };

export interface RunnerOwner {
  ready(runner: Runner): void;
  answered(runner: Runner): void;
  /** The child has ended or been killed; `jobs` are those that it has not answered, oldest first. */
  gone(runner: Runner, end: End, jobs: Entry[]): void;
}

/** What a child has been asked for and has not answered. */
export interface Entry {
  readonly id: number;
  readonly kind: "call" | "inspect";
  readonly limits: Limits;
  readonly job: Job;
  /**
   * What the child is at. `new`: it has yet to read the program, and will load it. `sent`: it has the program, and may
   * have it loaded. `loading` and `running` are what it has said itself.
   */
  phase: "new" | "sent" | "loading" | "running";
  /** Time that the call may run once its program is loaded, in milliseconds. */
  runMs: number;
  /** Another child has been given the job: the answer is read, checked and dropped. */
  left: boolean;
}

/** How much of a child's standard error is kept for whoever debugs it, in bytes. */
const stderrBytes = 4_096;
/** How far the end of a process and the end of its output may lie apart, in milliseconds. */
const endMs = 100;
/** With so many jobs in a child its answers are gathered, and for how long, in milliseconds. */
const gatherFrom = 4;
const gatherMs = 1;
/** A sample of memory that is older than this says nothing about what a call began with, in milliseconds. */
const sampleAgeMs = 1_000;

/** One child process as its parent sees it: a queue of jobs that it answers in order. */
export class Runner {
  state: "starting" | "ready" | "gone" = "starting";
  /** Whose child this is, where a child serves one tenant only. */
  tenant: string | null = null;
  /** When it got its tenant. */
  boundAt = 0;
  /** Gets no more jobs, and ends when it has answered those that it has. */
  draining = false;
  /** Reserved for programs that have had their child killed. */
  apart = false;
  version = "";
  /** When the oldest job must have been answered, by `performance.now()`; `Infinity` without one. */
  deadline = Infinity;
  /** When the oldest job became the oldest. */
  since = 0;
  /** Memory of the process before its oldest job began, in bytes; 0 where it is not known. */
  floor = 0;
  readonly jobs = new Fifo<Entry>();
  readonly memory: ResidentMemory;
  /** Settles when the operating system has let go of the process. */
  readonly ended: Promise<void>;

  readonly #owner: RunnerOwner;
  readonly #graceMs: number;
  readonly #gathers: boolean;
  readonly #child: Child;
  readonly #reader = new ReplyReader();
  /** Numbers of the programs that have been sent, by their keys. */
  readonly #programs = new Map<string, number>();
  #lastIndex = 0;
  #lastId = 0;
  #outbox = "";
  #unwritten = 0;
  #stderr: Buffer = Buffer.alloc(0);

  constructor(child: Child, owner: RunnerOwner, settings: Pick<Settings, "graceMs" | "gather">) {
    this.#owner = owner;
    this.#graceMs = settings.graceMs;
    this.#gathers = settings.gather;
    this.#child = child;
    this.memory = residentMemoryOf(child.pid);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    child.once("error", (error) => {
      resolve();
      this.kill({ cause: "exit", how: error.message, outOfMemory: false, byStranger: true });
    });
    child.once("exit", (code, signal) => {
      resolve();
      // Answers may still be in the pipe: its end tells that all have been read, unless someone else holds it open.
      if (child.stdout.closed) this.#exited(code, signal);
      else {
        child.stdout.once("close", () => this.#exited(code, signal));
        setTimeout(() => this.#exited(code, signal), endMs).unref();
      }
    });
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on("error", () => {});
    child.stdout.on("data", (chunk: Buffer) => this.#read(chunk));
    // A child that closes its output and does not end can answer nothing any more.
    child.stdout.once("end", () => {
      setTimeout(() => this.kill({ cause: "violation", what: "the end of its answers" }), endMs).unref();
    });
    child.stderr.on("data", (chunk: Buffer) => {
      const all = chunk.length >= stderrBytes ? chunk : Buffer.concat([this.#stderr, chunk]);
      // Copied, so that the end of a chunk does not hold all of it.
      this.#stderr = Buffer.from(all.subarray(-stderrBytes));
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** The end of what the child wrote to standard error. */
  get stderr(): string {
    return this.#stderr.toString("utf8");
  }

  /** Jobs that have been sent and not been written. */
  get unwritten(): number {
    return this.#unwritten;
  }

  /** Whether the program has been sent. */
  has(key: string): boolean {
    return this.#programs.has(key);
  }

  /** Sends a job with the next `flush`; `true` when there was nothing to flush before. */
  send(job: Job): boolean {
    const first = this.#outbox === "";
    const { program, call, limits } = job;
    let index = this.#programs.get(program.key);
    const isNew = index === undefined;
    if (index === undefined) {
      index = ++this.#lastIndex;
      this.#programs.set(program.key, index);
      this.#outbox += encodeLoad(index, program);
    }
    job.attempts++;
    this.#unwritten++;
    const id = ++this.#lastId;
    this.#outbox += call ? encodeCall(id, index, call) : encodeInspect(id, index, job.tenant, limits);
    const runMs = Math.min(limits.wallMs, job.budgetMs);
    const phase = isNew ? "new" : "sent";
    const entry: Entry = { id, kind: job.kind, limits, job, phase, runMs, left: false };
    this.jobs.push(entry);
    if (this.jobs.length === 1) this.#begin(entry);
    return first;
  }

  /** Makes the child forget a program; `true` when there was nothing to flush before. */
  forget(key: string): boolean {
    const index = this.#programs.get(key);
    if (index === undefined) return false;
    const first = this.#outbox === "";
    this.#programs.delete(key);
    this.#outbox += encodeForget(index);
    return first;
  }

  /** Writes what has been sent since the last time, in one piece. */
  flush(): void {
    if (this.#outbox === "") return;
    const text = this.#outbox;
    this.#outbox = "";
    this.#unwritten = 0;
    if (this.state === "ready") this.#child.stdin.write(text);
  }

  /** Gives up the jobs that wait behind the oldest: they are nobody's now, and their answers will be dropped. */
  leave(mayLeave: (job: Job) => boolean): Job[] {
    const jobs: Job[] = [];
    const oldest = this.jobs.peek();
    for (const entry of this.jobs) {
      if (entry.job === oldest?.job || entry.left || !mayLeave(entry.job)) continue;
      entry.left = true;
      jobs.push(entry.job);
    }
    return jobs;
  }

  /** Ends the child at once. */
  kill(end: End): void {
    if (this.state === "gone") return;
    this.state = "gone";
    this.deadline = Infinity;
    this.#outbox = "";
    this.#child.kill("SIGKILL");
    for (const stream of [this.#child.stdin, this.#child.stdout, this.#child.stderr]) stream.destroy();
    this.memory.close();
    this.#owner.gone(this, end, this.jobs.drain());
  }

  /** The clock of a job starts when nothing is before it in its child. */
  #begin({ job, kind, phase, runMs }: Entry): void {
    const now = performance.now();
    this.since = now;
    const loads = kind === "inspect" || phase === "new";
    this.deadline = now + (loads ? loadMs(job) : runMs) + this.#graceMs;
    this.floor = now - this.memory.at < sampleAgeMs ? this.memory.bytes + 4 * job.bytes : 0;
  }

  /** A call loads its program at most once, and runs afterwards: each has a deadline, and they come in this order. */
  #proceed(entry: Entry, phase: "loading" | "running"): void {
    const { phase: before, job } = entry;
    if (phase === "running" ? before !== "loading" : before === "loading" || before === "running")
      throw new ProtocolViolation("a load out of order");
    entry.phase = phase;
    const now = performance.now();
    if (phase === "running") {
      entry.runMs = Math.min(entry.runMs, this.since + job.budgetMs - now);
      this.deadline = now + entry.runMs + this.#graceMs;
      // The time to load a program that is new to the child began with the job.
    } else if (before === "sent") this.deadline = now + loadMs(job) + this.#graceMs;
  }

  #read(chunk: Buffer): void {
    try {
      this.#reader.push(chunk);
      while (this.state !== "gone") {
        const entry = this.jobs.peek();
        const reply = this.#reader.next(this.state === "starting" ? undefined : (entry ?? null));
        if (!reply) return;
        if (reply.kind === "loading" || reply.kind === "running") this.#proceed(entry!, reply.kind);
        else if (entry) this.#answered(entry, (reply.outcome ?? reply.inspection)!);
        else this.#greeted(reply.kind, reply.id, reply.text);
      }
    } catch (error) {
      if (!(error instanceof ProtocolViolation)) throw error;
      this.kill({ cause: "violation", what: error.message });
    }
    if (this.#gathers && this.jobs.length >= gatherFrom) this.#pause();
  }

  /** Under load, answers that are read one by one cost more to wait for than to read: they are let gather a moment. */
  #pause(): void {
    const { stdout } = this.#child;
    stdout.pause();
    setTimeout(() => stdout.resume(), gatherMs);
  }

  #answered(entry: Entry, answer: Parameters<Job["settle"]>[0]): void {
    this.jobs.shift();
    const next = this.jobs.peek();
    if (next) this.#begin(next);
    else this.deadline = Infinity;
    if (!entry.left) entry.job.settle(answer);
    this.#owner.answered(this);
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

  #exited(code: number | null, direct: NodeJS.Signals | null): void {
    const signal = direct ?? signalOf(code);
    // V8 and Node.js abort when the heap is full, and only they write to the child's standard error.
    const aborted = signal === "SIGABRT";
    this.kill({
      cause: "exit",
      how: signal ? `signal ${signal}` : `exit code ${code}`,
      outOfMemory: aborted && /out of memory|Allocation failed/.test(this.stderr),
      // Our own kills do not come this way, so this one is the operating system's or an operator's.
      byStranger: signal === "SIGKILL" || signal === "SIGTERM",
    });
  }
}

/** The signal that has ended a child behind a launcher, which reports it as exit code 128 and its number. */
function signalOf(code: number | null): NodeJS.Signals | null {
  if (code === null || code <= 128) return null;
  const names = Object.entries(constants.signals) as [NodeJS.Signals, number][];
  return names.find(([, number]) => number === code - 128)?.[0] ?? null;
}
