import { HookwardenError } from "hookwarden/errors";
import type { Log } from "./log.ts";
import { problemOf } from "./problem.ts";

/** Most lines about refused requests in a second: a flood of bad requests must not fill the disk. */
const maxRefusalsPerSecond = 20;

/** The request that failed. */
export interface FailedRequest {
  /** Id of the request, which its response carries too. */
  readonly requestId?: string;
  readonly tenant?: string | null;
  /** Path of the route, with the names of its parameters. */
  readonly route?: string | null;
}

/** Logs requests that were refused or failed, with the request id of their response. */
export class FailureLog {
  readonly #log: Log;
  #second = 0;
  #refusals = 0;
  #suppressed = 0;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Logs why a request got no success. The caller's input is never part of it. */
  note(error: unknown, { requestId, tenant, route }: FailedRequest): void {
    const { status, code } = problemOf(error);
    const fields = {
      request_id: requestId ?? "none",
      ...(tenant == null ? {} : { tenant }),
      ...(route == null ? {} : { route }),
    };
    if (status < 500) this.#refused({ ...fields, status, error: code });
    else if (status === 500) this.#log("internal-error", { ...fields, error: nameOf(error) });
    else if (error instanceof HookwardenError)
      this.#log("request-failed", { ...fields, error: code, message: error.message });
  }

  #refused(fields: object): void {
    const second = Math.floor(performance.now() / 1_000);
    if (second !== this.#second) {
      this.#second = second;
      this.#refusals = 0;
    }
    if (++this.#refusals > maxRefusalsPerSecond) {
      this.#suppressed++;
      return;
    }
    const suppressed = this.#suppressed === 0 ? {} : { suppressed: this.#suppressed };
    this.#suppressed = 0;
    this.#log("request-refused", { ...fields, ...suppressed });
  }
}

/** What kind of error it was, without its message, which may contain input. */
function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { code } = error as { code?: unknown };
  return typeof code === "string" ? `${error.name} ${code}` : error.name;
}
