import { type Message, fieldOf } from "hookwarden/dialects";
import type { StateKey, StateStore } from "hookwarden/state";

/**
 * Claude Code ends a turn at `continue: false` only at some events; a halt at another would be lost. It is held, and
 * said again at the next event of the same session (or of the same subagent) at which it is heard.
 */

/** How long a halt is held. */
type Span =
  /** Until the session starts anew. */
  | "session"
  /** Until the subagent is gone. */
  | "agent"
  /** Until the turn has ended. */
  | "turn";

/** Events at which a halt is not heard, and how long it is held. */
const unheard: ReadonlyMap<unknown, Span> = new Map<string, Span>([
  ["SessionStart", "session"],
  ["SubagentStart", "agent"],
  ["SubagentStop", "turn"],
  ["PostToolUseFailure", "turn"],
  ["PermissionDenied", "turn"],
  ["PreCompact", "turn"],
  ["PostCompact", "turn"],
  ["Notification", "turn"],
]);

/** Events at which a halt is heard. */
const heard: ReadonlySet<unknown> = new Set([
  "UserPromptSubmit",
  "PreToolUse",
  "PermissionRequest",
  "PostToolUse",
]);

interface Hold {
  readonly span: Span;
  readonly reason: string;
}

/** The halts that are still to be said, in the same store as the state of hooks. */
export class HeldSessions {
  private readonly store: StateStore;
  private readonly tenant: string;

  constructor(store: StateStore, tenant: string) {
    this.store = store;
    this.tenant = tenant;
  }

  /** Why a message is refused before any hook is asked; `null` where it is not. */
  async reasonFor(message: Message): Promise<string | null> {
    const event = fieldOf(message, "hook_event_name");
    if (event === "SessionStart" || event === "Stop") {
      await this.release(message, event === "SessionStart" ? "session" : "turn");
      return null;
    }
    if (!heard.has(event)) return null;
    for (const key of [this.key(message, null), this.key(message, fieldOf(message, "agent_id"))]) {
      const hold = key && (await this.read(key));
      if (!hold) continue;
      // A turn that begins with a person's prompt is another turn.
      if (hold.span === "turn" && event === "UserPromptSubmit") await this.write(key, null);
      else return hold.reason;
    }
    return null;
  }

  /** Holds a halt that was decided at an event where it is not heard. */
  async hold(message: Message, reason: string): Promise<void> {
    const span = unheard.get(fieldOf(message, "hook_event_name"));
    if (span === undefined) return;
    const key = this.key(message, span === "agent" ? fieldOf(message, "agent_id") : null);
    if (key) await this.write(key, { span, reason });
  }

  private async release(message: Message, upTo: "session" | "turn"): Promise<void> {
    const key = this.key(message, null);
    const hold = key && (await this.read(key));
    if (hold && (upTo === "session" || hold.span === "turn")) await this.write(key, null);
  }

  private key(message: Message, agent: unknown): StateKey | null {
    if (agent === undefined) return null;
    const session = String(fieldOf(message, "session_id") ?? "default");
    // Names of hooks hold no space: a place of no hook's own state.
    const hook = agent === null ? "claude-code halted" : `claude-code halted ${String(agent)}`;
    return { tenant: this.tenant, hook, scope: "session", session };
  }

  private async read(key: StateKey): Promise<Hold | null> {
    const record = await this.store.read(key);
    return record === null ? null : (JSON.parse(record.value) as Hold);
  }

  private async write(key: StateKey, hold: Hold | null): Promise<void> {
    const value = hold && JSON.stringify(hold);
    for (let tries = 0; tries < 5; tries++) {
      const record = await this.store.read(key);
      if (record === null && value === null) return;
      if (await this.store.commit([{ key, value, expected: record?.version ?? 0 }])) return;
    }
    throw new Error("the halt of a session could not be kept");
  }
}
