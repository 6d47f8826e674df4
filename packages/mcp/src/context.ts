import type { Decision } from "hookwarden/broker";
import type { EventName } from "hookwarden/catalogue";
import type { Warden } from "hookwarden/warden";
import type { Approval } from "./approval-request.ts";
import { type JsonObject, type RequestId, isObject } from "./message.ts";
import { hookToolName } from "./names.ts";
import { Tasks } from "./tasks.ts";
import { ToolDirectory } from "./tool-directory.ts";
import type { ToolFilter } from "./tool-filter.ts";

/** Where a request of the proxy itself goes. */
export type Side = "client" | "server";

export interface OwnRequest {
  readonly to: Side;
  readonly method: string;
  readonly params: JsonObject;
  /** In milliseconds. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** The client's request that this one is about. */
  readonly relatedTo?: RequestId;
}

export interface ContextOptions {
  readonly warden: Warden;
  readonly name: string;
  readonly sessionId: string;
  readonly tenant: string;
  readonly approval: Approval | undefined;
  readonly filter: ToolFilter;
  /** Text of hooks for the person. */
  readonly onNotice: (text: string) => void;
  /** What went wrong, in a sentence. */
  readonly onProblem: (text: string) => void;
  readonly ask: (request: OwnRequest) => Promise<unknown>;
}

/** How long the proxy's own requests to a server may take, in milliseconds. */
const listTimeoutMs = 10_000;

/** What belongs to one session, and what mediations share. */
export class SessionContext {
  readonly options: ContextOptions;
  readonly tools: ToolDirectory;
  /** Tasks that the server has made of tool calls. */
  readonly serverTasks = new Tasks<TaskOrigin>();
  /** Tasks that the client has made of the server's requests. */
  readonly clientTasks = new Tasks<TaskOrigin>();
  clientCapabilities: JsonObject = {};
  #stopped: string | null = null;

  constructor(options: ContextOptions) {
    this.options = options;
    this.tools = new ToolDirectory((cursor) =>
      options.ask({
        to: "server",
        method: "tools/list",
        params: cursor === undefined ? {} : { cursor },
        timeoutMs: listTimeoutMs,
      }),
    );
  }

  /** Why the session takes no more calls; `null` where it does. */
  get stopped(): string | null {
    return this.#stopped;
  }

  /** Ends what hooks have a say in: a hook has said `halt`. */
  stop(text: string): void {
    this.#stopped ??= text;
  }

  hookName(tool: string): string {
    return hookToolName(this.options.name, tool);
  }

  problem(text: string): void {
    this.options.onProblem(text);
  }

  /**
   * Decides an event of this session.
   *
   * @returns `null` where no decision could be made. The caller must refuse then.
   */
  async decide(event: {
    readonly hook_event_name: EventName;
    readonly [field: string]: unknown;
  }): Promise<Decision | null> {
    const { warden, sessionId, tenant, onNotice } = this.options;
    try {
      const decision = await warden.dispatch({ ...event, session_id: sessionId }, { tenant });
      for (const { hook, text } of decision.additions.notices) onNotice(`${hook}: ${text}`);
      return decision;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.problem(`no decision could be made on a ${event.hook_event_name}, so it is refused: ${why}`);
      return null;
    }
  }
}

/** The request that a task was made of. Its result is judged as that of the request. */
export interface TaskOrigin {
  readonly method: string;
  /** What the mediation of the request remembers of it. */
  readonly facts: unknown;
}

/** Whether hooks listen to an event at all. */
export function listens(warden: Warden, event: EventName): boolean {
  return warden.pack.hooks.some(({ on }) => on.some((one) => one.event === event));
}

/** The capabilities in the parameters of `initialize`. */
export function capabilitiesOf(params: JsonObject): JsonObject {
  return isObject(params["capabilities"]) ? params["capabilities"] : {};
}
