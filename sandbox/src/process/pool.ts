import type { Call, EngineName, Inspection, Outcome, Program, Sandbox } from "../contract.ts";
import type { Limits } from "../limits.ts";
import { SlowLoads } from "../slow-loads.ts";
import { skippedOutcome } from "./read-reply.ts";
import { failRunning, isCrash } from "./child-failure.ts";
import { ChildPool, type ChildPoolOwner } from "./child-pool.ts";
import { type Answer, faultOutcome, Job, type JobOwner } from "./job.ts";
import { JobQueue } from "./job-queue.ts";
import type { Settings } from "./options.ts";
import type { End } from "./child-end.ts";
import type { Entry, Runner } from "./runner.ts";
import { Schedule } from "./schedule.ts";

/** Interval at which deadlines are checked, in milliseconds. */
const tickMs = 10;
/** Interval at which the memory of busy children is read, in milliseconds. */
const memoryMs = 25;
/** Calls that are made together are written to a busy child in batches of this size. */
const burst = 8;
/** Maximum number of children that a job is sent to; from the third on it is the first job of each. */
const maxAttempts = 5;

const closed = "the sandbox has been closed";

/** Runs calls in child processes that can be killed. */
export class ProcessPool implements Sandbox, ChildPoolOwner, JobOwner {
  readonly engine: EngineName;
  readonly groupsCalls = true;

  readonly #settings: Settings;
  readonly #children: ChildPool;
  readonly #queue: JobQueue;
  readonly #schedule: Schedule;
  readonly #slowLoads = new SlowLoads();
  /** Children with jobs that have not been written yet. */
  #unwritten: Runner[] = [];
  #timer: NodeJS.Timeout | undefined;
  /** Until when this process spins instead of sleeping, by `performance.now()`. */
  #spinUntil = 0;
  #spinning = false;
  #lastMemory = 0;
  #disposed = false;

  constructor(settings: Settings) {
    this.engine = settings.engine;
    this.#settings = settings;
    this.#children = new ChildPool(settings, this);
    this.#queue = new JobQueue(settings, (job) => this.#start(job));
    this.#schedule = new Schedule(this.#children, this.#queue, settings);
  }

  get version(): string {
    return this.#children.version;
  }

  /** Starts the first children; settles when one is ready. */
  open(): Promise<void> {
    return this.#children.open();
  }

  call(call: Call): Outcome | Promise<Outcome> {
    let bytes = 0;
    for (const arg of call.args) bytes += Buffer.byteLength(arg);
    const { program, tenant, limits } = call;
    if (bytes > limits.inputBytes) {
      return faultOutcome(
        "input-too-large",
        `the arguments have ${bytes} bytes, and \`limits.inputBytes\` is ${limits.inputBytes}`,
      );
    }
    const refusal = this.#refusal(tenant, bytes);
    if (refusal !== null) return faultOutcome("overloaded", refusal);
    return new Promise<Outcome>((resolve) => {
      this.#submit(new Job(this, { program, tenant, limits, call, bytes, resolve }));
    });
  }

