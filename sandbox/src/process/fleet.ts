import { EngineMissingError } from "../engine-missing.ts";
import { printable } from "../printable.ts";
import { type Child, type Launch, launchChild, launchOf } from "./launch.ts";
import type { Nursery } from "./nursery.ts";
import type { Settings } from "./options.ts";
import { type End, type Entry, Runner, type RunnerOwner } from "./runner.ts";

/** So many more children stand by where one is killed after another. */
const reserveMost = 2;
/** How long they do after the last one was killed, in milliseconds. */
const calmMs = 5_000;
/** When the nursery is opened, after the first child is ready, in milliseconds. */
const nurseryMs = 500;
/** After so many children in a row that died before they were ready, nobody waits for the next one. */
const failuresMost = 3;

/** What it counts for that somebody else has killed a child that was about to start: it may well be the last time. */
const strangerFailure = 0.25;

export interface FleetOwner {
  /** A child stands ready: anyone may have it. */
  available(): void;
  /** A child has answered, and could take a job of those that it is for. */
  answered(runner: Runner): void;
  /** A child has ended, with jobs that it has not answered, oldest first. */
  lost(runner: Runner, end: End, jobs: Entry[]): void;
  /** Children do not start; whoever waits for one waits in vain. */
  barren(why: string): void;
}

/** The children of one pool: births, deaths, and those that stand ready to take over. */
export class Fleet implements RunnerOwner {
  /** Children that get jobs. */
  active: Runner[] = [];
  version = "";
  /** Whether one more child than the settings say may live, because a program is being kept apart. */
  room = false;

  readonly #settings: Settings;
  readonly #owner: FleetOwner;
  #launch: Launch | undefined;
  #spare: Runner[] = [];
  readonly #endings = new Set<Promise<void>>();
  readonly #first = Promise.withResolvers<void>();
  #opened = false;
  /** How many more than usual stand by, because children have been killed lately. */
  #reserve = 0;
  /** Runs for a while after a child was killed. */
  #calm: NodeJS.Timeout | undefined;
  #failures = 0;
  #lastFailure = "";
  #retry: NodeJS.Timeout | undefined;
  /** Someone wants a child, and none stands by. */
  #demand = false;
  #refilling = false;
  /** Starts children once there is one; `null` where there can be none. */
  #nursery: Nursery | null = null;
  #nurseryTimer: NodeJS.Timeout | undefined;
  /** Children that the nursery has been asked for. */
  #asked = 0;
  /** Ends children that take too long to start. */
  readonly #late = new Map<Runner, NodeJS.Timeout>();
  #disposed = false;

  constructor(settings: Settings, owner: FleetOwner) {
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

  /** How many children are to stand by now. */
  get #standby(): number {
    return this.#settings.spares + this.#reserve;
  }

  get hasSpare(): boolean {
    return this.#spare.length > 0;
  }

  /** Why no child can be had, or `null`. */
  get barren(): string | null {
    const none = this.active.length + this.#spare.length === 0;
    return none && this.#failures >= failuresMost ? this.#lastFailure : null;
  }

  /** Puts a spare to work, and has another one started. */
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

  /** Takes an idle child out of work: it stands by again if it is nobody's and a place is free, else it ends. */
  rest(runner: Runner): void {
    if (runner.tenant === null && !runner.draining && this.#spare.length < this.#standby) {
      this.active = this.active.filter((other) => other !== runner);
      this.#spare.push(runner);
    } else runner.kill({ cause: "retired" });
  }

