import { AsyncLocalStorage } from "node:async_hooks";
import type { RequestId } from "./message.ts";

/**
 * The client's request that the current asynchronous context belongs to. Over HTTP a server answers each request on a
 * stream of its own, and the SDK does not report which stream a message arrived on; but the code that reads a stream runs
 * in the asynchronous context of the code that sent the request.
 */
export const currentRequest = new AsyncLocalStorage<RequestId | undefined>();
