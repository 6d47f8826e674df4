import { type Limits, loadMs } from "../limits.ts";
import { Fifo } from "../resilience/fifo.ts";
import type { Job } from "./job.ts";
import { type End, endOfExit } from "./child-end.ts";
import type { Child } from "./launch.ts";
import type { Settings } from "./options.ts";
import { Outbox } from "./outbox.ts";
import { type ResidentMemory, residentMemoryOf } from "./resident-memory.ts";
import { ProtocolViolation, ReplyReader } from "./read-reply.ts";
import { encodeWake, protocolVersion } from "./request.ts";

export interface RunnerOwner {
  ready(runner: Runner): void;
  /** The child is done with its oldest job, which took so many microseconds. */
  finished(entry: Entry, us: number): void;
  answered(runner: Runner): void;
  /** The child has ended or been killed; `jobs` are those that it has not answered, oldest first. */
  gone(runner: Runner, end: End, jobs: Entry[]): void;
}

/** A request that a child has not answered yet. */
export interface Entry {
  readonly id: number;
  readonly kind: "call" | "inspect";
  readonly limits: Limits;
  readonly job: Job;
  /**
   * `new`: the child has yet to receive the program, and will load it. `sent`: it has the program, and may have loaded
   * it. `loading` and `running` are reported by the child.
   */
  phase: "new" | "sent" | "loading" | "running";
  /** The caller's remaining time when it began, in milliseconds. */
  budgetMs: number;
  /** Whether the child may skip it, because an earlier call of its group was answered. */
  maySkip: boolean;
  /** How long the call may run once its program is loaded, in milliseconds. */
  runMs: number;
  /** The job was given to another child: the answer is read, checked and dropped. */
  abandoned: boolean;
  /** The part of its time that its tenant has been charged for already, in microseconds. */
  chargedUs: number;
}

/** Bytes kept of a child's standard error, for debugging. */
const stderrBytes = 16_384;
/** Maximum delay between the exit of a process and the end of its output, in milliseconds. */
const outputEndMs = 100;
/** From this many jobs in a child, its answers are read in batches, once in so many milliseconds. */
const batchFrom = 4;
const batchMs = 1;
/** Maximum age of a memory sample taken as a call's baseline, in milliseconds. */
const sampleAgeMs = 1_000;

/** One child process as its parent sees it: a queue of jobs that it answers in order. */
export class Runner {
  state: "starting" | "ready" | "gone" = "starting";
  /** The tenant that it serves; `null` if it serves all. */
  tenant: string | null = null;
  /** When it was assigned to the tenant. */
  boundAt = 0;
  /** Gets no more jobs, and ends when it has answered its last one. */
  draining = false;
  /** Reserved for programs that have crashed a child. */
  dedicated = false;
  version = "";
  /** Deadline of the oldest job, by `performance.now()`; `Infinity` if idle. */
  deadline = Infinity;
  /** When the oldest job began. */
  since = 0;
  /** Memory of the process before its oldest job began, in bytes; 0 if unknown. */
  floor = 0;
  readonly jobs = new Fifo<Entry>();
  readonly memory: ResidentMemory;
  /** Settles when the process has exited. */
  readonly ended: Promise<void>;

  readonly #owner: RunnerOwner;
  readonly #graceMs: number;
  readonly #batches: boolean;
  readonly #child: Child;
  readonly #reader = new ReplyReader();
  readonly #outbox = new Outbox();
  /** When it was last known to be awake: idle from then on, it spins for a while before it sleeps. */
  #awakeSince = 0;
  #stderr: Buffer = Buffer.alloc(0);

