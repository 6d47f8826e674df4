import type { AgentInputItem, ModelRequest } from "@openai/agents";
import {
  beforeModel,
  ConversationRequests,
  type PreparedRequest,
  shownParams,
  withParams,
} from "@hookwarden/mediator";
import { checkedInput, promptText, userItem, withText } from "./messages.ts";
import type { GuardState } from "./state.ts";

/** Parameters of a request that hooks may read and set. */
const settableParams = [
  "temperature",
  "topP",
  "frequencyPenalty",
  "presencePenalty",
  "maxTokens",
  "truncation",
  "parallelToolCalls",
] as const;

/** Applies hooks to the requests of one guard to its models. */
export class Requests {
  readonly #state: GuardState;
  readonly #conversation: ConversationRequests<AgentInputItem>;
  #partialRequests = 0;

  constructor(state: GuardState) {
    this.#state = state;
    this.#conversation = new ConversationRequests(state.mediator, {
      isFromUser: (item) => (item as { role?: unknown }).role === "user",
      promptText,
      withText,
      fromAdded: (added) => added.map(({ text }) => userItem(text)),
    });
  }

  /** Adds items to the end of a request, for this request and those after it. */
  inject(request: ModelRequest, items: readonly AgentInputItem[]): void {
    this.#conversation.inject(itemsOf(request), items);
  }

  /** @throws {HookwardenError} where there is no decision: the request must not be made. */
  async prepare(request: ModelRequest, model: string): Promise<PreparedRequest<ModelRequest>> {
    const { mediator, pending } = this.#state;
    // If the provider stores the conversation, each request contains only what is new.
    const partial = request.conversationId || request.previousResponseId;
    const scope = partial ? `${this.#partialRequests++}` : "";
    const submitted = await this.#conversation.submit(itemsOf(request), { pending, scope });
    if (submitted.kind === "refused") return submitted;
    const messages = submitted.request;
    const settings = request.modelSettings as { readonly [name: string]: unknown };
    const outcome = await beforeModel(
      mediator,
      {
        model,
        messages,
        ...(request.systemInstructions === undefined ? {} : { system: request.systemInstructions }),
        params: shownParams(settings, settableParams),
      },
      userItem,
    );
    if (outcome.kind === "refused") return { kind: "refused", text: outcome.text };
    const added = outcome.added.filter(({ role }) => role !== "system").map(({ text }) => userItem(text));
    const durable = outcome.added.filter((one) => one.durable).map(({ text }) => userItem(text));
    this.inject(request, durable);
    const systemAdded = outcome.added.filter(({ role }) => role === "system").map(({ text }) => text);
    const system = [...(outcome.system === undefined ? [] : [String(outcome.system)]), ...systemAdded];
    return {
      kind: "send",
      request: {
        ...request,
        input: [...(outcome.messagesChanged ? checkedInput(outcome.messages) : messages), ...added],
        ...(system.length === 0 ? {} : { systemInstructions: system.join("\n\n") }),
        modelSettings: withParams(request.modelSettings, outcome.params, settableParams),
      },
    };
  }
}

/** The items of a request. */
export function itemsOf({ input }: ModelRequest): readonly AgentInputItem[] {
  return typeof input === "string" ? [userItem(input)] : input;
}
