import { FairQueue, Flow } from "@hookwarden/sandbox/resilience";

/** Work that asks to start. */
interface Waiter {
  readonly flow: LimitedFlow;
  /** Whether the caller has disconnected meanwhile. */
  readonly gone: (() => boolean) | undefined;
  /** Set once it waits; called with whether it may start. */
  resolve: ((mayStart: boolean) => void) | null;
}

/** One tenant's part of a limiter. */
export class LimitedFlow extends Flow<Waiter> {
  /** Maximum number of items that run at the same time. */
  concurrency: number;
  /** Maximum number of items that wait. */
  maxWaiting: number;

  constructor(concurrency: number, maxWaiting: number) {
    super();
    this.concurrency = concurrency;
    this.maxWaiting = maxWaiting;
  }
}

export interface FairLimiterOptions {
  /** Maximum number of items of all tenants that run at the same time. */
  readonly slots: number;
  /**
   * Maximum expected cost of a tenant's running items together, in microseconds: the next tenant may have to wait for
   * that long. One item may always run. Default: unlimited.
   */
  readonly maxLoadUs?: number;
  /** Maximum debt of a tenant, in microseconds. Default: that of `FairQueue`. */
  readonly maxDebtUs?: number;
}

/** Limits how much runs at the same time. What does not fit waits in a fair queue, in which tenants share by time used. */
export class FairLimiter {
  /** More take effect when the next item ends. */
  slots: number;
  readonly #maxLoadUs: number;
  readonly #queue: FairQueue<Waiter>;
  #running = 0;

  constructor({ slots, maxLoadUs = Infinity, maxDebtUs }: FairLimiterOptions) {
    this.slots = slots;
    this.#maxLoadUs = maxLoadUs;
    this.#queue = new FairQueue({
      start: (waiter) => this.#start(waiter),
      isFull: () => this.#running >= this.slots,
      ...(maxDebtUs === undefined ? {} : { maxDebtUs }),
    });
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  /**
   * Asks to start. After `true`, call `leave` once.
   *
   * @param gone whether the caller has disconnected meanwhile: then it never starts.
   * @returns at once where there is room; `null` if too much of the tenant waits already; otherwise a promise, of `false`
   *   if the caller has disconnected.
   */
  enter(flow: LimitedFlow, gone?: () => boolean): true | null | Promise<boolean> {
    const waiter: Waiter = { flow, gone, resolve: null };
    if (this.#queue.tryStart(flow, waiter)) return true;
    if (flow.waiting.length >= flow.maxWaiting) return null;
    return new Promise((resolve) => {
      waiter.resolve = resolve;
      this.#queue.push(flow, waiter);
    });
  }

  /** Ends an item that was started. @param costUs what it used, in microseconds. */
  leave(flow: LimitedFlow, costUs: number): void {
    this.#running--;
    this.#queue.finish(flow, costUs);
    this.#queue.pump();
  }

  /** Ends an item that was started and has used nothing. */
  cancel(flow: LimitedFlow): void {
    this.#running--;
    this.#queue.cancel(flow);
    this.#queue.pump();
  }

  #start({ flow, gone, resolve }: Waiter): boolean | "dropped" {
    if (resolve && gone?.()) {
      resolve(false);
      return "dropped";
    }
    const { running, concurrency, estimateUs } = flow;
    if (running >= Math.max(1, concurrency)) return false;
    if (running > 0 && (running + 1) * estimateUs > this.#maxLoadUs) return false;
    this.#running++;
    resolve?.(true);
    return true;
  }
}
