import { FairLimiter, LimitedFlow } from "./fair-limiter.ts";
import { Problem } from "./problem.ts";

/** Bundlers that run at the same time: each is a process that takes a core. */
const maxBundlers = 2;
/** How many of them one tenant has. */
const maxBundlersPerTenant = 1;
/** Uploads of one tenant that wait for one. */
const maxWaitingPerTenant = 32;
/** When a tenant whose queue is full should try again, in seconds. */
const retryAfterSeconds = 5;

/** Shares the bundlers between tenants by the time that their bundles take: one that sends many delays only itself. */
export class Bundlers {
  readonly #limiter = new FairLimiter({ slots: maxBundlers });
  /** By the tenant's object, so that nothing is left of a tenant that was removed. */
  readonly #flows = new WeakMap<object, LimitedFlow>();

  /**
   * Runs work that uses a bundler, when it is the tenant's turn.
   *
   * @throws {Problem} `queue-full`: too much of this tenant waits already
   */
  async run<T>(tenant: object, work: () => Promise<T>): Promise<T> {
    const flow = this.#flowOf(tenant);
    const entered = this.#limiter.enter(flow);
    if (entered === null) throw new Problem("queue-full", retryAfterSeconds);
    await entered;
    const startedAt = performance.now();
    try {
      return await work();
    } finally {
      this.#limiter.leave(flow, (performance.now() - startedAt) * 1_000);
    }
  }

  #flowOf(tenant: object): LimitedFlow {
    let flow = this.#flows.get(tenant);
    if (!flow) this.#flows.set(tenant, (flow = new LimitedFlow(maxBundlersPerTenant, maxWaitingPerTenant)));
    return flow;
  }
}
