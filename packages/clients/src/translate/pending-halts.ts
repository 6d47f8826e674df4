import { type Message, fieldOf } from "hookwarden/dialects";
import type { StateKey, StateStore } from "hookwarden/state";

/**
 * Clients can end a turn only at some events, or at none; a halt at another event would be lost. It is stored,
 * and repeated at the next event of the same session (or of the same subagent) that can end the turn.
 */

/** How long a halt stays pending. */
type Span =
  /** Until the session restarts. */
  | "session"
  /** Until the subagent ends. */
  | "agent"
  /** Until the turn ends. */
  | "turn";

/** Events that cannot end a turn, and how long a halt at one stays pending. */
const postponedSpans: ReadonlyMap<unknown, Span> = new Map<string, Span>([
  ["SessionStart", "session"],
  ["SubagentStart", "agent"],
  ["SubagentStop", "turn"],
  ["PostToolUseFailure", "turn"],
  ["PermissionDenied", "turn"],
  ["PreCompact", "turn"],
  ["PostCompact", "turn"],
  ["Notification", "turn"],
]);

/** Events that can end a turn. */
const haltingEvents: ReadonlySet<unknown> = new Set([
  "UserPromptSubmit",
  "PreToolUse",
  "PermissionRequest",
  "PostToolUse",
]);

interface PendingHalt {
  readonly span: Span;
  readonly reason: string;
}

/** A person's prompt starts a new turn; with an empty prompt, Qwen Code continues the turn after a tool that was refused. */
function startsTurn(message: Message): boolean {
  const prompt = fieldOf(message, "prompt");
  return (
    fieldOf(message, "hook_event_name") === "UserPromptSubmit" &&
    (typeof prompt !== "string" || prompt.trim() !== "")
  );
}

/** The halts that are still to take effect, in the same store as the state of hooks. */
export class PendingHalts {
  readonly #store: StateStore;
  readonly #tenant: string;

  constructor(store: StateStore, tenant: string) {
    this.#store = store;
    this.#tenant = tenant;
  }

  /** Why an event is refused before any hook runs; `null` if it is not. */
  async reasonFor(message: Message): Promise<string | null> {
    const event = fieldOf(message, "hook_event_name");
    if (event === "SessionStart" || event === "Stop") {
      await this.#release(message, event === "SessionStart" ? "session" : "turn");
      return null;
    }
    if (!haltingEvents.has(event)) return null;
    for (const key of [this.#key(message, null), this.#key(message, fieldOf(message, "agent_id"))]) {
      const hold = key && (await this.#read(key));
      if (!hold) continue;
      if (hold.span === "turn" && startsTurn(message)) await this.#write(key, null);
      else return hold.reason;
    }
    return null;
  }

  /**
   * Stores a halt that was decided at an event that cannot end the turn.
   *
   * @param ends whether the client has a way to end the turn at this event.
   */
  async postpone(message: Message, reason: string, ends: boolean): Promise<void> {
    const event = fieldOf(message, "hook_event_name");
    const span = postponedSpans.get(event) ?? (ends ? undefined : "turn");
    if (span === undefined) return;
    const key = this.#key(message, span === "agent" ? fieldOf(message, "agent_id") : null);
    if (key) await this.#write(key, { span, reason });
  }

  async #release(message: Message, upTo: "session" | "turn"): Promise<void> {
    const key = this.#key(message, null);
    const hold = key && (await this.#read(key));
    if (hold && (upTo === "session" || hold.span === "turn")) await this.#write(key, null);
  }

  #key(message: Message, agent: unknown): StateKey | null {
    if (agent === undefined) return null;
    const session = String(fieldOf(message, "session_id") ?? "default");
    // Names of hooks contain no space, so this key collides with no hook's state.
    const hook = agent === null ? "client halted" : `client halted ${String(agent)}`;
    return { tenant: this.#tenant, hook, scope: "session", session };
  }

  async #read(key: StateKey): Promise<PendingHalt | null> {
    const record = await this.#store.read(key);
    return record === null ? null : (JSON.parse(record.value) as PendingHalt);
  }

  async #write(key: StateKey, hold: PendingHalt | null): Promise<void> {
    const value = hold && JSON.stringify(hold);
    for (let tries = 0; tries < 5; tries++) {
      const record = await this.#store.read(key);
      if (record === null && value === null) return;
      if (await this.#store.commit([{ key, value, expected: record?.version ?? 0 }])) return;
    }
    throw new Error("the halt of a session could not be kept");
  }
}
