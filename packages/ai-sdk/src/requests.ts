import {
  afterTool,
  beforeModel,
  BoundedMap,
  ConversationRequests,
  jsonView,
  type PreparedRequest,
  shownParams,
  withParams,
} from "@hookwarden/mediator";
import {
  checkedMessages,
  promptText,
  settableParams,
  splitSystem,
  systemText,
  toPrompt,
  userMessage,
  withText,
} from "./messages.ts";
import { withAppended } from "./outputs.ts";
import type { GuardState } from "./state.ts";
import type { CallOptions, Prompt, PromptMessage } from "./types.ts";

/** Applies hooks to the requests of one guard to its model. */
export class Requests {
  readonly #state: GuardState;
  readonly #conversation: ConversationRequests<PromptMessage>;
  readonly #results = new BoundedMap<PromptMessage>(10_000);

  constructor(state: GuardState) {
    this.#state = state;
    this.#conversation = new ConversationRequests(state.mediator, {
      isFromUser: ({ role }) => role === "user",
      promptText,
      withText,
      fromAdded: toPrompt,
    });
  }

  /** Adds messages to the end of a prompt, for this request and those after it. */
  inject(prompt: Prompt, messages: readonly PromptMessage[]): void {
    this.#conversation.inject(prompt, messages);
  }

  /** @throws {HookwardenError} where there is no decision: the request must not be made. */
  async prepare(params: CallOptions, modelId: string): Promise<PreparedRequest<CallOptions>> {
    const { mediator, pending } = this.#state;
    const submitted = await this.#conversation.submit(params.prompt, {
      pending,
      rewriteOther: (message) => this.#clientResults(message),
    });
    if (submitted.kind === "refused") return submitted;
    const { system, rest } = splitSystem(submitted.request);
    const outcome = await beforeModel(
      mediator,
      {
        model: modelId,
        messages: rest,
        system: systemText(system),
        params: shownParams(params as unknown as { [name: string]: unknown }, settableParams),
      },
      userMessage,
    );
    if (outcome.kind === "refused") return { kind: "refused", text: outcome.text };
    const added = toPrompt(outcome.added);
    this.inject(params.prompt, toPrompt(outcome.added.filter(({ durable }) => durable)));
    const prompt = [
      ...(outcome.systemChanged
        ? [{ role: "system", content: String(outcome.system) } as PromptMessage]
        : system),
      // Providers expect system messages at the start.
      ...added.filter(({ role }) => role === "system"),
      ...(outcome.messagesChanged ? checkedMessages(outcome.messages) : rest),
      ...added.filter(({ role }) => role !== "system"),
    ];
    return { kind: "send", request: { ...withParams(params, outcome.params, settableParams), prompt } };
  }

  /** Has PostToolUse decide on the results that a client provided for tools without `execute`. */
  async #clientResults(message: PromptMessage): Promise<PromptMessage> {
    if (message.role !== "tool") return message;
    const isClients = (part: (typeof message.content)[number]): boolean =>
      part.type === "tool-result" &&
      this.#state.clientTools.has(part.toolName) &&
      // The guard itself created a refusal.
      part.output.type !== "execution-denied";
    if (!message.content.some(isClients)) return message;
    const key = JSON.stringify(jsonView(message).value);
    const known = this.#results.get(key);
    if (known) return known;
    const content = await Promise.all(
      message.content.map((part) =>
        part.type === "tool-result" && isClients(part) ? this.#clientResult(part) : part,
      ),
    );
    const judged = { ...message, content };
    this.#results.set(key, judged);
    return judged;
  }

  async #clientResult<P extends ClientResult>(part: P): Promise<P> {
    const { toolName: name, toolCallId: id, output } = part;
    const value = "value" in output ? output.value : null;
    const isError = output.type.startsWith("error");
    const call = { name, input: {}, id };
    const outcome = await afterTool(this.#state.mediator, call, value, { input: {}, isError });
    if (outcome.kind === "refused") return { ...part, output: { type: "error-text", value: outcome.text } };
    const { result, replaced, augment, messages } = outcome;
    this.#state.pending.push(...messages);
    const shown: ClientResult["output"] = !replaced
      ? output
      : typeof result === "string"
        ? { type: outcome.isError ? "error-text" : "text", value: result }
        : { type: outcome.isError ? "error-json" : "json", value: result as null };
    return {
      ...part,
      output: augment === null ? shown : (withAppended(shown as never, augment) as typeof shown),
    };
  }
}

type ClientResult = Extract<
  Extract<PromptMessage, { role: "tool" }>["content"][number],
  { type: "tool-result" }
>;