  wake(tenant: string): void {
    if (this.#settings.spinUs > 0) this.#schedule.likelyFor(tenant)?.wake(this.#settings.spinUs / 1_000);
  }

  async inspect(program: Program, limits: Limits, tenant: string): Promise<Inspection> {
    const refusal = this.#refusal(tenant, 0);
    if (refusal !== null) return { ok: false, fault: { code: "overloaded", message: refusal } };
    return new Promise<Inspection>((resolve) => {
      this.#submit(new Job(this, { program, tenant, limits, call: null, bytes: 0, resolve }));
    });
  }

  forget(programKey: string): void {
    this.#queue.forget(programKey);
    this.#slowLoads.forget(programKey);
    for (const runner of this.#children.all) if (runner.forget(programKey)) this.#writeSoon(runner);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true;
    clearInterval(this.#timer);
    for (const job of this.#queue.drain()) job.fail("overloaded", closed);
    await this.#children.dispose();
  }

  // ---- from call to child

  #refusal(tenant: string, bytes: number): string | null {
    if (this.#disposed) return closed;
    const full = this.#queue.makeRoom(tenant, bytes);
    if (full !== null) return full;
    const { startupFailure } = this.#children;
    return startupFailure === null ? null : `no process could be started: ${startupFailure}`;
  }

  #submit(job: Job): void {
    if (this.#timer === undefined) {
      this.#schedule.now = performance.now();
      this.#timer = setInterval(this.#tick, tickMs);
    }
    this.#queue.submit(job);
  }

  /** Sends a job to a child, if one has room for it. */
  #start(job: Job): boolean | "dropped" {
    const slow = job.call && this.#slowLoads.recall(job.call);
    if (slow) {
      job.settle({ ...faultOutcome(slow.code, slow.message), loadTimedOut: true });
      return "dropped";
    }
    const runner = this.#queue.isIsolated(job)
      ? this.#schedule.chooseDedicated(job)
      : this.#schedule.choose(job);
    if (!runner) return false;
    if (runner.send(job)) this.#writeSoon(runner);
    // An idle child starts with the first of many calls while the others are still being written.
    if (!this.#settings.gather && runner.unwritten >= (runner.jobs.length > runner.unwritten ? burst : 1)) {
      runner.flush();
      this.#spin();
    }
    return true;
  }

  #writeSoon(runner: Runner): void {
    if (this.#unwritten.length === 0) {
      if (this.#settings.gather) setImmediate(this.#write);
      else process.nextTick(this.#write);
    }
    this.#unwritten.push(runner);
  }

  /** Runs after everything that was ready to run, so that calls that were made together are written together. */
  readonly #write = (): void => {
    const runners = this.#unwritten;
    this.#unwritten = [];
    for (const runner of runners) runner.flush();
    this.#spin();
  };

  /** Spins for as long as an answer is likely to come; other work is done between two polls. */
  #spin(): void {
    const { spinUs } = this.#settings;
    if (spinUs === 0) return;
    this.#spinUntil = performance.now() + spinUs / 1_000;
    if (this.#spinning) return;
    this.#spinning = true;
    setImmediate(this.#poll);
  }

  readonly #poll = (): void => {
    this.#spinning = this.#queue.jobs > 0 && performance.now() < this.#spinUntil;
    if (this.#spinning) setImmediate(this.#poll);
  };

  settled(job: Job, answer: Answer): void {
    this.#queue.settled(job);
    if (answer.ok || !("loadTimedOut" in answer) || !job.call) return;
    // The fault of a load that was not tried again must not extend its period.
    if (!this.#slowLoads.recall(job.call)) this.#slowLoads.remember(job.call);
  }

  // ---- events of children

  available(): void {
    this.#queue.pump();
  }

  finished({ job, abandoned, chargedUs }: Entry, us: number): void {
    if (abandoned) this.#queue.charge(job, us - chargedUs);
    else this.#queue.finish(job, us, chargedUs);
  }

  answered({ tenant, jobs }: Runner): void {
    if (this.#queue.jobs > 0) this.#spin();
    // There may be hundreds of waiting tenants; a busy child of one tenant can take jobs of that one only.
    if (tenant !== null && jobs.length > 0) this.#queue.pump(tenant);
    else this.#queue.pump();
  }

  lost(runner: Runner, end: End, entries: Entry[]): void {
    const [running, ...others] = entries;
    if (running) this.#failRunning(running, end, performance.now() - runner.since);
    const again: Job[] = [];
    for (const { job, abandoned } of others) {
      // An abandoned job is waiting or running elsewhere.
      if (abandoned) continue;
      if (job.call?.group && job.call.group === running?.job.call?.group) {
        this.#queue.cancel(job);
        job.settle(skippedOutcome);
        continue;
      }
      if (!this.#disposed && job.attempts < maxAttempts) {
        again.push(job);
        continue;
      }
      this.#queue.cancel(job);
      if (this.#disposed) job.fail("overloaded", closed);
      else job.fail("overloaded", "the process ended before it was this call's turn, several times in a row");
    }
    this.#queue.giveBack(again);
    this.#queue.pump();
  }

  startupFailed(why: string): void {
    for (const job of this.#queue.drain()) job.fail("overloaded", `no process could be started: ${why}`);
  }

  #failRunning(running: Entry, end: End, durationMs: number): void {
    const { job, abandoned } = running;
    this.finished(running, durationMs * 1_000);
    if (isCrash(end)) this.#queue.crashed(job);
    if (abandoned) return;
    if (this.#disposed) job.fail("overloaded", closed, durationMs * 1_000);
    else failRunning(running, end, durationMs);
  }

  // ---- time

  /** One timer for all calls. It runs while there is work, and keeps the parent alive only then. */
  readonly #tick = (): void => {
    const now = performance.now();
    this.#schedule.now = now;
    if (now - this.#lastMemory >= memoryMs || this.#queue.jobs === 0) this.#watchMemory(now);
    if (this.#queue.jobs === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      this.#schedule.shrink();
      return;
    }
    // If this process itself was blocked, answers may lie in the pipes: they are read before a child is killed.
    if (this.#children.active.some((runner) => now > runner.deadline)) setImmediate(this.#killLate);
    this.#chargeRunning(now);
    this.#queue.giveBack(this.#schedule.rebalanceStalled());
    this.#schedule.dropReservations();
    this.#failExpired(now - this.#settings.queueMs);
    this.#queue.pump();
  };

  readonly #killLate = (): void => {
    const now = performance.now();
    for (const runner of this.#children.active.slice())
      if (now > runner.deadline) runner.kill({ cause: "deadline" });
  };

  /** Charges long jobs while they run, so that the order of tenants does not depend on when they end. */
  #chargeRunning(now: number): void {
    for (const { jobs, since } of this.#children.active) {
      const running = jobs.peek();
      if (!running) continue;
      const us = (now - since) * 1_000;
      this.#queue.charge(running.job, us - running.chargedUs);
      running.chargedUs = us;
    }
  }

  #failExpired(before: number): void {
    const expired = this.#queue.expired(before);
    // Those that wait in the pipe of a child wait as well.
    for (const runner of this.#children.active) {
      if (runner.jobs.length < 2) continue;
      for (const job of runner.giveBack(({ submittedAt }) => submittedAt < before)) {
        this.#queue.cancel(job);
        expired.push(job);
      }
    }
    for (const job of expired) job.fail("overloaded", `no process was free for ${this.#settings.queueMs} ms`);
  }

  #watchMemory(now: number): void {
    this.#lastMemory = now;
    for (const runner of this.#children.active.slice()) {
      runner.memory.sample();
      const { bytes } = runner.memory;
      const entry = runner.jobs.peek();
      if (entry && runner.floor === 0) runner.floor = bytes;
      if (entry && bytes > runner.floor + entry.limits.memoryKb * 1_024 + this.#settings.rssMarginBytes) {
        runner.kill({ cause: "memory" });
      } else if (bytes > this.#settings.rssRetireBytes && !runner.draining) {
        this.#queue.giveBack(runner.drain());
      }
    }
  }
}
