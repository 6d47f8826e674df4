import { takeTurn } from "../tenancy/turn.ts";
import { admit } from "./admit.ts";
import { authenticate } from "./authenticate.ts";
import { decide } from "./decide.ts";
import { record } from "./record.ts";
import { respond } from "./respond.ts";

/**
 * The stages of every decision over HTTP, in their order. `http/handler.ts` takes a request through the first two and the
 * last; `decisions.ts` takes each of its events through those in between.
 */
export const pipeline = Object.freeze({ authenticate, admit, queue: takeTurn, decide, record, respond });
