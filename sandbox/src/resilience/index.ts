/** Protection against hooks that fail, and tenants that send too much. See docs/overload.md. */
export {
  type Circuit,
  CircuitBreaker,
  type CircuitBreakerOptions,
  type CircuitState,
} from "./circuit-breaker.ts";
export { FairQueue, type FairQueueOptions, Flow } from "./fair-queue.ts";
