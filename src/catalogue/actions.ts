import { optional, payloadFields as p } from "./fields.ts";
import type { Field } from "./schema.ts";

/** A verdict decides, a change rewrites a field of the event, an addition adds something beside it. */
export type ActionKind = "verdict" | "change" | "addition";

/** One row of the table of actions. */
export interface ActionRow {
  readonly kind: ActionKind;
  /** What the action carries beside its name. */
  readonly payload: { readonly [field: string]: Field };
  readonly means: string;
  /** Verdicts only: how strict it is; of two verdicts the higher one counts. */
  readonly strictness?: number;
  /** Verdicts only: whether it ends the chain and stops the step. */
  readonly stops?: true;
  /** Changes only: for each payload field, the event field that it rewrites. */
  readonly rewrites?: { readonly [payloadField: string]: string };
  /** Additions only: the part of the decision it goes to. */
  readonly target?: "augment" | "messages" | "context" | "notices" | "state";
  /** Additions only: whether the model reads it; such text counts against the injection budget. */
  readonly modelFacing?: true;
  /** Legal at every event, so that no event's row repeats it. */
  readonly everywhere?: true;
}

/**
 * The 23 actions that a hook can return. Adding one is a row here, a place in the rows of the events where it is
 * legal, and `npm run generate`.
 */
export const actions = {
  continue: {
    kind: "verdict",
    strictness: 0,
    payload: {},
    everywhere: true,
    means: "nothing to say; also what `undefined` and `null` mean",
  },
  allow: {
    kind: "verdict",
    strictness: 1,
    payload: { reason: optional(p.reason) },
    means: "run without asking; only where the pack grants `allow`",
  },
  ask: { kind: "verdict", strictness: 2, payload: { reason: p.reason }, means: "a person decides" },
  retry: {
    kind: "verdict",
    strictness: 3,
    payload: { feedback: p.feedback },
    means: "do the step again with this feedback",
  },
  drop_chunk: {
    kind: "verdict",
    strictness: 4,
    stops: true,
    payload: {},
    means: "this chunk is not emitted",
  },
  skip: {
    kind: "verdict",
    strictness: 4,
    stops: true,
    payload: { reason: p.reason },
    means: "do not run this tool, go on with its siblings",
  },
  deny: {
    kind: "verdict",
    strictness: 4,
    stops: true,
    payload: { reason: p.reason },
    means: "refuse this tool call, and tell the model why",
  },
  block: {
    kind: "verdict",
    strictness: 4,
    stops: true,
    payload: { reason: p.reason },
    means:
      "veto this step: prompt not sent, request not made, response or result suppressed, stop or compaction not made",
  },
  halt: {
    kind: "verdict",
    strictness: 5,
    stops: true,
    payload: { reason: p.reason },
    means: "end the agent loop",
  },
  modify_input: {
    kind: "change",
    payload: { input: p.input },
    rewrites: { input: "tool_input" },
    means: "the tool runs on this input",
  },
  replace_result: {
    kind: "change",
    payload: { result: p.result, is_error: optional(p.is_error) },
    rewrites: { result: "tool_response", is_error: "is_error" },
    means: "the model sees this instead of the tool's result",
  },
  replace_error: {
    kind: "change",
    payload: { error: p.error },
    rewrites: { error: "error" },
    means: "the model sees this instead of the tool's error",
  },
  transform: {
    kind: "change",
    payload: { prompt: p.prompt },
    rewrites: { prompt: "prompt" },
    means: "the prompt becomes this",
  },
  replace_messages: {
    kind: "change",
    payload: { messages: p.messages },
    rewrites: { messages: "messages" },
    means: "the conversation becomes this",
  },
  replace_system: {
    kind: "change",
    payload: { system: p.system },
    rewrites: { system: "system" },
    means: "the system prompt becomes this",
  },
  set_params: {
    kind: "change",
    payload: { params: p.params },
    rewrites: { params: "params" },
    means: "the parameters of the model request become these",
  },
  replace_response: {
    kind: "change",
    payload: { message: p.message },
    rewrites: { message: "message" },
    means: "the model's message becomes this",
  },
  replace_chunk: {
    kind: "change",
    payload: { chunk: p.chunk },
    rewrites: { chunk: "chunk" },
    means: "this is emitted instead of the chunk",
  },
  augment: {
    kind: "addition",
    payload: { text: p.text },
    target: "augment",
    modelFacing: true,
    means: 'appended to the tool\'s result for the model; several are joined with "\\n"',
  },
  inject: {
    kind: "addition",
    payload: { messages: p.injected, durable: optional(p.durable) },
    target: "messages",
    modelFacing: true,
    means: "appended to the conversation, in order",
  },
  add_context: {
    kind: "addition",
    payload: { text: p.text },
    target: "context",
    modelFacing: true,
    means: "context beside the conversation",
  },
  notify: {
    kind: "addition",
    payload: { text: p.text },
    target: "notices",
    everywhere: true,
    means: "shown to the person, never to the model",
  },
  set_state: {
    kind: "addition",
    payload: { value: p.value },
    target: "state",
    everywhere: true,
    means: "this hook's state for its next call",
  },
} as const satisfies Record<string, ActionRow>;

/** Name of an action. */
export type ActionName = keyof typeof actions;
/** Name of an action that is not legal everywhere, so that events list it. */
export type EventActionName = {
  [N in ActionName]: (typeof actions)[N] extends { everywhere: true } ? never : N;
}[ActionName];
