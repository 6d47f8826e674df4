import type { IncomingMessage, ServerResponse } from "node:http";
import type { Principal } from "../principal.ts";

/** One request and its response. */
export interface Exchange {
  /** Unique, and nothing that a request could choose. */
  readonly id: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Path of the route with its parameters' names; `null` until there is a route. */
  route: string | null;
  /** `null` until the credential has been checked. */
  principal: Principal | null;
  /** Ends the time that the whole request may take; a stream has deadlines of its own. */
  readonly endDeadline: () => void;
}
