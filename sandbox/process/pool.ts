import type { Call, EngineName, Inspection, Outcome, Program, Sandbox } from "../contract.ts";
import { EngineMissingError } from "../engine-missing.ts";
import type { Limits } from "../limits.ts";
import { failJob, faultOutcome, type Job } from "./job.ts";
import { type Launch, launchOf } from "./launch.ts";
import type { Settings } from "./options.ts";
import { type End, Runner, type RunnerOwner } from "./runner.ts";
import { Waiting } from "./waiting.ts";

/** How often deadlines are looked at, in milliseconds. */
const tickMs = 10;
/** How often the memory of busy children is read, in milliseconds. */
const memoryMs = 25;
/** A child whose oldest call has run this long gets no more calls while another one can take them. */
const slowMs = 5;
/** How long a child stays with its tenant before it may be replaced for another one. */
const tenureMs = 50;
/** A job is sent to at most so many children. */
const attemptsMost = 3;
/** After so many children in a row that died before they were ready, calls are refused until one starts. */
const failuresMost = 3;
/** A program that had its child killed is kept apart from others for so long. */

/** Runs calls in child processes that can be killed. */
export class ProcessPool implements Sandbox, RunnerOwner {
  readonly engine: EngineName;
  version = "";

  readonly #settings: Settings;
  readonly #launch: Launch;
  readonly #shared: boolean;
  /** Children that get calls. */
  #active: Runner[] = [];
  /** Children that are ready and wait for their turn. */
  #spare: Runner[] = [];
  readonly #starting = new Set<Runner>();
  readonly #waiting = new Waiting();
  /** Children that have calls which have not been written yet. */
  #unwritten: Runner[] = [];
  #jobs = 0;
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #lastTick = 0;
  #lastMemory = 0;
  #failures = 0;
  #lastFailure = "";
  #restart: NodeJS.Timeout | undefined;
  #disposed = false;
  readonly #opened = Promise.withResolvers<void>();
  #isOpen = false;
  readonly #endings = new Set<Promise<void>>();

  constructor(settings: Settings) {
    this.engine = settings.engine;
    this.#settings = settings;
    this.#shared = settings.tenantsPerProcess === "shared";
    this.#launch = launchOf(settings);
  }

  /** Starts the first children; settles when one is ready. */
  async open(): Promise<void> {
    this.#wake();
    this.#refill();
    await this.#opened.promise;
  }

