import type { Decision } from "hookwarden/broker";
import { jsonView } from "./json-view.ts";
import type { Mediator } from "./mediator.ts";
import type { RefusedHow } from "./refused-error.ts";
import { type AddedMessage, addedMessages, feedbackText, refusalText } from "./refusal-messages.ts";

/**
 * Maximum number of times that one step is repeated. The broker limits each hook to three retries in a row; this limits
 * hooks that alternate.
 */
export const maxRepeats = 10;

/** A request to a model, in the framework's own messages. */
export interface ModelRequest {
  readonly model: string;
  readonly messages: readonly unknown[];
  readonly system?: unknown;
  /** Only what hooks may set. */
  readonly params?: { readonly [name: string]: unknown };
}

/** A step that hooks refused. */
export interface StepRefused {
  readonly kind: "refused";
  readonly how: RefusedHow;
  /** For the model and the person, with the reason in a fence. */
  readonly text: string;
  readonly decision: Decision;
}

export interface RequestOutcome {
  readonly kind: "send";
  readonly messages: readonly unknown[];
  readonly messagesChanged: boolean;
  readonly system: unknown;
  readonly systemChanged: boolean;
  /** The parameters that hooks set; `null` where they set none. */
  readonly params: { readonly [name: string]: unknown } | null;
  /** To be appended to the messages, in order. */
  readonly added: readonly AddedMessage[];
}

/**
 * Has PreModelRequest decide on a request, and once more with the feedback if a hook answers `retry`.
 *
 * @param userMessage creates a message of the framework from a text.
 * @throws {HookwardenError} where there is no decision: the request must not be made.
 */
export async function beforeModel(
  mediator: Mediator,
  request: ModelRequest,
  userMessage: (text: string) => unknown,
): Promise<RequestOutcome | StepRefused> {
  const { model, system, params } = request;
  let { messages } = request;
  for (let round = 0; ; round++) {
    const view = jsonView(messages);
    const systemView = jsonView(system);
    const decision = await mediator.decide("PreModelRequest", {
      model: model.slice(0, 256),
      messages: view.value,
      ...(system === undefined ? {} : { system: systemView.value }),
      ...(params === undefined ? {} : { params: jsonView(params).value }),
    });
    const { verdict, changes, additions } = decision;
    if (verdict === "retry" && round < maxRepeats) {
      messages = [...messages, userMessage(feedbackText(decision))];
      continue;
    }
    if (verdict !== "continue") return refused("the request to the model was not made", decision);
    const messagesChanged = Object.hasOwn(changes, "messages");
    const systemChanged = Object.hasOwn(changes, "system");
    return {
      kind: "send",
      messages: messagesChanged ? (view.restore(changes.messages) as unknown[]) : messages,
      messagesChanged: messagesChanged || messages !== request.messages,
      system: systemChanged ? systemView.restore(changes.system) : system,
      systemChanged,
      params: Object.hasOwn(changes, "params") ? (changes.params as RequestOutcome["params"]) : null,
      added: addedMessages(additions),
    };
  }
}

/** What a model answered. */
export interface ModelResponse {
  readonly model: string;
  /** A text or a message object of the framework. */
  readonly message: unknown;
  readonly messages?: readonly unknown[];
  readonly usage?: unknown;
  readonly startedAt?: number;
}

export type ResponseOutcome =
  | { readonly kind: "keep" }
  | { readonly kind: "replace"; readonly message: unknown }
  | { readonly kind: "retry"; readonly text: string }
  | StepRefused;

/**
 * Has PostModelResponse decide on an answer before it is shown.
 *
 * @throws {HookwardenError} where there is no decision: the answer must not be shown.
 */
export async function afterModel(mediator: Mediator, response: ModelResponse): Promise<ResponseOutcome> {
  const { model, message, messages, usage, startedAt } = response;
  const view = jsonView(message);
  const decision = await mediator.decide("PostModelResponse", {
    message: view.value,
    model: model.slice(0, 256),
    ...(messages === undefined ? {} : { messages: jsonView(messages).value }),
    ...(usage === undefined || usage === null ? {} : { usage: jsonView(usage).value }),
    ...(startedAt === undefined ? {} : { duration_ms: Math.max(0, performance.now() - startedAt) }),
  });
  const { verdict, changes } = decision;
  if (verdict === "retry") return { kind: "retry", text: feedbackText(decision) };
  if (verdict !== "continue") return refused("the model's answer is withheld", decision);
  return Object.hasOwn(changes, "message")
    ? { kind: "replace", message: view.restore(changes.message) }
    : { kind: "keep" };
}

export type StopOutcome =
  | { readonly kind: "end"; readonly added: readonly AddedMessage[] }
  /** The agent continues, with this text as the next message. */
  | { readonly kind: "again"; readonly text: string; readonly added: readonly AddedMessage[] }
  | StepRefused;

/**
 * Has Stop decide whether the agent may end its turn.
 *
 * @param stop.active whether the agent already continues because of a Stop hook.
 * @throws {HookwardenError} where there is no decision.
 */
export async function beforeStop(
  mediator: Mediator,
  stop: { readonly last: unknown; readonly active: boolean; readonly model?: string },
): Promise<StopOutcome> {
  const decision = await mediator.decide("Stop", {
    stop_hook_active: stop.active,
    last_assistant_message: jsonView(stop.last).value,
    ...(stop.model === undefined ? {} : { model: stop.model.slice(0, 256) }),
  });
  const added = addedMessages(decision.additions);
  const { verdict } = decision;
  if (verdict === "retry" || verdict === "block")
    return { kind: "again", text: feedbackText(decision), added };
  if (verdict === "continue") return { kind: "end", added };
  return refused("the agent was stopped", decision);
}

export type PromptOutcome =
  | {
      readonly kind: "send";
      readonly prompt: string;
      readonly changed: boolean;
      readonly added: readonly AddedMessage[];
    }
  | StepRefused;

/**
 * Has UserPromptSubmit decide on a person's prompt. A person cannot be sent back from here, so `retry` is a refusal with
 * the feedback as its text.
 *
 * @throws {HookwardenError} where there is no decision: the prompt must not be sent.
 */
export async function submitPrompt(mediator: Mediator, prompt: string): Promise<PromptOutcome> {
  const decision = await mediator.decide("UserPromptSubmit", { prompt });
  const { verdict, changes, additions } = decision;
  if (verdict !== "continue") return refused("the prompt was not sent", decision);
  const changed = Object.hasOwn(changes, "prompt");
  const final = changed ? (changes.prompt as string) : prompt;
  await mediator.observe("UserPromptAccepted", { prompt: final });
  return { kind: "send", prompt: final, changed, added: addedMessages(additions) };
}

/** Reports a failed request to ModelRequestFailure, whose decision has no effect. */
export async function modelFailed(mediator: Mediator, model: string, thrown: unknown): Promise<void> {
  const error = thrown instanceof Error ? thrown.message : String(thrown);
  await mediator.observe("ModelRequestFailure", { error, model: model.slice(0, 256) }, model);
}

/** The refusal of a step after a hook halted the agent. */
export function haltedText(mediator: Mediator): string {
  const { hook = null, reason = null } = mediator.halted ?? {};
  return refusalText("the agent was stopped", { decided_by: hook, reason, feedback: null });
}

function refused(what: string, decision: Decision): StepRefused {
  const how = decision.verdict === "halt" ? "halt" : "block";
  return { kind: "refused", how, text: refusalText(what, decision), decision };
}
