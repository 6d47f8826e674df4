import { randomUUID } from "node:crypto";
import type { AttributedText, Decision } from "hookwarden/broker";
import type { EventName } from "hookwarden/catalogue";
import { HookwardenError } from "hookwarden/errors";
import type { Subscription } from "hookwarden/pack";
import type { Warden, DispatchOptions } from "hookwarden/warden";

/** The part of a warden that an adapter uses. */
export type DecidingWarden = Pick<Warden, "dispatch" | "pack">;

/** Options that every adapter of an agent framework has. */
export interface MediationOptions {
  readonly warden: DecidingWarden;
  /** The agent session that events belong to, 1 to 512 characters. Default: a new UUID for each guard. */
  readonly sessionId?: string;
  /** The tenant of the events. Default `default`. */
  readonly tenant?: string;
  /** Working directory of the agent, for hooks that ask for it. */
  readonly cwd?: string;
  readonly agentId?: string;
  readonly agentType?: string;
  /** Timeout of one decision, in milliseconds; a step without a decision by then is refused. Default 30,000. */
  readonly timeoutMs?: number;
  /** Called with messages of hooks to the person (`notify`); the model never sees them. */
  readonly onNotice?: (notice: AttributedText) => void;
  /** Called with every decision, for logging and display. */
  readonly onDecision?: (decision: Decision) => void;
  /** Called with every failure of hookwarden that caused a step to be refused. */
  readonly onFailure?: (error: HookwardenError) => void;
}

/** Which hook ended the agent loop, and why. */
export interface Halt {
  readonly hook: string | null;
  readonly reason: string | null;
}

/**
 * Asks a warden about the steps of one agent session. If there is no decision (the warden is closed, the event is
 * invalid, the decision times out), it throws a `HookwardenError`, and the caller must refuse the step.
 */
export class Mediator {
  readonly sessionId: string;
  /** The last `halt`; adapters clear it when a person starts a new turn. */
  halted: Halt | null = null;
  readonly #options: MediationOptions;
  readonly #common: { readonly [field: string]: string };
  readonly #dispatchOptions: DispatchOptions;
  readonly #timeoutMs: number;

  /** @throws {HookwardenError} `option-invalid` */
  constructor(options: MediationOptions) {
    const { warden, sessionId = randomUUID(), tenant, cwd, agentId, agentType, timeoutMs = 30_000 } = options;
    if (typeof (warden as Partial<DecidingWarden> | undefined)?.dispatch !== "function") {
      throw new HookwardenError("option-invalid", "`warden` must be a warden");
    }
    if (typeof sessionId !== "string" || sessionId.length < 1 || sessionId.length > 512) {
      throw new HookwardenError("option-invalid", "`sessionId` must be a text of 1 to 512 characters");
    }
    if (!(timeoutMs > 0 && timeoutMs <= 2_147_483_647)) {
      throw new HookwardenError("option-invalid", "`timeoutMs` must be a number of milliseconds above 0");
    }
    this.#options = options;
    this.sessionId = sessionId;
    this.#timeoutMs = timeoutMs;
    this.#common = {
      session_id: sessionId,
      ...(cwd === undefined ? {} : { cwd }),
      ...(agentId === undefined ? {} : { agent_id: agentId }),
      ...(agentType === undefined ? {} : { agent_type: agentType }),
    };
    this.#dispatchOptions = tenant === undefined ? {} : { tenant };
  }

  /**
   * Whether a hook of the pack listens to an event. Adapters hold output back only if one does.
   *
   * @param name the value that matchers are tested against, such as the tool's name; absent: any.
   * @param action only hooks that may return this action.
   */
  listens(event: EventName, name?: string, action?: string): boolean {
    return this.#options.warden.pack.hooks.some(
      (hook) =>
        (action === undefined || (hook.granted as ReadonlySet<string>).has(action)) &&
        hook.on.some((on) => on.event === event && matches(on, name)),
    );
  }

  /**
   * Has the warden decide on one event.
   *
   * @param fields the event, without `hook_event_name` and without the fields that all events of the session share.
   * @throws {HookwardenError} where there is no decision.
   */
  async decide(event: EventName, fields: { readonly [field: string]: unknown }): Promise<Decision> {
    let decision: Decision;
    try {
      const asked = this.#options.warden.dispatch(
        { ...this.#common, ...fields, hook_event_name: event },
        this.#dispatchOptions,
      );
      decision = await within(asked, this.#timeoutMs, event);
      if (decision.hook_event_name !== event) {
        throw new HookwardenError(
          "internal",
          `the decision is about ${decision.hook_event_name}, not ${event}`,
        );
      }
    } catch (cause) {
      const error = asFailure(cause, event);
      this.#notify(this.#options.onFailure, error);
      throw error;
    }
    if (decision.verdict === "halt") this.halted = { hook: decision.decided_by, reason: decision.reason };
    this.#notify(this.#options.onDecision, decision);
    for (const notice of decision.additions.notices) this.#notify(this.#options.onNotice, notice);
    return decision;
  }

  /** Has hooks observe an event whose decision has no effect. Does nothing if no hook listens. */
  async observe(
    event: EventName,
    fields: { readonly [field: string]: unknown },
    name?: string,
  ): Promise<void> {
    if (!this.listens(event, name)) return;
    await this.decide(event, fields).catch(() => undefined);
  }

  #notify<T>(listener: ((value: T) => void) | undefined, value: T): void {
    try {
      listener?.(value);
    } catch (error) {
      process.emitWarning(error instanceof Error ? error : String(error));
    }
  }
}

function matches({ matcher }: Subscription, name: string | undefined): boolean {
  return name === undefined || matcher === null || matcher.test(name);
}

function within(asked: Promise<Decision>, timeoutMs: number, event: EventName): Promise<Decision> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () =>
        reject(new HookwardenError("internal", `the decision on ${event} timed out after ${timeoutMs} ms`)),
      timeoutMs,
    );
    asked.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

function asFailure(cause: unknown, event: EventName): HookwardenError {
  return cause instanceof HookwardenError
    ? cause
    : new HookwardenError("internal", `the decision on ${event} failed`, {}, { cause });
}
