import { randomUUID } from "node:crypto";
import { type MediationOptions, Mediator } from "@hookwarden/mediator";
import type { Identity, RunInfo } from "./options.ts";

/** One mediator for each session of an agent: one middleware serves many threads. */
export class Sessions {
  readonly #mediators = new Map<string, Mediator>();
  readonly #options: MediationOptions;
  readonly #identify: (run: RunInfo) => Identity;
  readonly #fallback: string;

  constructor(options: MediationOptions, identify?: (run: RunInfo) => Identity) {
    this.#options = options;
    this.#fallback = options.sessionId ?? randomUUID();
    this.#identify = identify ?? ((run) => threadOf(run));
    // Reports invalid options now, not in the middle of a run.
    void this.for({});
  }

  for(run: RunInfo): Mediator {
    const { sessionId = this.#fallback, tenant = this.#options.tenant } = this.#identify(run);
    const key = JSON.stringify([tenant, sessionId]);
    let mediator = this.#mediators.get(key);
    if (mediator) return mediator;
    mediator = new Mediator({ ...this.#options, sessionId, ...(tenant === undefined ? {} : { tenant }) });
    this.#mediators.set(key, mediator);
    const oldest = this.#mediators.keys().next();
    if (this.#mediators.size > 10_000 && !oldest.done) this.#mediators.delete(oldest.value);
    return mediator;
  }
}

function threadOf({ configurable }: RunInfo): Identity {
  const thread = configurable?.thread_id;
  return typeof thread === "string" || typeof thread === "number" ? { sessionId: `${thread}` } : {};
}