  async dispose(): Promise<void> {
    this.#disposed = true;
    clearTimeout(this.#retry);
    clearTimeout(this.#calm);
    clearTimeout(this.#nurseryTimer);
    for (const runner of [...this.all, ...this.#late.keys()]) runner.kill({ cause: "retired" });
    this.#first.reject(new Error("the sandbox has been closed"));
    this.#first.promise.catch(() => {});
    // Children do not keep the parent alive, so something else must until they are gone.
    const hold = setInterval(() => {}, 1_000);
    await Promise.all(this.#endings);
    await this.#nursery?.close();
    clearInterval(hold);
  }

  // ---- what children tell

  ready(runner: Runner): void {
    this.#started(runner);
    this.#failures = 0;
    this.version ||= runner.version;
    this.#spare.push(runner);
    if (!this.#opened) this.#openNurserySoon();
    this.#opened = true;
    // From now on a child that starts keeps nobody waiting.
    for (const timer of this.#late.values()) timer.unref();
    this.#first.resolve();
    this.#owner.available();
    this.refill();
  }

  answered(runner: Runner): void {
    if (runner.draining && runner.jobs.length === 0) runner.kill({ cause: "retired" });
    else this.#owner.answered(runner);
  }

  gone(runner: Runner, end: End, jobs: Entry[]): void {
    this.#endings.add(runner.ended);
    void runner.ended.then(() => this.#endings.delete(runner.ended));
    this.active = this.active.filter((other) => other !== runner);
    this.#spare = this.#spare.filter((other) => other !== runner);
    if (end.cause !== "retired" && jobs.length > 0 && !this.#disposed) this.#alert();
    if (this.#started(runner) && !this.#disposed) this.#failed(runner, end);
    this.#owner.lost(runner, end, jobs);
    if (this.barren !== null) this.#owner.barren(this.barren);
    this.#refillSoon();
  }

  // ---- births

  /** Children die faster than new ones start where one program after another kills its own: more stand by then. */
  #alert(): void {
    if (this.#calm && this.#settings.spares > 0 && this.#reserve < reserveMost) this.#reserve++;
    clearTimeout(this.#calm);
    this.#calm = setTimeout(() => {
      this.#calm = undefined;
      this.#reserve = 0;
      for (const runner of this.#spare.slice(this.#standby)) runner.kill({ cause: "retired" });
    }, calmMs).unref();
  }

  /** Starting a process takes the parent some milliseconds: answers and calls go first. */
  #refillSoon(): void {
    if (this.#refilling) return;
    this.#refilling = true;
    setImmediate(() => {
      this.#refilling = false;
      this.refill();
    });
  }

  /** Starts children until enough stand by; after failed starts one at a time, after a while. */
  refill(): void {
    const { processes } = this.#settings;
    const spares = this.#standby;
    const most = processes + spares + (this.room ? 1 : 0);
    const standby = this.#demand ? Math.max(1, spares) : spares;
    const wanted = Math.min(most, Math.max(1, this.active.length + standby));
    while (
      !this.#disposed &&
      !this.#retry &&
      // Where one stands by already, its successors start one after another, and leave a core to those that work.
      (this.#spare.length === 0 || this.#late.size + this.#asked === 0) &&
      this.active.length + this.#spare.length + this.#late.size + this.#asked < wanted
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
    if (!this.#nursery?.isOpen) return this.#adopt(launchChild(launch));
    this.#asked++;
    this.#nursery
      .bear(launch)
      // Where it has ended, this process does it itself.
      .catch(() => (this.#disposed ? null : launchChild(launch)))
      .then((child) => {
        this.#asked--;
        if (child) this.#adopt(child);
      });
  }

  #adopt(child: Child): void {
    const runner = new Runner(child, this, this.#settings);
    const late = setTimeout(() => {
      if (runner.state === "starting")
        runner.kill({ cause: "violation", what: "nothing for too long while it started" });
    }, this.#settings.startMs);
    if (this.#opened) late.unref();
    this.#late.set(runner, late);
    if (this.#disposed) runner.kill({ cause: "retired" });
  }

  /** A pool that lives for longer than a moment has its children started by a nursery, for when they are killed. */
  #openNurserySoon(): void {
    this.#nurseryTimer = setTimeout(async () => {
      const { Nursery } = await import("./nursery.ts");
      const nursery = await Nursery.open().catch(() => null);
      if (this.#disposed) await nursery?.close();
      else this.#nursery = nursery;
    }, nurseryMs).unref();
  }

  /** Takes a child off the list of those that start; `true` if it was on it. */
  #started(runner: Runner): boolean {
    clearTimeout(this.#late.get(runner));
    return this.#late.delete(runner);
  }

  #failed(runner: Runner, end: End): void {
    this.#failures += end.cause === "exit" && end.byStranger ? strangerFailure : 1;
    this.#lastFailure = describeEnd(end);
    const missing = end.cause === "missing";
    if (!this.#opened && (missing || this.#failures >= failuresMost)) {
      const text = `the sandbox's process does not start: ${this.#lastFailure}${firstError(runner.stderr)}`;
      this.#first.reject(
        missing
          ? new EngineMissingError(this.#settings.engine, end.message)
          : new Error(text, { cause: runner.stderr }),
      );
    }
  }
}

/** The line of a child's standard error that says most, for the end of a sentence. */
function firstError(stderr: string): string {
  const lines = stderr.split("\n").filter((line) => line.trim() !== "");
  const line = lines.find((one) => /error/i.test(one)) ?? lines[0];
  return line === undefined ? "" : `; it said: ${printable(line.trim().slice(0, 300))}`;
}

/** How a child ended, for a sentence in brackets. */
export function describeEnd(end: End): string {
  if (end.cause === "exit") return end.how;
  if (end.cause === "violation") return `it sent ${end.what}`;
  if (end.cause === "missing") return end.message;
  return end.cause;
}
