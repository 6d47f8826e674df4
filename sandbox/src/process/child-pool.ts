import { EngineMissingError } from "../engine-missing.ts";
import { printable } from "../printable.ts";
import { type Child, type Launch, launchChild, launchOf } from "./launch.ts";
import type { ForkServer } from "./fork-server.ts";
import type { Settings } from "./options.ts";
import type { End } from "./child-end.ts";
import { type Entry, Runner, type RunnerOwner } from "./runner.ts";

/** Maximum number of additional spares while children are being killed. */
const maxReserve = 2;
/** How long they are kept after the last kill, in milliseconds. */
const reserveDecayMs = 5_000;
/** Delay between the first ready child and the start of the fork server, in milliseconds. */
const forkServerDelayMs = 500;
/** After this many failed starts in a row, calls fail instead of waiting for the next one. */
const maxStartupFailures = 3;

/** Weight of a starting child that was killed from outside: it need not happen again. */
const externalKillWeight = 0.25;

export interface ChildPoolOwner {
  /** A spare child is ready. */
  available(): void;
  /** A child is done with its oldest job, which took so many microseconds. */
  finished(entry: Entry, us: number): void;
  /** A child has answered, and may have room for another job. */
  answered(runner: Runner): void;
  /** A child has ended; `jobs` are those that it has not answered, oldest first. */
  lost(runner: Runner, end: End, jobs: Entry[]): void;
  /** Children cannot be started; `why` describes the last failure. */
  startupFailed(why: string): void;
}

/** The child processes of one sandbox: starts them, keeps spares ready, and replaces those that end. */
export class ChildPool implements RunnerOwner {
  /** Children that get jobs. */
  active: Runner[] = [];
  version = "";
  /** Whether one child more than configured may run, for programs with a crash history. */
  room = false;

  /** How many tenants wait for a child of their own. */
  reserved = 0;

  readonly #settings: Settings;
  readonly #owner: ChildPoolOwner;
  #launch: Launch | undefined;
  #spare: Runner[] = [];
  readonly #endings = new Set<Promise<void>>();
  readonly #first = Promise.withResolvers<void>();
  #opened = false;
  /** Number of additional spares, because children have been killed recently. */
  #reserve = 0;
  /** Resets the reserve after a quiet period. */
  #reserveTimer: NodeJS.Timeout | undefined;
  #failures = 0;
  #lastFailure = "";
  #retry: NodeJS.Timeout | undefined;
  /** A job waits for a child, and there is no spare. */
  #demand = false;
  #refilling = false;
  /** `null` until it runs, or if the system does not support one. */
  #forkServer: ForkServer | null = null;
  #forkServerTimer: NodeJS.Timeout | undefined;
  /** Children requested from the fork server that have not started yet. */
  #requested = 0;
  /** Starting children, with the timers that end them if they take too long. */
  readonly #starting = new Map<Runner, NodeJS.Timeout>();
  #disposed = false;

  constructor(settings: Settings, owner: ChildPoolOwner) {
    this.#settings = settings;
    this.#owner = owner;
  }

  /** Starts the first children; settles when one is ready. */
  async open(): Promise<void> {
    this.#launch = await launchOf(this.#settings);
    this.refill();
    return this.#first.promise;
  }

  get all(): Runner[] {
    return [...this.active, ...this.#spare];
  }

  /** Target number of spares. */
  get #targetSpares(): number {
    return this.#settings.spares + this.#reserve;
  }

  get hasSpare(): boolean {
    return this.#spare.length > 0;
  }

  /** Why no child can be started, or `null`. */
  get startupFailure(): string | null {
    const none = this.active.length + this.#spare.length === 0;
    return none && this.#failures >= maxStartupFailures ? this.#lastFailure : null;
  }

  /** Activates a spare, and starts another one in its place. */
  promote(tenant: string | null): Runner | null {
    const runner = this.#spare.shift();
    this.#demand = !runner;
    this.#refillSoon();
    if (!runner) return null;
    runner.tenant = tenant;
    runner.boundAt = performance.now();
    this.active.push(runner);
    return runner;
  }

  /** Deactivates an idle child: it becomes a spare again if it belongs to no tenant and one is missing; otherwise it ends. */
  rest(runner: Runner): void {
    if (runner.tenant === null && !runner.draining && this.#spare.length < this.#targetSpares) {
      this.active = this.active.filter((other) => other !== runner);
      this.#spare.push(runner);
    } else runner.kill({ cause: "retired" });
  }

