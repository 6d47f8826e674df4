import { FairQueue, Turn } from "./fair-queue.ts";
import { Problem } from "./problem.ts";

/** Bundlers that run at the same time: each is a process that takes a core. */
const maxBundlers = 2;
/** How many of them one tenant has. */
const maxBundlersPerTenant = 1;
/** Uploads of one tenant that wait for one. */
const maxWaitingPerTenant = 32;
/** When a tenant whose queue is full should try again, in seconds. */
const retryAfterSeconds = 5;

/**
 * Lets tenants use the bundlers in turn: they share them by the time that their bundles take, and one that sends many
 * delays only itself.
 */
export class Bundlers {
  readonly #queue = new FairQueue(maxBundlers);
  /** By the tenant's object, so that nothing is left of a tenant that was removed. */
  readonly #turns = new WeakMap<object, Turn>();

  /**
   * Runs work that uses a bundler, when it is the tenant's turn.
   *
   * @throws {Problem} `queue-full`: too much of this tenant waits already
   */
  async run<T>(tenant: object, work: () => Promise<T>): Promise<T> {
    const turn = this.#turnOf(tenant);
    const entered = this.#queue.enter(turn);
    if (entered === null) throw new Problem("queue-full", retryAfterSeconds);
    if (!(await entered)) throw new Problem("shutting-down", 1);
    const begun = performance.now();
    try {
      return await work();
    } finally {
      this.#queue.leave(turn, (performance.now() - begun) * 1_000);
    }
  }

  #turnOf(tenant: object): Turn {
    let turn = this.#turns.get(tenant);
    if (!turn) this.#turns.set(tenant, (turn = new Turn(maxBundlersPerTenant, maxWaitingPerTenant)));
    return turn;
  }
}
