import { HookwardenError } from "hookwarden/errors";
import type { Log } from "./log.ts";
import { problemOf } from "./problem.ts";

/** Logs what failed on the server's side, with the id of the request that its answer carries. */
export class FailureLog {
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Does nothing for what is the caller's own mistake, or a limit. */
  note(error: unknown, of: { readonly requestId?: string; readonly tenant?: string | null }): void {
    const { status, code } = problemOf(error);
    const fields = {
      request_id: of.requestId ?? "none",
      ...(of.tenant == null ? {} : { tenant: of.tenant }),
    };
    if (status === 500) this.#log("internal-error", { ...fields, error: nameOf(error) });
    else if (status > 500 && error instanceof HookwardenError)
      this.#log("request-failed", { ...fields, error: code, message: error.message });
  }
}

/** What kind of error it was, without its message: that may hold what was sent. */
function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { code } = error as { code?: unknown };
  return typeof code === "string" ? `${error.name} ${code}` : error.name;
}