  async dispose(): Promise<void> {
    this.#disposed = true;
    clearTimeout(this.#retry);
    clearTimeout(this.#reserveTimer);
    clearTimeout(this.#forkServerTimer);
    for (const runner of [...this.all, ...this.#starting.keys()]) runner.kill({ cause: "retired" });
    this.#first.reject(new Error("the sandbox has been closed"));
    this.#first.promise.catch(() => {});
    // Children do not keep the parent alive: hold it until they are gone.
    const hold = setInterval(() => {}, 1_000);
    await Promise.all(this.#endings);
    await this.#forkServer?.close();
    clearInterval(hold);
  }

  // ---- events of children

  ready(runner: Runner): void {
    this.#started(runner);
    this.#failures = 0;
    this.version ||= runner.version;
    this.#spare.push(runner);
    if (!this.#opened) this.#openForkServerSoon();
    this.#opened = true;
    // From now on a starting child must not keep the process alive.
    for (const timer of this.#starting.values()) timer.unref();
    this.#first.resolve();
    this.#owner.available();
    this.refill();
  }

  finished(entry: Entry, us: number): void {
    this.#owner.finished(entry, us);
  }

  answered(runner: Runner): void {
    if (runner.draining && runner.isDrained) runner.kill({ cause: "retired" });
    else this.#owner.answered(runner);
  }

  gone(runner: Runner, end: End, jobs: Entry[]): void {
    this.#endings.add(runner.ended);
    void runner.ended.then(() => this.#endings.delete(runner.ended));
    this.active = this.active.filter((other) => other !== runner);
    this.#spare = this.#spare.filter((other) => other !== runner);
    if (end.cause !== "retired" && jobs.length > 0 && !this.#disposed) this.raiseReserve();
    if (this.#started(runner) && !this.#disposed) this.#failed(runner, end);
    this.#owner.lost(runner, end, jobs);
    if (this.startupFailure !== null) this.#owner.startupFailed(this.startupFailure);
    this.#refillSoon();
  }

  // ---- starting children

  /** Keeps more spares while children are replaced faster than new ones start. */
  raiseReserve(): void {
    if (this.#reserveTimer && this.#settings.spares > 0 && this.#reserve < maxReserve) this.#reserve++;
    clearTimeout(this.#reserveTimer);
    this.#reserveTimer = setTimeout(() => {
      this.#reserveTimer = undefined;
      this.#reserve = 0;
      for (const runner of this.#spare.slice(this.#targetSpares)) runner.kill({ cause: "retired" });
    }, reserveDecayMs).unref();
  }

  /** Starting a process blocks for some milliseconds: pending I/O goes first. */
  #refillSoon(): void {
    if (this.#refilling) return;
    this.#refilling = true;
    setImmediate(() => {
      this.#refilling = false;
      this.refill();
    });
  }

  /** Starts children until there are enough spares; after failed starts one at a time, with exponential backoff. */
  refill(): void {
    const { processes } = this.#settings;
    const target = this.#targetSpares;
    // A child that is being drained is replaced before it ends.
    const active = this.active.filter(({ draining }) => !draining).length;
    const max = processes + target + (this.room ? 1 : 0);
    const spares = this.#demand ? Math.max(1, target, this.reserved) : target;
    const wanted = Math.min(max, Math.max(1, active + spares));
    while (
      !this.#disposed &&
      !this.#retry &&
      // With a spare at hand, others start one after another, and leave a core to running calls.
      (this.#spare.length === 0 || this.#starting.size + this.#requested === 0) &&
      active + this.#spare.length + this.#starting.size + this.#requested < wanted
    ) {
      if (this.#failures === 0) this.#start();
      else {
        this.#retry = setTimeout(this.#startAgain, Math.min(5_000, 25 * 2 ** this.#failures));
        if (this.#opened) this.#retry.unref();
      }
    }
  }

  readonly #startAgain = (): void => {
    this.#retry = undefined;
    if (this.#disposed) return;
    this.#start();
    this.refill();
  };

  #start(): void {
    const launch = this.#launch;
    if (!launch) return;
    if (!this.#forkServer?.isOpen) return this.#addChild(launchChild(launch));
    this.#requested++;
    this.#forkServer
      .spawn(launch)
      // If the fork server has ended, spawn directly.
      .catch(() => (this.#disposed ? null : launchChild(launch)))
      .then((child) => {
        this.#requested--;
        if (child) this.#addChild(child);
      });
  }

  #addChild(child: Child): void {
    const runner = new Runner(child, this, this.#settings);
    const late = setTimeout(() => {
      if (runner.state === "starting")
        runner.kill({ cause: "violation", what: "nothing in time while it started" });
    }, this.#settings.startMs);
    if (this.#opened) late.unref();
    this.#starting.set(runner, late);
    if (this.#disposed) runner.kill({ cause: "retired" });
  }

  /** Only pools that live longer than a moment pay for a fork server. */
  #openForkServerSoon(): void {
    this.#forkServerTimer = setTimeout(async () => {
      const { ForkServer } = await import("./fork-server.ts");
      const forkServer = await ForkServer.open().catch(() => null);
      if (this.#disposed) await forkServer?.close();
      else this.#forkServer = forkServer;
    }, forkServerDelayMs).unref();
  }

  /** Removes a child from the starting ones; `true` if it was one of them. */
  #started(runner: Runner): boolean {
    clearTimeout(this.#starting.get(runner));
    return this.#starting.delete(runner);
  }

  #failed(runner: Runner, end: End): void {
    this.#failures += end.cause === "exit" && end.killedExternally ? externalKillWeight : 1;
    this.#lastFailure = describeEnd(end);
    const missing = end.cause === "missing";
    if (!this.#opened && (missing || this.#failures >= maxStartupFailures)) {
      const text = `the sandbox's process does not start: ${this.#lastFailure}${firstError(runner.stderr)}`;
      this.#first.reject(
        missing
          ? new EngineMissingError(this.#settings.engine, end.message)
          : new Error(text, { cause: runner.stderr }),
      );
    }
  }
}

/** The most informative line of a child's standard error, for the end of a sentence. */
function firstError(stderr: string): string {
  const lines = stderr.split("\n").filter((line) => line.trim() !== "");
  const line = lines.find((one) => /error/i.test(one)) ?? lines[0];
  return line === undefined ? "" : `; it said: ${printable(line.trim().slice(0, 300))}`;
}

/** How a child ended, for use in a message. */
export function describeEnd(end: End): string {
  if (end.cause === "exit") return end.how;
  if (end.cause === "violation") return `it sent ${end.what}`;
  if (end.cause === "missing") return end.message;
  return end.cause;
}
