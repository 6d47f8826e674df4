/** One tenant's place in a fair queue. */
export class Turn {
  /** Most decisions of the tenant under way at the same time. */
  concurrency: number;
  /** Most that wait. */
  queued: number;
  running = 0;
  /** What the tenant may still use before others have their turn, in microseconds; below 0 it has used more. */
  deficit = 0;
  /** What one of its decisions takes, as far as is known, in microseconds. */
  estimate = firstEstimateUs;
  readonly waiting: Waiter[] = [];
  listed = false;

  constructor(concurrency: number, queued: number) {
    this.concurrency = concurrency;
    this.queued = queued;
  }
}

interface Waiter {
  readonly go: (may: boolean) => void;
  readonly gone: (() => boolean) | undefined;
}

/** What a tenant gets in each round, in microseconds. */
const quantumUs = 2_000;
/**
 * So much of one tenant may be under way for each process, by estimate, in microseconds: who comes next may have to wait
 * for as long. One of its decisions always may.
 */
const loadUsPerProcess = 4_000;
/** What the first decision of a tenant is taken to cost. */
const firstEstimateUs = 200;
/**
 * How far a tenant can be in debt, in rounds. Time is measured by the clock, and the first calls of a hook, or calls on a
 * machine that is busy with something else, take far longer than they cost.
 */
const debtRounds = 20;

/**
 * Deficit round robin over tenants: where more wants to run than can, each tenant with something to do gets the same
 * time, whatever it sends. Time is charged by estimate when a decision begins, and put right when it ends.
 *
 * There is no other place where tenants wait for each other.
 */
export class FairQueue {
  readonly slots: number;
  readonly #loadUs: number;
  #running = 0;
  #length = 0;
  #active: Turn[] = [];

  /**
   * @param slots decisions of all tenants under way at the same time.
   * @param processes that share them.
   */
  constructor(slots: number, processes = 1) {
    this.slots = slots;
    this.#loadUs = loadUsPerProcess * processes;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#length;
  }

  /**
   * Asks to begin. Each `true` is followed by one `leave`.
   *
   * @param gone whether whoever asked has gone meanwhile: then it never begins.
   * @returns at once where there is room; `null` where too many of the tenant wait already; a promise of `false` where
   *   whoever asked has gone.
   */
  enter(turn: Turn, gone?: () => boolean): true | null | Promise<boolean> {
    if (this.#length === 0 && this.#running < this.slots && this.#mayBegin(turn)) {
      this.#begin(turn);
      return true;
    }
    if (turn.waiting.length >= turn.queued) return null;
    return new Promise((go) => {
      turn.waiting.push({ go, gone });
      this.#length++;
      this.#list(turn);
      this.#pump();
    });
  }

  /** Ends one. @param costUs what it took, in microseconds. */
  leave(turn: Turn, costUs: number): void {
    this.#running--;
    turn.running--;
    const more = costUs - turn.estimate;
    turn.estimate += more / 8;
    turn.deficit = Math.max(turn.deficit - more, -debtRounds * quantumUs);
    if (this.#length > 0) this.#pump();
    else if (turn.deficit > 0) turn.deficit = 0;
  }

  /** Ends the waiting of all, as if they had gone. */
  drain(): void {
    for (const turn of this.#active) {
      for (const { go } of turn.waiting.splice(0)) go(false);
      turn.listed = false;
    }
    this.#active = [];
    this.#length = 0;
  }

  /** Whether the tenant may have one more under way. */
  #mayBegin({ running, concurrency, estimate }: Turn): boolean {
    return running === 0 || (running < concurrency && (running + 1) * estimate <= this.#loadUs);
  }

  #begin(turn: Turn): void {
    this.#running++;
    turn.running++;
    turn.deficit -= turn.estimate;
  }

  #list(turn: Turn): void {
    if (turn.listed) return;
    turn.listed = true;
    // Time that it did not use while it had nothing to do is not saved up; debts stay.
    turn.deficit = Math.min(turn.deficit, 0);
    this.#active.push(turn);
  }

  /** Lets tenants in, one after another, for as long as there is room. */
  #pump(): void {
    let passed = 0;
    while (this.#running < this.slots && this.#active.length > 0) {
      const turn = this.#active[0]!;
      if (turn.waiting.length === 0) {
        this.#active.shift();
        turn.listed = false;
        passed = 0;
        continue;
      }
      if (!this.#mayBegin(turn) || turn.deficit <= 0) {
        this.#rotate();
        if (++passed < this.#active.length) continue;
        // A whole round without anybody: the next rounds are counted, not gone.
        passed = 0;
        if (!this.#grant()) return;
        continue;
      }
      passed = 0;
      this.#next(turn);
    }
  }

  #next(turn: Turn): void {
    const waiter = turn.waiting.shift()!;
    this.#length--;
    if (waiter.gone?.()) waiter.go(false);
    else {
      this.#begin(turn);
      waiter.go(true);
    }
    if (turn.deficit <= 0) this.#rotate();
  }

  /** As many rounds as it takes until one of those that may run has something left; `false` where none may. */
  #grant(): boolean {
    let rounds = Infinity;
    for (const turn of this.#active) {
      if (!this.#mayBegin(turn)) continue;
      rounds = Math.min(rounds, turn.deficit > 0 ? 0 : Math.floor(-turn.deficit / quantumUs) + 1);
    }
    if (rounds === Infinity) return false;
    for (const turn of this.#active) {
      if (this.#mayBegin(turn)) turn.deficit = Math.min(turn.deficit + rounds * quantumUs, quantumUs);
    }
    return true;
  }

  #rotate(): void {
    this.#active.push(this.#active.shift()!);
  }
}
