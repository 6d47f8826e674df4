import type { Call, EngineName, Inspection, Outcome, Program, Sandbox } from "../contract.ts";
import type { Fault } from "../fault.ts";
import type { Limits } from "../limits.ts";
import { describeEnd, Fleet, type FleetOwner } from "./fleet.ts";
import { ExpiringMap } from "../expiring-map.ts";
import { faults } from "../outcome.ts";
import { SlowLoads } from "../slow-loads.ts";
import { type Answer, faultOutcome, Job, type JobOwner } from "./job.ts";
import type { Settings } from "./options.ts";
import type { End, Entry, Runner } from "./runner.ts";
import { Schedule } from "./schedule.ts";
import { Waiting } from "./waiting.ts";

/** How often deadlines are looked at, in milliseconds. */
const tickMs = 10;
/** How often the memory of busy children is read, in milliseconds. */
const memoryMs = 25;
/** Calls that are made together are written to a busy child so many at a time. */
const burst = 8;
/** How long a program that has had its child killed is kept apart from others, in milliseconds. */
const apartMs = 60_000;
/** Most such programs that are remembered. */
const apartMost = 1_024;
/** A job is sent to at most so many children; from the third on it is the first that each of them has. */
const attemptsMost = 5;

function laneOf(tenant: string): string {
  return `tenant ${tenant}`;
}

const closed = "the sandbox has been closed";

/** Runs calls in child processes that can be killed. */
export class ProcessPool implements Sandbox, FleetOwner, JobOwner {
  readonly engine: EngineName;

  readonly #settings: Settings;
  readonly #fleet: Fleet;
  readonly #schedule: Schedule;
  /** Programs that have had a child killed not long ago. */
  readonly #apart = new ExpiringMap<true>(apartMs, apartMost);
  readonly #slowLoads = new SlowLoads();
  readonly #waiting: Waiting;
  /** Children that have jobs which have not been written yet. */
  #unwritten: Runner[] = [];
  /** Reasons to offer the waiting jobs to children, since this was begun; 0 while it is not being done. */
  #reasons = 0;
  #jobs = 0;
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Until when this process does not go to sleep, by `performance.now()`. */
  #awakeUntil = 0;
  #awake = false;
  #lastMemory = 0;
  #disposed = false;

  constructor(settings: Settings) {
    this.engine = settings.engine;
    this.#settings = settings;
    this.#fleet = new Fleet(settings, this);
    this.#schedule = new Schedule(this.#fleet, settings);
    const shared = settings.tenantsPerProcess === "shared";
    // Programs that have killed wait apart, and tenants that hold up children, so that nobody waits for them.
    this.#waiting = new Waiting((job) => {
      if (this.#isApart(job)) return "apart";
      return shared && !this.#schedule.isHeld(job.tenant) ? "all" : laneOf(job.tenant);
    });
  }

  get version(): string {
    return this.#fleet.version;
  }

  /** Starts the first children; settles when one is ready. */
  open(): Promise<void> {
    return this.#fleet.open();
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
    this.#apart.deleteWhere((key) => key === programKey);
    this.#slowLoads.forget(programKey);
    for (const runner of this.#fleet.all) if (runner.forget(programKey)) this.#writeSoon(runner);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true;
    clearInterval(this.#timer);
    for (const job of this.#waiting.drain()) job.fail("overloaded", closed);
    await this.#fleet.dispose();
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
    const { barren } = this.#fleet;
    return barren === null ? null : faultOutcome("overloaded", `no process could be started: ${barren}`);
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

  #isApart({ program }: Job): boolean {
    return this.#apart.get(program.key) !== undefined;
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
    const runner = this.#isApart(job) ? this.#schedule.chooseApart(job) : this.#schedule.choose(job);
    if (!runner) return false;
    if (runner.send(job)) this.#writeSoon(runner);
    // A child that has nothing to do begins with the first of many calls while the others are still being written.
    if (!this.#settings.gather && runner.unwritten >= (runner.jobs.length > runner.unwritten ? burst : 1)) {
      runner.flush();
      this.#stayAwake();
    }
    return true;
  }

  #pump(): void {
    this.#offer(() => this.#waiting.each(this.#tryPlace));
  }

  /** To place a job can end a child, which is told back here: then it is gone round once more, not within itself. */
  #offer(round: () => void): void {
    if (this.#waiting.length === 0 || this.#reasons++ > 0) return;
    try {
      round();
      while (this.#reasons > 1) {
        this.#reasons = 1;
        this.#waiting.each(this.#tryPlace);
      }
    } finally {
      this.#reasons = 0;
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
    this.#stayAwake();
  };

  /** Answers are looked for as long as one is likely to come at once; all else goes on between two looks. */
  #stayAwake(): void {
    const { spinUs } = this.#settings;
    if (spinUs === 0) return;
    this.#awakeUntil = performance.now() + spinUs / 1_000;
    if (this.#awake) return;
    this.#awake = true;
    setImmediate(this.#look);
  }

  readonly #look = (): void => {
    this.#awake = this.#jobs > 0 && performance.now() < this.#awakeUntil;
    if (this.#awake) setImmediate(this.#look);
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
    if (this.#jobs > 0) this.#stayAwake();
    if (this.#waiting.length === 0) return;
    const { tenant } = runner;
    // With a lane for each tenant there may be hundreds, of which this child can serve one.
    if (tenant === null) this.#pump();
    else this.#offer(() => this.#waiting.some(laneOf(tenant), this.#tryPlace));
  }

  lost(runner: Runner, end: End, entries: Entry[]): void {
    const [blamed] = entries;
    if (blamed && !blamed.left) this.#blame(blamed, end, performance.now() - runner.since);
    else if (blamed) this.#strike(blamed.job, end);
    const again: Job[] = [];
    for (const entry of entries) {
      const { job, left } = entry;
      // A job that has left may have come back to the same child, behind what it has left there: that one is not lost.
      if (left || entry === blamed) continue;
      if (this.#disposed) job.fail("overloaded", closed);
      else if (job.attempts < attemptsMost) again.push(job);
      else job.fail("overloaded", "the process ended before it was this call's turn, several times in a row");
    }
    this.#waiting.putBack(again, this.#schedule.now);
    this.#pump();
  }

  barren(why: string): void {
    for (const job of this.#waiting.drain()) job.fail("overloaded", `no process could be started: ${why}`);
  }

  #strike(job: Job, end: End): void {
    if (end.cause !== "retired" && !(end.cause === "exit" && end.byStranger))
      this.#apart.set(job.program.key, true);
  }

  /** Names the fault of the job that a child was at when it ended. */
  #blame({ job, kind, phase, runMs }: Entry, end: End, durationMs: number): void {
    this.#strike(job, end);
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
      if (end.cause === "exit" && end.byStranger) job.fail("crashed", message, us);
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
    if (this.#fleet.active.some((runner) => now > runner.deadline)) setImmediate(this.#killLate);
    this.#waiting.putBack(this.#schedule.unstick(), now);
    this.#pump();
    const { queueMs } = this.#settings;
    for (const job of this.#waiting.expired(now - queueMs))
      job.fail("overloaded", `no process was free for ${queueMs} ms`);
  };

  readonly #killLate = (): void => {
    const now = performance.now();
    for (const runner of this.#fleet.active.slice())
      if (now > runner.deadline) runner.kill({ cause: "deadline" });
  };

  #watchMemory(now: number): void {
    this.#lastMemory = now;
    for (const runner of this.#fleet.active.slice()) {
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
