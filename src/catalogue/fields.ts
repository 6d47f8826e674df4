import type { Field, JsonSchema } from "./schema.ts";

/**
 * The fields that events and actions are made of. Names are those of Claude Code's hook input, so that such a
 * payload is an event as it stands.
 */

const text: JsonSchema = { type: "string" };
const object: JsonSchema = { type: "object", tsType: "Record<string, unknown>" };
const anything: JsonSchema = { tsType: "unknown" };
const milliseconds: JsonSchema = { type: "number", minimum: 0 };

/** A name that people and matchers read: no control characters, not empty, bounded. */
const name: JsonSchema = {
  type: "string",
  minLength: 1,
  maxLength: 256,
  pattern: "^[^\\u0000-\\u001f\\u007f]*$",
};

/** A conversation message. Providers differ in all but `role`, so the rest is left open. */
const message: JsonSchema = {
  type: "object",
  properties: { role: { type: "string" }, content: {} },
  tsType: "{ role?: string; content?: unknown; [key: string]: unknown }",
};
const messages: JsonSchema = { type: "array", items: message };
/** A message as a provider returns it: a text, or an object. */
const response: JsonSchema = {
  anyOf: [{ type: "string" }, { type: "object" }],
  tsType: "string | Record<string, unknown>",
};
const errorValue: JsonSchema = {
  anyOf: [{ type: "string" }, { type: "object" }],
  tsType: "string | Record<string, unknown>",
};
const chunk: JsonSchema = {
  anyOf: [{ type: "string" }, { type: "object" }],
  tsType: "string | Record<string, unknown>",
};

/** Marks a field as one that may be absent. */
export function optional(field: Field): Field {
  return { ...field, optional: true };
}

const f = (schema: JsonSchema, doc: string): Field => ({ schema, doc });

/** Fields of every event, beside `hook_event_name`. */
export const commonFields = {
  session_id: f(
    { type: "string", minLength: 1, maxLength: 512 },
    "the agent session that the event belongs to",
  ),
  time: optional(
    f(
      { type: "string", format: "date-time" },
      "when it happened, ISO 8601; added by the broker where it is absent",
    ),
  ),
  cwd: optional(f(text, "working directory of the agent")),
  agent_id: optional(f({ type: "string", maxLength: 512 }, "id of the agent or subagent")),
  agent_type: optional(f({ type: "string", maxLength: 256 }, "kind of agent or subagent")),
} as const satisfies Record<string, Field>;

/** Fields that events have of their own. */
export const eventFields = {
  agent_id: f({ type: "string", minLength: 1, maxLength: 512 }, "id of the subagent"),
  agent_type: f({ type: "string", minLength: 1, maxLength: 256 }, "kind of subagent"),
  chunk: f(chunk, "a piece of the model's response: text, or the provider's object"),
  custom_instructions: f(text, "instructions of the person for the compaction"),
  duration_ms: f(milliseconds, "how long it took, in milliseconds"),
  error: f(errorValue, "what went wrong: a text, or the provider's error object"),
  final: f({ type: "boolean" }, "whether this is the last chunk of the stream"),
  index: f({ type: "integer", minimum: 0 }, "position of the chunk in its stream, from 0"),
  is_error: f({ type: "boolean" }, "whether the tool reported a failure"),
  is_interrupt: f({ type: "boolean" }, "whether a person interrupted the tool"),
  last_assistant_message: f(response, "the last thing the model said"),
  message: f(response, "the model's message"),
  messages: f(messages, "the conversation"),
  model: f({ type: "string", maxLength: 256 }, "name of the model"),
  notification: f(text, "text of the notification"),
  notification_type: f({ type: "string", maxLength: 256 }, "kind of notification"),
  original_tool_input: f(object, "the input before any hook rewrote it"),
  params: f(object, "parameters of the model request"),
  permission_suggestions: f({ type: "array" }, "rules that the host suggests to the person"),
  prompt: f(text, "what the person wrote"),
  reason: f(text, "why"),
  source: f({ type: "string", maxLength: 256 }, "how the session started, such as `startup` or `resume`"),
  stage: f({ type: "string", minLength: 1, maxLength: 256 }, "name of the compaction stage"),
  stop_hook_active: f({ type: "boolean" }, "whether the agent goes on because of an earlier hook already"),
  stream_id: f({ type: "string", minLength: 1, maxLength: 512 }, "the stream that the chunk belongs to"),
  summary: f(text, "what the conversation was compacted to"),
  system: f(anything, "the system prompt"),
  tool_input: f(object, "arguments of the tool call"),
  tool_name: f(name, "name of the tool"),
  tool_response: f(anything, "what the tool returned"),
  tool_use_id: f({ type: "string", maxLength: 512 }, "id of the tool call"),
  total_iterations: f({ type: "integer", minimum: 0 }, "how many times the model was asked"),
  trigger: f({ type: "string", maxLength: 256 }, "what started the compaction"),
  compaction_trigger: f({ type: "string", enum: ["manual", "auto", "micro"] }, "what started the compaction"),
  usage: f(object, "tokens and cost as the provider counts them"),
} as const satisfies Record<string, Field>;

/** Longest reason or feedback of a hook, in characters. */
export const maxReasonLength = 16_384;
/** Longest text of an addition, in characters. The pack's injection budget limits it further. */
export const maxTextLength = 262_144;

/** Text for a person or a model: something must be left when white space is taken away. */
const reasonText: JsonSchema = { type: "string", minLength: 1, maxLength: maxReasonLength, pattern: "\\S" };
const addedText: JsonSchema = { type: "string", minLength: 1, maxLength: maxTextLength };

/** Fields of actions' payloads. */
export const payloadFields = {
  reason: f(reasonText, "why, for the person and the model"),
  feedback: f(reasonText, "what the model should do differently"),
  input: f(object, "the whole new input of the tool"),
  result: f(anything, "what the model sees as the tool's result"),
  is_error: f({ type: "boolean" }, "whether the model sees the result as a failure"),
  error: f(errorValue, "what the model sees as the tool's error"),
  prompt: f({ type: "string", minLength: 1 }, "the whole new prompt"),
  messages: f(messages, "the whole new conversation"),
  injected: f(
    {
      type: "array",
      minItems: 1,
      maxItems: 64,
      items: {
        type: "object",
        properties: { role: { type: "string", enum: ["user", "system"] }, content: addedText },
        required: ["role", "content"],
        additionalProperties: false,
      },
    },
    "messages to append, in order; role `system` only where the pack grants it",
  ),
  durable: f(
    { type: "boolean" },
    "whether the host should keep the messages when it compacts the conversation",
  ),
  system: f(anything, "the whole new system prompt"),
  params: f(object, "the whole new parameters of the model request"),
  message: f(response, "the whole new message of the model"),
  chunk: f(chunk, "what is emitted instead"),
  text: f(addedText, "the text"),
  value: f(anything, "any JSON; `null` clears the state"),
} as const satisfies Record<string, Field>;