  constructor(child: Child, owner: RunnerOwner, settings: Pick<Settings, "graceMs" | "gather">) {
    this.#owner = owner;
    this.#graceMs = settings.graceMs;
    this.#batches = settings.gather;
    this.#child = child;
    this.memory = residentMemoryOf(child.pid);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    child.once("error", (error) => {
      resolve();
      this.kill({ cause: "exit", how: error.message, outOfMemory: false, killedExternally: true });
    });
    child.once("exit", (code, signal) => {
      resolve();
      // Answers, and what V8 said of its heap, may still be in the pipes. Their end means that all was read,
      // unless another process holds them open.
      const open = [child.stdout, child.stderr].filter((stream) => !stream.closed);
      const read = Promise.all(open.map((stream) => new Promise((close) => stream.once("close", close))));
      const end = (): void => this.kill(endOfExit(code, signal, this.stderr));
      if (open.length === 0) return end();
      void read.then(end);
      setTimeout(end, outputEndMs).unref();
    });
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on("error", () => {});
    child.stdout.on("data", (chunk: Buffer) => this.#onData(chunk));
    // A child that closes its output without exiting cannot answer.
    child.stdout.once("end", () => {
      setTimeout(
        () => this.kill({ cause: "violation", what: "the end of its answers" }),
        outputEndMs,
      ).unref();
    });
    child.stderr.on("data", (chunk: Buffer) => {
      const all = chunk.length >= stderrBytes ? chunk : Buffer.concat([this.#stderr, chunk]);
      // Copied, so that a slice does not retain the whole chunk.
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

  /** Number of jobs in the outbox. */
  get unwritten(): number {
    return this.#outbox.jobs;
  }

  /** Whether the child has the program. */
  has(key: string): boolean {
    return this.#outbox.hasProgram(key);
  }

  /** Adds a job to the outbox; `true` if it was empty. */
  send(job: Job): boolean {
    const { id, isNew, first } = this.#outbox.add(job);
    const { budgetMs, kind, limits } = job;
    const runMs = Math.min(limits.wallMs, budgetMs);
    const phase = isNew ? "new" : "sent";
    const state = { phase, budgetMs, runMs, maySkip: false, abandoned: false, chargedUs: 0 } as const;
    const entry: Entry = { id, kind, limits, job, ...state };
    this.jobs.push(entry);
    if (this.jobs.length === 1) this.#begin(entry, performance.now());
    return first;
  }

  /** Makes the child forget a program; `true` if the outbox was empty. */
  forget(key: string): boolean {
    return this.#outbox.forget(key);
  }

  /** Wakes the child if it has been idle for longer than it spins: it reads a frame that asks for nothing. */
  wake(spinMs: number): void {
    const now = performance.now();
    if (this.state !== "ready" || now - this.#awakeSince <= spinMs) return;
    this.#awakeSince = now;
    this.#child.stdin.write(encodeWake());
  }

  /** Writes the outbox in one piece. */
  flush(): void {
    const text = this.#outbox.take();
    if (text !== "" && this.state === "ready") this.#child.stdin.write(text);
  }

  /** Gives back the jobs behind the oldest that match; their answers will be dropped. */
  giveBack(matches: (job: Job) => boolean): Job[] {
    const jobs: Job[] = [];
    const oldest = this.jobs.peek();
    for (const entry of this.jobs) {
      if (entry.job === oldest?.job || entry.abandoned || !matches(entry.job)) continue;
      entry.abandoned = true;
      jobs.push(entry.job);
    }
    return jobs;
  }

  /** Lets the child end as soon as it has answered its oldest job. @returns the others, which were given back. */
  drain(): Job[] {
    this.draining = true;
    if (this.jobs.length > 0) return this.giveBack(() => true);
    this.kill({ cause: "retired" });
    return [];
  }

  /** Whether a draining child has nothing left to do. */
  get isDrained(): boolean {
    for (const { abandoned } of this.jobs) if (!abandoned) return false;
    return true;
  }

  /** Kills the child. */
  kill(end: End): void {
    if (this.state === "gone") return;
    this.state = "gone";
    this.deadline = Infinity;
    this.#outbox.take();
    this.#child.kill("SIGKILL");
    for (const stream of [this.#child.stdin, this.#child.stdout, this.#child.stderr]) stream.destroy();
    this.memory.close();
    this.#owner.gone(this, end, this.jobs.drain());
  }

  /** Starts the clock of a job, when it has become the oldest of its child. */
  #begin(entry: Entry, now: number): void {
    this.since = now;
    const { job, kind, phase, limits } = entry;
    const group = this.#outbox.groupOf(job);
    if (group?.beganAt === 0) group.beganAt = now;
    else if (group) {
      // The calls of a group share their time, whether or not the earlier ones were answered here.
      entry.maySkip = true;
      entry.budgetMs = Math.max(1, job.budgetMs - (now - group.beganAt));
      entry.runMs = Math.min(limits.wallMs, entry.budgetMs);
    }
    const loads = kind === "inspect" || phase === "new";
    this.deadline = now + (loads ? loadMs(entry) : entry.runMs) + this.#graceMs;
    this.floor = now - this.memory.at < sampleAgeMs ? this.memory.bytes + 4 * job.bytes : 0;
  }

  /** A call loads its program at most once, then runs: each phase has its own deadline. */
  #proceed(entry: Entry, phase: "loading" | "running"): void {
    const { phase: before, budgetMs } = entry;
    if (phase === "running" ? before !== "loading" : before === "loading" || before === "running")
      throw new ProtocolViolation("a load out of order");
    entry.phase = phase;
    const now = performance.now();
    if (phase === "running") {
      entry.runMs = Math.min(entry.runMs, this.since + budgetMs - now);
      this.deadline = now + entry.runMs + this.#graceMs;
      // For a program that is new to the child, the loading clock started with the job.
    } else if (before === "sent") this.deadline = now + loadMs(entry) + this.#graceMs;
  }

  #onData(chunk: Buffer): void {
    try {
      this.#reader.push(chunk);
      while (this.state !== "gone") {
        const entry = this.jobs.peek();
        const reply = this.#reader.next(this.state === "starting" ? undefined : (entry ?? null));
        if (!reply) return;
        if (reply.kind === "loading" || reply.kind === "running") this.#proceed(entry!, reply.kind);
        else if (entry) this.#answered(entry, (reply.outcome ?? reply.inspection)!);
        else this.#onReady(reply.kind, reply.id, reply.text);
      }
    } catch (error) {
      if (!(error instanceof ProtocolViolation)) throw error;
      this.kill({ cause: "violation", what: error.message });
    }
    if (this.#batches && this.jobs.length >= batchFrom) this.#pause();
  }

  /** Under load, one read of many answers is cheaper than many reads of one. */
  #pause(): void {
    const { stdout } = this.#child;
    stdout.pause();
    setTimeout(() => stdout.resume(), batchMs);
  }

  #answered(entry: Entry, answer: Parameters<Job["settle"]>[0]): void {
    this.jobs.shift();
    const now = performance.now();
    this.#owner.finished(entry, (now - this.since) * 1_000);
    const next = this.jobs.peek();
    if (next) this.#begin(next, now);
    else {
      this.deadline = Infinity;
      this.#awakeSince = now;
    }
    if (!entry.abandoned) entry.job.settle(answer);
    this.#owner.answered(this);
  }

  #onReady(kind: string, id: number, text: string): void {
    if (kind === "missing") return this.kill({ cause: "missing", message: text });
    if (id !== protocolVersion)
      return this.kill({ cause: "violation", what: "another version of the protocol" });
    this.version = text;
    this.state = "ready";
    this.memory.sample();
    this.#owner.ready(this);
  }
}
