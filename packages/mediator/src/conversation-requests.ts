import { BoundedMap } from "./bounded-map.ts";
import { jsonView } from "./json-view.ts";
import type { Mediator } from "./mediator.ts";
import { haltedText, submitPrompt } from "./model-call.ts";
import { PersistentInjections } from "./persistent-injections.ts";
import type { AddedMessage } from "./refusal-messages.ts";

/** A request that may be made, or the text of a refusal. */
export type PreparedRequest<R> =
  { readonly kind: "send"; readonly request: R } | { readonly kind: "refused"; readonly text: string };

/** What an adapter knows of its framework's messages. */
export interface MessageFormat<M> {
  /** Whether a message was written by a person. */
  isFromUser(message: M): boolean;
  /** The text that a person wrote; `null` for a message without one. */
  promptText(message: M): string | null;
  /** The same message with another text. */
  withText(message: M, text: string): M;
  /** Added messages in the framework's form. */
  fromAdded(added: readonly AddedMessage[]): M[];
}

/** A prompt of a person after UserPromptSubmit. */
interface SubmittedPrompt {
  /** The prompt, or the text of the refusal. */
  readonly text: string;
  readonly blocked: boolean;
  readonly added: readonly AddedMessage[];
}

/**
 * Applies hooks to the conversations that an agent sends to its model. The host stores the conversation as it was
 * written, so what hooks changed is remembered here and applied to each request again.
 */
export class ConversationRequests<M extends object> {
  readonly #mediator: Mediator;
  readonly #format: MessageFormat<M>;
  readonly #prompts = new BoundedMap<SubmittedPrompt>(10_000);
  readonly #injections = new PersistentInjections<M>((message) => JSON.stringify(jsonView(message).value));

  constructor(mediator: Mediator, format: MessageFormat<M>) {
    this.#mediator = mediator;
    this.#format = format;
  }

  /** Adds messages to the end of a conversation, for this request and those after it. */
  inject(conversation: readonly M[], messages: readonly M[]): void {
    this.#injections.add(conversation, messages);
  }

  /**
   * Has UserPromptSubmit decide on the prompts that it has not seen yet, and inserts what hooks added.
   *
   * @param options.pending messages that hooks added since the last request; the list is emptied.
   * @param options.scope distinguishes requests that hold only a part of the conversation. Default: all of it.
   * @param options.rewriteOther replaces messages that no person wrote. Default: they stay as they are.
   * @throws {HookwardenError} where there is no decision: the request must not be made.
   */
  async submit(
    conversation: readonly M[],
    options: {
      readonly pending: AddedMessage[];
      readonly scope?: string;
      readonly rewriteOther?: (message: M) => Promise<M>;
    },
  ): Promise<PreparedRequest<readonly M[]>> {
    const { pending, scope = "", rewriteOther } = options;
    const format = this.#format;
    const last = conversation.at(-1);
    if (this.#mediator.halted) {
      // Only a new prompt restarts a halted agent; the agent loop itself continues with tool results.
      if (!last || !format.isFromUser(last)) return { kind: "refused", text: haltedText(this.#mediator) };
      this.#mediator.halted = null;
    }
    const lastOther = conversation.findLastIndex((message) => !format.isFromUser(message));
    const replacements = new Map<M, readonly M[]>();
    let ordinal = 0;
    for (const [index, message] of conversation.entries()) {
      const text = format.promptText(message);
      if (text === null) {
        if (rewriteOther) replacements.set(message, [await rewriteOther(message)]);
        continue;
      }
      const prompt = await this.#submitted(`${scope} ${ordinal++} ${text}`, text);
      // A blocked prompt of an earlier turn does not block this one, but its text stays withheld.
      if (prompt.blocked && index > lastOther) return { kind: "refused", text: prompt.text };
      const next = prompt.text === text ? message : format.withText(message, prompt.text);
      replacements.set(message, [next, ...format.fromAdded(prompt.added)]);
    }
    this.inject(conversation, format.fromAdded(pending.splice(0)));
    // Anchors are the host's own messages, so a position is found again whatever hooks made of its message.
    const request = this.#injections
      .apply(conversation)
      .flatMap((message) => replacements.get(message) ?? [message]);
    return { kind: "send", request };
  }

  async #submitted(key: string, text: string): Promise<SubmittedPrompt> {
    const known = this.#prompts.get(key);
    if (known) return known;
    const outcome = await submitPrompt(this.#mediator, text);
    const prompt =
      outcome.kind === "refused"
        ? { text: outcome.text, blocked: true, added: [] }
        : { text: outcome.prompt, blocked: false, added: outcome.added };
    this.#prompts.set(key, prompt);
    return prompt;
  }
}
