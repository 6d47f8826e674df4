import { Fifo } from "./fifo.ts";

/** Estimated cost of the first item of a flow, in microseconds. */
const firstEstimateUs = 200;
/** Weight of a new measurement in the moving average. */
const estimateWeight = 1 / 8;
/** How far a flow that could not start may lag behind the virtual clock, in microseconds. */
const maxCreditUs = 50_000;

/** One tenant's part of a fair queue. */
export class Flow<T> {
  /** Items that wait, oldest first. */
  readonly waiting = new Fifo<T>();
  /** Items that have started and not finished. */
  running = 0;
  /** Time used, in microseconds. Only differences between flows of one queue mean anything. */
  usedUs = 0;
  /** Moving average of the cost of an item, in microseconds. */
  estimateUs = firstEstimateUs;

  /** Flows start in this order: time used, and what the running items are expected to use. */
  get rank(): number {
    return this.usedUs + this.running * this.estimateUs;
  }

  get isIdle(): boolean {
    return this.running === 0 && this.waiting.length === 0;
  }
}

export interface FairQueueOptions<T> {
  /** Tries to start an item. `false`: it has to wait. `"dropped"`: it is no longer needed, and costs nothing. */
  readonly start: (item: T, flow: Flow<T>) => boolean | "dropped";
  /** Whether no item of any flow can start now. Saves asking each flow. Default: never. */
  readonly isFull?: () => boolean;
  /** Maximum debt of a flow, in microseconds of the virtual clock. Default 10 seconds. */
  readonly maxDebtUs?: number;
}

/**
 * A fair queue: of the flows that have something to start, the one that has used the least time goes first, so that
 * flows share by time, whatever each of them submits. It decides the order; `start` decides how many run.
 *
 * The virtual clock follows the time used by the flow that started last. A flow that was idle rejoins at the clock:
 * unused time is not saved up. The clock advances by time actually used only; estimates affect the order of flows, so
 * that one flow cannot start everything before its first item has been measured.
 */
export class FairQueue<T> {
  readonly #start: FairQueueOptions<T>["start"];
  readonly #isFull: () => boolean;
  readonly #maxDebtUs: number;
  /** Flows with waiting items. */
  readonly #active = new Set<Flow<T>>();
  #length = 0;
  #clockUs = 0;
  #isPumping = false;
  #pumpAgain = false;

  constructor({ start, isFull = () => false, maxDebtUs = 10_000_000 }: FairQueueOptions<T>) {
    this.#start = start;
    this.#isFull = isFull;
    this.#maxDebtUs = maxDebtUs;
  }

  /** Number of waiting items. */
  get length(): number {
    return this.#length;
  }

  /** Flows with waiting items. */
  get active(): Iterable<Flow<T>> {
    return this.#active;
  }

  /** Starts an item now if nothing of its flow waits and there is room; otherwise the caller may `push` it. */
  tryStart(flow: Flow<T>, item: T): boolean {
    if (flow.waiting.length > 0 || this.#isFull()) return false;
    if (flow.running === 0) this.#rejoin(flow);
    return this.#attempt(flow, item);
  }

  /** Adds an item behind the others of its flow. */
  push(flow: Flow<T>, item: T): void {
    if (flow.isIdle) this.#rejoin(flow);
    flow.waiting.push(item);
    this.#active.add(flow);
    this.#length++;
  }

  /** Puts items back, in their order, before the others of their flow. */
  requeue(flow: Flow<T>, items: readonly T[]): void {
    if (items.length === 0) return;
    flow.waiting.requeue(items);
    this.#active.add(flow);
    this.#length += items.length;
  }

  /** Charges time to a flow while its item is still running, in microseconds. */
  charge(flow: Flow<T>, us: number): void {
    flow.usedUs = Math.min(flow.usedUs + us, this.#clockUs + this.#maxDebtUs);
  }

  /**
   * Ends a started item. Call `pump` afterwards.
   *
   * @param costUs time that the item took, in microseconds.
   * @param chargedUs the part of it that has been charged already.
   */
  finish(flow: Flow<T>, costUs: number, chargedUs = 0): void {
    flow.running--;
    flow.estimateUs += (costUs - flow.estimateUs) * estimateWeight;
    this.charge(flow, costUs - chargedUs);
  }

  /** Ends a started item that did not run, without charging for it. */
  cancel(flow: Flow<T>): void {
    flow.running--;
  }

  /** Starts whatever can start, in fair order. May be called while it runs, by `start`: it then starts over. */
  pump(): void {
    this.#pumpAgain = true;
    if (this.#isPumping) return;
    this.#isPumping = true;
    try {
      while (this.#pumpAgain && this.#length > 0) {
        this.#pumpAgain = false;
        this.#pumpOnce();
      }
    } finally {
      this.#isPumping = false;
    }
  }

  /** Starts what can start of one flow. */
  pumpFlow(flow: Flow<T>): void {
    while (!this.#isFull() && this.#startNext(flow));
  }

  /** Removes the waiting items that match, and returns them. */
  remove(matches: (item: T) => boolean): T[] {
    const removed: T[] = [];
    for (const flow of this.#active) {
      const items = flow.waiting.remove(matches);
      for (const item of items) removed.push(item);
      if (flow.waiting.length === 0) this.#active.delete(flow);
    }
    this.#length -= removed.length;
    return removed;
  }

  /** Removes the newest item of a flow. */
  removeLast(flow: Flow<T>): T | undefined {
    const item = flow.waiting.pop();
    if (item === undefined) return undefined;
    this.#length--;
    if (flow.waiting.length === 0) this.#active.delete(flow);
    return item;
  }

  #pumpOnce(): void {
    const flows = [...this.#active].sort((one, other) => one.rank - other.rank);
    for (let at = 0; at < flows.length && !this.#isFull();) {
      const flow = flows[at]!;
      if (!this.#startNext(flow)) {
        at++;
        continue;
      }
      // It has moved back in the order.
      for (let next = at; next + 1 < flows.length && flows[next + 1]!.rank < flow.rank; next++) {
        flows[next] = flows[next + 1]!;
        flows[next + 1] = flow;
      }
    }
  }

  #startNext(flow: Flow<T>): boolean {
    // Taken out first: `start` may requeue others of the flow.
    const item = flow.waiting.shift();
    if (item === undefined) return false;
    this.#length--;
    const started = this.#attempt(flow, item);
    if (!started) {
      flow.waiting.unshift(item);
      this.#length++;
    }
    if (flow.waiting.length === 0) this.#active.delete(flow);
    else this.#active.add(flow);
    return started;
  }

  #attempt(flow: Flow<T>, item: T): boolean {
    const started = this.#start(item, flow);
    if (started !== true) return started === "dropped";
    flow.usedUs = Math.max(flow.usedUs, this.#clockUs - maxCreditUs);
    this.#clockUs = Math.max(this.#clockUs, flow.usedUs);
    flow.running++;
    return true;
  }

  /** Time that a flow did not use while it was idle is not saved up; debts stay. */
  #rejoin(flow: Flow<T>): void {
    flow.usedUs = Math.max(flow.usedUs, this.#clockUs);
  }
}