  call(call: Call): Outcome | Promise<Outcome> {
    let bytes = 0;
    for (const arg of call.args) bytes += Buffer.byteLength(arg);
    if (bytes > call.limits.inputBytes)
      return faultOutcome(
        "overloaded",
        `the arguments have ${bytes} bytes; \`limits.inputBytes\` is ${call.limits.inputBytes}`,
      );
    const refusal = this.#refusal(bytes);
    if (refusal) return refusal;
    return new Promise((resolve) => {
      this.#submit({
        kind: "call",
        program: call.program,
        tenant: call.tenant,
        limits: call.limits,
        call,
        bytes,
        id: 0,
        attempts: 0,
        resolve: resolve as Job["resolve"],
      });
    });
  }

  async inspect(program: Program, limits: Limits, tenant: string): Promise<Inspection> {
    const refusal = this.#refusal(0);
    if (refusal && !refusal.ok) return { ok: false, fault: refusal.fault };
    return new Promise((resolve) => {
      this.#submit({
        kind: "inspect",
        program,
        tenant,
        limits,
        call: null,
        bytes: 0,
        id: 0,
        attempts: 0,
        resolve: resolve as Job["resolve"],
      });
    });
  }

  forget(programKey: string): void {
    for (const runner of [...this.#active, ...this.#spare]) {
      if (runner.forget({ key: programKey })) this.#writeSoon(runner);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#disposed) {
      this.#disposed = true;
      clearInterval(this.#timer);
      clearTimeout(this.#restart);
      const runners = [...this.#active, ...this.#spare, ...this.#starting];
      for (const runner of runners) runner.kill({ cause: "retired" });
      for (const job of this.#waiting.drain()) this.#fail(job, "crashed", "the sandbox has been closed");
      if (!this.#isOpen) this.#opened.reject(new Error("the sandbox has been closed"));
    }
    // Children are unref'd, so something else must keep the parent alive until they are gone.
    const hold = setInterval(() => {}, 1_000);
    await Promise.all(this.#endings);
    clearInterval(hold);
  }

  // ---- what children tell

  ready(runner: Runner): void {
    this.#starting.delete(runner);
    this.#failures = 0;
    this.version ||= runner.version;
    this.#spare.push(runner);
    if (!this.#isOpen) {
      this.#isOpen = true;
      this.#opened.resolve();
    }
    this.#pump();
    this.#refill();
  }

  answered(runner: Runner): void {
    if (runner.jobs.length === 0 && this.#settings.rssRetireBytes < runner.memory.bytes) {
      runner.kill({ cause: "retired" });
      return;
    }
    if (this.#waiting.length > 0) this.#pump();
  }

  gone(runner: Runner, end: End, jobs: Job[]): void {
    this.#endings.add(runner.ended);
    void runner.ended.then(() => this.#endings.delete(runner.ended));
    const started = !this.#starting.delete(runner);
    this.#active = this.#active.filter((other) => other !== runner);
    this.#spare = this.#spare.filter((other) => other !== runner);
    const oldest = jobs.shift();
    if (oldest) this.#blame(oldest, end, performance.now() - runner.since);
    const again: Job[] = [];
    for (const job of jobs) {
      if (this.#disposed) this.#fail(job, "crashed", "the sandbox has been closed");
      else if (job.attempts >= attemptsMost)
        this.#fail(job, "crashed", "the process ended before the call's turn, several times in a row");
      else again.push(job);
    }
    if (this.#disposed) return;
    this.#waiting.putBack(again, this.#laneOf);
    if (!started) this.#failedStart(runner, end);
    this.#pump();
    // Starting a process takes the parent some milliseconds, and the answers above come first.
    setImmediate(() => this.#refill());
  }

  // ---- from call to child

  #refusal(bytes: number): Outcome | null {
    if (this.#disposed) return faultOutcome("crashed", "the sandbox has been closed");
    if (this.#jobs >= this.#settings.queueLimit)
      return faultOutcome("overloaded", `${this.#jobs} calls are waiting already`);
    if (this.#jobs > 0 && this.#bytes + bytes > this.#settings.queueBytes)
      return faultOutcome("overloaded", "too many bytes are waiting already");
    if (this.#failures >= failuresMost && this.#active.length + this.#spare.length === 0) {
      return faultOutcome("crashed", `no process could be started: ${this.#lastFailure}`);
    }
    return null;
  }

  readonly #laneOf = (job: Job): string => (this.#shared ? "" : job.tenant);

  #submit(job: Job): void {
    this.#jobs++;
    this.#bytes += job.bytes;
    const { resolve } = job;
    job.resolve = (answer) => {
      this.#jobs--;
      this.#bytes -= job.bytes;
      resolve(answer);
    };
    if (this.#timer === undefined) this.#wake();
    if (this.#waiting.length === 0) {
      const runner = this.#choose(job);
      if (runner) return this.#send(runner, job);
    }
    this.#waiting.push(job, this.#laneOf(job));
    this.#pump();
  }

  #fail(job: Job, code: "crashed" | "overloaded", message: string): void {
    failJob(job, code, message);
  }

  #send(runner: Runner, job: Job): void {
    if (runner.send(job)) this.#writeSoon(runner);
  }

  #writeSoon(runner: Runner): void {
    if (this.#unwritten.length === 0) process.nextTick(this.#write);
    this.#unwritten.push(runner);
  }

  /** Runs when all that was ready to run has run, so that calls made together travel together. */
  readonly #write = (): void => {
    const runners = this.#unwritten;
    this.#unwritten = [];
    for (const runner of runners) runner.flush();
  };

  #pump(): void {
    this.#waiting.each((job) => {
      const runner = this.#choose(job);
      if (!runner) return false;
      this.#send(runner, job);
      return true;
    });
  }

  #choose(job: Job): Runner | null {
    return this.#shared ? this.#chooseShared(job) : this.#chooseOwn(job);
  }

  /** The least loaded child, and rather one that has the program; a spare is called in while all are busy. */
  #chooseShared(job: Job): Runner | null {
    let best: Runner | null = null;
    let least = Infinity;
    let stuck = true;
    for (const runner of this.#active) {
      const { length } = runner.jobs;
      if (length >= this.#settings.pipeline) continue;
      const slow = length > 0 && this.#isSlow(runner);
      stuck &&= slow;
      const load = length + (runner.has(job.program.key) ? 0 : 2) + (slow ? 1_000 : 0);
      if (load < least) {
        least = load;
        best = runner;
      }
    }
    const busy = best === null || best.jobs.length > 0;
    if (busy && this.#spare.length > 0 && (stuck || this.#active.length < this.#settings.processes))
      return this.#promote(null);
    return best;
  }

  #isSlow(runner: Runner): boolean {
    return this.#lastTick - runner.since > slowMs;
  }

  /** A child of this tenant; else a spare; else the place of a child that another tenant has had for a while. */
  #chooseOwn(job: Job): Runner | null {
    const { tenant } = job;
    let own: Runner | null = null;
    for (const runner of this.#active) {
      if (runner.tenant !== tenant || runner.jobs.length >= this.#settings.pipeline) continue;
      if (own === null || runner.jobs.length < own.jobs.length) own = runner;
    }
    if (own && own.jobs.length === 0) return own;
    if (this.#spare.length > 0 && this.#active.length < this.#settings.processes)
      return this.#promote(tenant);
    return own;
  }

  #promote(tenant: string | null): Runner {
    const runner = this.#spare.shift()!;
    runner.tenant = tenant;
    this.#active.push(runner);
    setImmediate(() => this.#refill());
    return runner;
  }

  // ---- time

  #wake(): void {
    this.#lastTick = performance.now();
    this.#timer = setInterval(this.#tick, tickMs);
  }

  /** One timer for all calls. It runs while there is work, and keeps the parent alive only then. */
  readonly #tick = (): void => {
    const now = performance.now();
    this.#lastTick = now;
    if (this.#jobs === 0 && this.#isOpen) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    let late = false;
    for (const runner of this.#active) late ||= now > runner.deadline;
    // Where this process itself was held up, answers may lie in the pipes: they are read before anyone is killed.
    if (late) setImmediate(this.#killLate);
    if (now - this.#lastMemory >= memoryMs) {
      this.#lastMemory = now;
      this.#watchMemory();
    }
    if (this.#waiting.length > 0) this.#pump();
  };

  readonly #killLate = (): void => {
    const now = performance.now();
    for (const runner of [...this.#active]) if (now > runner.deadline) runner.kill({ cause: "deadline" });
  };

  #watchMemory(): void {
    for (const runner of [...this.#active]) {
      const job = runner.jobs.peek();
      if (!job) continue;
      const before = runner.memory.bytes;
      runner.memory.sample();
      const cap = before + job.limits.memoryKb * 1_024 + this.#settings.rssMarginBytes;
      if (before > 0 && runner.memory.bytes > cap) runner.kill({ cause: "memory" });
    }
  }

  // ---- life and death of children

  /** Names the fault of the call that a child was at when it ended. */
  #blame(job: Job, end: End, durationMs: number): void {
    const { limits } = job;
    const durationUs = durationMs * 1_000;
    if (this.#disposed) failJob(job, "crashed", "the sandbox has been closed", durationUs);
    else if (end.cause === "deadline")
      failJob(
        job,
        "timeout",
        `the call took longer than \`limits.wallMs\` (${limits.wallMs} ms), and its process was killed`,
        durationUs,
      );
    else if (end.cause === "memory")
      failJob(
        job,
        "memory-exceeded",
        `the process grew beyond what \`limits.memoryKb\` (${limits.memoryKb} KiB) allows, and was killed`,
        durationUs,
      );
    else if (end.cause === "violation")
      failJob(job, "crashed", `the process sent ${end.what}, and was killed`, durationUs);
    else if (end.cause === "exit" && end.outOfMemory)
      failJob(job, "memory-exceeded", "the process ran out of memory", durationUs);
    else
      failJob(
        job,
        "crashed",
        `the process ended in the middle of the call (${describeEnd(end)})`,
        durationUs,
      );
  }

  #failedStart(runner: Runner, end: End): void {
    this.#failures++;
    this.#lastFailure = describeEnd(end);
    if (this.#isOpen) {
      if (this.#failures >= failuresMost && this.#active.length + this.#spare.length === 0) {
        for (const job of this.#waiting.drain())
          this.#fail(job, "crashed", `no process could be started: ${this.#lastFailure}`);
      }
      return;
    }
    const missing = end.cause === "missing";
    if (!missing && this.#failures < failuresMost) return;
    this.#isOpen = true;
    this.#opened.reject(
      missing
        ? new EngineMissingError(this.engine, end.message)
        : new Error(
            `the sandbox's process does not start: ${this.#lastFailure}; it said: ${runner.stderr.trim() || "nothing"}`,
          ),
    );
  }

  /** Starts children until the spares are there; after failed starts only after a while. */
  #refill(): void {
    if (this.#disposed || this.#restart) return;
    const { processes, spares } = this.#settings;
    const wanted = Math.min(processes + spares, Math.max(1, this.#active.length) + spares);
    for (let live = this.#active.length + this.#spare.length + this.#starting.size; live < wanted; live++) {
      if (this.#failures > 0) {
        this.#restart = setTimeout(
          () => {
            this.#restart = undefined;
            this.#start();
            this.#refill();
          },
          Math.min(5_000, 25 * 2 ** this.#failures),
        );
        if (this.#isOpen) this.#restart.unref();
        return;
      }
      this.#start();
    }
  }

  #start(): void {
    if (this.#disposed) return;
    const runner = new Runner(this.#launch, this, this.#settings);
    this.#starting.add(runner);
    setTimeout(() => {
      if (runner.state === "starting") runner.kill({ cause: "violation", what: "nothing while it started" });
    }, this.#settings.startMs).unref();
  }
}

function describeEnd(end: End): string {
  if (end.cause === "exit") return end.signal ? `signal ${end.signal}` : `exit code ${end.code}`;
  if (end.cause === "violation") return `it sent ${end.what}`;
  if (end.cause === "missing") return end.message;
  return end.cause;
}
