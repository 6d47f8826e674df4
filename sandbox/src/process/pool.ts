import type { Call, EngineName, Inspection, Outcome, Program, Sandbox } from "../contract.ts";
import type { Fault } from "../fault.ts";
import type { Limits } from "../limits.ts";
import { describeEnd, ChildPool, type ChildPoolOwner } from "./child-pool.ts";
import { ExpiringMap } from "../expiring-map.ts";
import { faults } from "../outcome.ts";
import { SlowLoads } from "../slow-loads.ts";
import { type Answer, faultOutcome, Job, type JobOwner } from "./job.ts";
import type { Settings } from "./options.ts";
import type { End, Entry, Runner } from "./runner.ts";
import { Schedule } from "./schedule.ts";
import { TenantQueues } from "./tenant-queues.ts";

/** How often deadlines are looked at, in milliseconds. */
const tickMs = 10;
/** How often the memory of busy children is read, in milliseconds. */
const memoryMs = 25;
/** Calls that are made together are written to a busy child so many at a time. */
const burst = 8;
/** How long a program that has had its child killed is isolated from others, in milliseconds. */
const isolationMs = 60_000;
/** Most such programs that are remembered. */
const maxIsolated = 1_024;
/** A job is sent to at most so many children; from the third on it is the first that each of them has. */
const maxAttempts = 5;

function queueOf(tenant: string): string {
  return `tenant ${tenant}`;
}

const closed = "the sandbox has been closed";

/** Runs calls in child processes that can be killed. */
export class ProcessPool implements Sandbox, ChildPoolOwner, JobOwner {
  readonly engine: EngineName;

  readonly #settings: Settings;
  readonly #children: ChildPool;
  readonly #schedule: Schedule;
  /** Programs that have had a child killed not long ago. */
  readonly #isolated = new ExpiringMap<true>(isolationMs, maxIsolated);
  readonly #slowLoads = new SlowLoads();
  readonly #waiting: TenantQueues;
  /** Children that have jobs which have not been written yet. */
  #unwritten: Runner[] = [];
  /** Reasons to offer the waiting jobs to children, since this was begun; 0 while it is not being done. */
  #pumpRequests = 0;
  #jobs = 0;
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Until when this process does not go to sleep, by `performance.now()`. */
  #spinUntil = 0;
  #spinning = false;
  #lastMemory = 0;
  #disposed = false;

