import { randomBytes } from "node:crypto";

/** What a stand-in model sees of one request, whichever API it came by. */
export interface Conversation {
  /** Everything that people, and the client itself, said to the model. */
  readonly prompt: string;
  /** How many turns in which the model called tools the conversation holds. */
  readonly rounds: number;
  /** What the model was shown as results of tools, in order. */
  readonly results: readonly string[];
  /** The tools that the model may call. */
  readonly tools: readonly OfferedTool[];
}

export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  /** Fields of the input and their JSON Schemas. */
  readonly fields: Json;
  /** Fields that the input must have. */
  readonly required: readonly string[];
  /** The group that it belongs to, such as an MCP server's tools. */
  readonly namespace?: string;
  /** A tool whose whole input is one text. */
  readonly freeform?: true;
}

export interface ToolCall {
  readonly name: string;
  readonly namespace?: string;
  readonly input: { readonly [field: string]: unknown } | string;
}

/** What the model answers: a text, or calls of tools. */
export type Turn = { readonly text: string } | { readonly calls: readonly ToolCall[] };

/** Decides from a conversation alone, so that subagents and repeated requests get consistent answers. */
export type Script = (conversation: Conversation) => Turn;

/** One of the model APIs that agent clients use. */
export interface ModelApi {
  /** Whether a request is one for an answer of the model. */
  matches(path: string): boolean;
  read(body: Json, path: string): Conversation;
  /** The body of the answer and its content type. */
  write(turn: Turn, body: Json, path: string): { readonly type: string; readonly body: string };
}

export type Json = { readonly [field: string]: unknown };

/** An identifier that nothing else in a session has: clients merge messages with the same one. */
export const newId = (kind: string): string => `${kind}_${randomBytes(6).toString("hex")}`;

/** The text of a message's content, whatever its form. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (content === null || content === undefined) return "";
  if (Array.isArray(content)) return content.map(textOf).join("\n");
  if (typeof content !== "object") return String(content);
  const { text, content: inner, output } = content as Json;
  if (typeof text === "string") return text;
  return inner === undefined && output === undefined ? JSON.stringify(content) : textOf(inner ?? output);
}

export function listOf(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "object" && one !== null) : [];
}

/** The fields of a tool's input, by its JSON Schema. */
export function fieldsOf(schema: unknown): Pick<OfferedTool, "fields" | "required"> {
  const { properties, required } = (schema ?? {}) as Json;
  return {
    fields: (properties ?? {}) as Json,
    required: Array.isArray(required) ? required.map(String) : [],
  };
}

export function serverSentEvents(
  events: readonly { readonly name?: string; readonly data: unknown }[],
): string {
  return events
    .map(({ name, data }) => {
      const text = typeof data === "string" ? data : JSON.stringify(data);
      return `${name === undefined ? "" : `event: ${name}\n`}data: ${text}\n\n`;
    })
    .join("");
}
