import { AIMessage, type BaseMessage, HumanMessage, SystemMessage } from "@langchain/core/messages";
import {
  type AddedMessage,
  beforeModel,
  type Mediator,
  type PreparedRequest,
  shownParams,
  submitPrompt,
  withParams,
} from "@hookwarden/mediator";
import { fromViews, viewOf, withText } from "./messages.ts";
import { modelName } from "./model.ts";

/** Parameters of a request that hooks may read and set. */
const settableParams = [
  "temperature",
  "topP",
  "topK",
  "maxTokens",
  "maxOutputTokens",
  "stop",
  "seed",
] as const;

/** The changes of a graph's state that follow from new prompts. */
export interface SubmittedPrompts {
  readonly messages: BaseMessage[];
  readonly blocked: boolean;
}

/** Has UserPromptSubmit decide on the prompts at the end of a conversation; `undefined`: nothing changes. */
export async function submitPrompts(
  mediator: Mediator,
  messages: readonly BaseMessage[],
): Promise<SubmittedPrompts | undefined> {
  const lastOther = messages.findLastIndex(({ type }) => type !== "human");
  const rewritten: BaseMessage[] = [];
  const added: AddedMessage[] = [];
  for (const prompt of messages.slice(lastOther + 1)) {
    if (prompt.text === "") continue;
    const outcome = await submitPrompt(mediator, prompt.text);
    if (outcome.kind === "refused") {
      // Replaced in the graph's state, so that later turns do not send the prompt either.
      const removed = withText(prompt, "[hookwarden: this prompt was not sent]");
      return { messages: [removed, new AIMessage(outcome.text)], blocked: true };
    }
    if (outcome.changed) rewritten.push(withText(prompt, outcome.prompt));
    added.push(...outcome.added);
  }
  const update = [...rewritten, ...added.map(({ text }) => new HumanMessage(text))];
  return update.length === 0 ? undefined : { messages: update, blocked: false };
}

/** The part of a model request that hooks read and change. */
export interface ModelCall {
  readonly model: unknown;
  readonly messages: readonly BaseMessage[];
  readonly systemMessage?: SystemMessage | undefined;
  readonly modelSettings?: { readonly [name: string]: unknown } | undefined;
}

/** What hooks changed in a model request. */
export interface ModelCallChanges {
  readonly messages: BaseMessage[];
  readonly systemMessage?: SystemMessage;
  readonly modelSettings?: object;
}

/**
 * Has PreModelRequest decide on a request.
 *
 * @throws {HookwardenError} where there is no decision: the request must not be made.
 */
export async function prepareModelCall(
  mediator: Mediator,
  request: ModelCall,
): Promise<PreparedRequest<ModelCallChanges>> {
  const system = request.systemMessage?.text ?? "";
  const settings = request.modelSettings ?? {};
  const outcome = await beforeModel(
    mediator,
    {
      model: modelName(request.model),
      messages: request.messages.map(viewOf),
      ...(system === "" ? {} : { system }),
      params: shownParams(settings, settableParams),
    },
    (text) => ({ role: "user", content: text }),
  );
  if (outcome.kind === "refused") return { kind: "refused", text: outcome.text };
  const systemAdded = outcome.added.filter(({ role }) => role === "system").map(({ text }) => text);
  const systemText = [outcome.systemChanged ? String(outcome.system) : system, ...systemAdded].join("\n\n");
  const messages = [
    ...(outcome.messagesChanged ? fromViews(outcome.messages, request.messages) : request.messages),
    ...outcome.added.filter(({ role }) => role !== "system").map(({ text }) => new HumanMessage(text)),
  ];
  return {
    kind: "send",
    request: {
      messages,
      ...(systemText === system ? {} : { systemMessage: new SystemMessage(systemText) }),
      ...(outcome.params === null
        ? {}
        : { modelSettings: withParams(settings, outcome.params, settableParams) }),
    },
  };
}