  constructor(settings: Settings) {
    this.engine = settings.engine;
    this.#settings = settings;
    this.#children = new ChildPool(settings, this);
    this.#schedule = new Schedule(this.#children, settings);
    const shared = settings.tenantsPerProcess === "shared";
    // Programs that have killed wait apart, and tenants that hold up children, so that nobody waits for them.
    this.#waiting = new TenantQueues((job) => {
      if (this.#isIsolated(job)) return "apart";
      return shared && !this.#schedule.isHeld(job.tenant) ? "all" : queueOf(job.tenant);
    });
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
    const { inputBytes } = call.limits;
    if (bytes > inputBytes) {
      return faultOutcome(
        "input-too-large",
        `the arguments have ${bytes} bytes, and \`limits.inputBytes\` is ${inputBytes}`,
      );
    }
    const refusal = this.#refusal(bytes);
    if (refusal) return refusal;
    return new Promise<Outcome>((resolve) => {
      this.#submit(new Job(this, call.program, call.tenant, call.limits, call, bytes, resolve));
    });
  }

  async inspect(program: Program, limits: Limits, tenant: string): Promise<Inspection> {
    const refusal = this.#refusal(0);
    if (refusal) return { ok: false, fault: refusal.fault };
    return new Promise<Inspection>((resolve) => {
      this.#submit(new Job(this, program, tenant, limits, null, 0, resolve));
    });
  }

  forget(programKey: string): void {
    this.#isolated.deleteWhere((key) => key === programKey);
    this.#slowLoads.forget(programKey);
    for (const runner of this.#children.all) if (runner.forget(programKey)) this.#writeSoon(runner);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true;
    clearInterval(this.#timer);
    for (const job of this.#waiting.drain()) job.fail("overloaded", closed);
    await this.#children.dispose();
  }

  // ---- from call to child

  #refusal(bytes: number): (Outcome & { ok: false }) | null {
    if (this.#disposed) return faultOutcome("overloaded", closed);
    if (this.#jobs >= this.#settings.queueLimit) {
      return faultOutcome("overloaded", `${this.#jobs} calls are waiting already`);
    }
    if (this.#jobs > 0 && this.#bytes + bytes > this.#settings.queueBytes) {
      return faultOutcome("overloaded", `calls with ${this.#bytes} bytes are waiting already`);
    }
    const { startupFailure } = this.#children;
    return startupFailure === null
      ? null
      : faultOutcome("overloaded", `no process could be started: ${startupFailure}`);
  }

  #submit(job: Job): void {
    this.#jobs++;
    this.#bytes += job.bytes;
    if (this.#timer === undefined) {
      this.#schedule.now = performance.now();
      this.#timer = setInterval(this.#tick, tickMs);
    }
    if (this.#isSlowLoad(job)) return;
    if (this.#waiting.isFor(job) || !this.#place(job)) this.#waiting.push(job, this.#schedule.now);
  }

  #isIsolated({ program }: Job): boolean {
    return this.#isolated.get(program.key) !== undefined;
  }

  /** Answers a call whose program is not to be loaded again yet. */
  #isSlowLoad(job: Job): boolean {
    const fault = job.call && this.#slowLoads.recall(job.call);
    if (fault) job.settle({ ...faultOutcome(fault.code, fault.message), loadTimedOut: true });
    return fault !== null;
  }

  readonly #tryPlace = (job: Job): boolean => this.#place(job);

  #place(job: Job): boolean {
    if (this.#isSlowLoad(job)) return true;
    const runner = this.#isIsolated(job) ? this.#schedule.chooseDedicated(job) : this.#schedule.choose(job);
    if (!runner) return false;
    if (runner.send(job)) this.#writeSoon(runner);
    // A child that has nothing to do begins with the first of many calls while the others are still being written.
    if (!this.#settings.gather && runner.unwritten >= (runner.jobs.length > runner.unwritten ? burst : 1)) {
      runner.flush();
      this.#spin();
    }
    return true;
  }

  #pump(): void {
    this.#offer(() => this.#waiting.each(this.#tryPlace));
  }

  /** To place a job can end a child, which is told back here: then it is gone round once more, not within itself. */
  #offer(round: () => void): void {
    if (this.#waiting.length === 0 || this.#pumpRequests++ > 0) return;
    try {
      round();
      while (this.#pumpRequests > 1) {
        this.#pumpRequests = 1;
        this.#waiting.each(this.#tryPlace);
      }
    } finally {
      this.#pumpRequests = 0;
    }
  }

  #writeSoon(runner: Runner): void {
    if (this.#unwritten.length === 0) {
      if (this.#settings.gather) setImmediate(this.#write);
      else process.nextTick(this.#write);
    }
    this.#unwritten.push(runner);
  }

  /** Runs when all that was ready to run has run, so that calls made together travel together. */
  readonly #write = (): void => {
    const runners = this.#unwritten;
    this.#unwritten = [];
    for (const runner of runners) runner.flush();
    this.#spin();
  };

  /** Answers are looked for as long as one is likely to come at once; all else goes on between two looks. */
  #spin(): void {
    const { spinUs } = this.#settings;
    if (spinUs === 0) return;
    this.#spinUntil = performance.now() + spinUs / 1_000;
    if (this.#spinning) return;
    this.#spinning = true;
    setImmediate(this.#poll);
  }

  readonly #poll = (): void => {
    this.#spinning = this.#jobs > 0 && performance.now() < this.#spinUntil;
    if (this.#spinning) setImmediate(this.#poll);
  };

  settled(job: Job, answer: Answer): void {
    this.#jobs--;
    this.#bytes -= job.bytes;
    if (!answer.ok && "loadTimedOut" in answer && job.call) this.#rememberSlowLoad(job.call);
  }

  /** What is remembered already must not be remembered for longer each time that it is asked for. */
  #rememberSlowLoad(call: Call): void {
    if (!this.#slowLoads.recall(call)) this.#slowLoads.remember(call);
  }

  // ---- what the fleet tells

  available(): void {
    this.#pump();
  }

  answered(runner: Runner): void {
    if (this.#jobs > 0) this.#spin();
    if (this.#waiting.length === 0) return;
    const { tenant } = runner;
    // With a lane for each tenant there may be hundreds, of which this child can serve one.
    if (tenant === null) this.#pump();
    else this.#offer(() => this.#waiting.some(queueOf(tenant), this.#tryPlace));
  }

  lost(runner: Runner, end: End, entries: Entry[]): void {
    const [blamed] = entries;
    if (blamed && !blamed.abandoned) this.#blame(blamed, end, performance.now() - runner.since);
    else if (blamed) this.#recordCrash(blamed.job, end);
    const again: Job[] = [];
    for (const entry of entries) {
      const { job, abandoned } = entry;
      // A job that has left may have come back to the same child, behind what it has left there: that one is not lost.
      if (abandoned || entry === blamed) continue;
      if (this.#disposed) job.fail("overloaded", closed);
      else if (job.attempts < maxAttempts) again.push(job);
      else job.fail("overloaded", "the process ended before it was this call's turn, several times in a row");
    }
    this.#waiting.requeue(again, this.#schedule.now);
    this.#pump();
  }

  startupFailed(why: string): void {
    for (const job of this.#waiting.drain()) job.fail("overloaded", `no process could be started: ${why}`);
  }

  #recordCrash(job: Job, end: End): void {
    if (end.cause !== "retired" && !(end.cause === "exit" && end.killedExternally))
      this.#isolated.set(job.program.key, true);
  }

  /** Names the fault of the job that a child was at when it ended. */
  #blame({ job, kind, phase, runMs }: Entry, end: End, durationMs: number): void {
    this.#recordCrash(job, end);
    const us = durationMs * 1_000;
    const { memoryKb } = job.limits;
    if (this.#disposed) job.fail("overloaded", closed, us);
    else if (end.cause === "deadline") {
      const loading = kind === "inspect" || phase === "new" || phase === "loading";
      const { code, message } = loading ? faults.loadWall(job) : lateFault(job.limits, runMs);
      const fault = { code, message: `${message}, and its process was killed` };
      if (loading) job.failLoading(fault, us);
      else job.failKilled(code, fault.message, us);
    } else if (end.cause === "memory") {
      job.failKilled(
        "memory-exceeded",
        `its process grew beyond \`limits.memoryKb\` (${memoryKb} KiB), and was killed`,
        us,
      );
    } else if (end.cause === "exit" && end.outOfMemory) {
      job.failKilled("memory-exceeded", "its process ran out of memory", us);
    } else {
      const message = `its process ended in the middle of the call (${describeEnd(end)})`;
      // What a stranger kills is not the program's doing.
      if (end.cause === "exit" && end.killedExternally) job.fail("crashed", message, us);
      else job.failKilled("crashed", message, us);
    }
  }

  // ---- time

  /** One timer for all calls. It runs while there is work, and keeps the parent alive only then. */
  readonly #tick = (): void => {
    const now = performance.now();
    this.#schedule.now = now;
    if (now - this.#lastMemory >= memoryMs || this.#jobs === 0) this.#watchMemory(now);
    if (this.#jobs === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      this.#schedule.shrink();
      return;
    }
    // Where this process itself was held up, answers may lie in the pipes: they are read before anyone is killed.
    if (this.#children.active.some((runner) => now > runner.deadline)) setImmediate(this.#killLate);
    this.#waiting.requeue(this.#schedule.rebalanceStalled(), now);
    this.#pump();
    const { queueMs } = this.#settings;
    for (const job of this.#waiting.expired(now - queueMs))
      job.fail("overloaded", `no process was free for ${queueMs} ms`);
  };

  readonly #killLate = (): void => {
    const now = performance.now();
    for (const runner of this.#children.active.slice())
      if (now > runner.deadline) runner.kill({ cause: "deadline" });
  };

  #watchMemory(now: number): void {
    this.#lastMemory = now;
    for (const runner of this.#children.active.slice()) {
      runner.memory.sample();
      const { bytes } = runner.memory;
      const entry = runner.jobs.peek();
      if (entry && runner.floor === 0) runner.floor = bytes;
      if (entry && bytes > runner.floor + entry.limits.memoryKb * 1_024 + this.#settings.rssMarginBytes) {
        runner.kill({ cause: "memory" });
      } else if (bytes > this.#settings.rssRetireBytes) {
        if (entry) runner.draining = true;
        else runner.kill({ cause: "retired" });
      }
    }
  }
}

/** Names the limit that a call met while it ran: its own, or the time that its caller or its loading left it. */
function lateFault({ wallMs }: Limits, runMs: number): Fault {
  if (runMs < wallMs) return faults.budget(runMs);
  return { code: "timeout", message: `it took longer than \`limits.wallMs\` (${wallMs} ms)` };
}
