import type { EventName } from "hookwarden/catalogue";

/** Agent clients that hookwarden supports: each is tested with the real program. */
export const clientNames = [
  "claude-code",
  "codex",
  "gemini-cli",
  "qwen-code",
  "opencode",
  "copilot-cli",
  "droid",
  "cline",
] as const;
export type ClientName = (typeof clientNames)[number];

export type Json = { readonly [field: string]: unknown };

/**
 * How a client takes what was decided at one of its events: a function for each kind of answer, which makes the part of
 * the answer that says it. What has no function cannot be said there. The parts of one answer are merged.
 */
export interface Answers {
  /** Prevents the step; `message` is what the client sent. */
  readonly stop?: (reason: string, message: Json) => Json;
  /** Prevents the step and ends the turn. Without it a halt becomes `stop`, and the rest of the turn is refused. */
  readonly halt?: (reason: string, message: Json) => Json;
  /** Lets a person decide. */
  readonly ask?: (reason: string) => Json;
  /** Runs the step without asking a person. */
  readonly allow?: () => Json;
  /** Sends the agent back to work. */
  readonly retry?: (feedback: string) => Json;
  /** Runs a tool with another input. */
  readonly input?: (input: Json, message: Json) => Json;
  /** Shows the model another result. */
  readonly result?: (result: unknown, message: Json) => Json;
  /** Sends the model another prompt. */
  readonly prompt?: (prompt: string) => Json;
  /** Adds text for the model. */
  readonly context?: (text: string, message: Json) => Json;
  /** Shows a person a message. */
  readonly notice?: (text: string) => Json;
}

/** One event of a client. */
export interface ClientEvent {
  /** The event of the catalogue that it is. */
  readonly event: EventName;
  /** The event's fields that are called or built differently in the message. */
  readonly read?: (message: Json) => Json;
  readonly answers: Answers;
  /**
   * Answers that this version of the client has no form for, and what they become instead: `stop` prevents the step.
   * Other answers are refused when a pack is installed.
   */
  readonly instead?: { readonly ask?: "stop" };
  /** What a missing or crashed hook program prints, where an exit status stops nothing. */
  readonly fallback?: "answer";
}

/** One agent client: its events, and how its hooks are configured. */
export interface AgentClient {
  readonly name: ClientName;
  readonly title: string;
  /** The npm package that brings it, and its program. */
  readonly npm: string;
  readonly binary: string;
  /** By the client's own names, in the order in which `install` names them. */
  readonly events: { readonly [name: string]: ClientEvent };
  /** Whether messages lack the name of their event, so that the command of each hook must pass it. */
  readonly namesEvent?: false;
  /** What a person must do after the installation. */
  readonly note?: string;
  /** Tools and steps that are known to run without a hook. */
  readonly gaps: readonly string[];
}
