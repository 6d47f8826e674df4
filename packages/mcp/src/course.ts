import { AsyncLocalStorage } from "node:async_hooks";
import type { RequestId } from "./message.ts";

/**
 * The client's request in whose course something happens. Over HTTP a server answers each request on a stream of its
 * own, and the SDK does not say on which one a message came; but what reads a stream descends from what sent the request.
 */
export const course = new AsyncLocalStorage<RequestId | undefined>();
