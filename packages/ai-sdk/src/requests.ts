import {
  BoundedMap,
  Carried,
  jsonView,
  beforeModel,
  haltedText,
  onlyParams,
  submitPrompt,
  afterTool,
  type AddedMessage,
} from "@hookwarden/mediator";
import { behind } from "./outputs.ts";
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
import type { GuardSession } from "./session.ts";
import type { CallOptions, Prompt, PromptMessage } from "./types.ts";

/** A request that may be made, or the text of a refusal. */
export type Prepared =
  | { readonly kind: "send"; readonly params: CallOptions }
  | { readonly kind: "refused"; readonly text: string };

interface SeenPrompt {
  readonly text: string;
  readonly blocked: boolean;
  readonly added: readonly AddedMessage[];
}

/**
 * Takes requests to the model through their hooks. The host keeps the conversation as it was written, so what hooks
 * rewrote in it is remembered and put in again with each request.
 */
export class Requests {
  private readonly session: GuardSession;
  private readonly prompts = new BoundedMap<SeenPrompt>(10_000);
  private readonly results = new BoundedMap<PromptMessage>(10_000);
  private readonly carried = new Carried<PromptMessage>((message) => JSON.stringify(jsonView(message).value));

  constructor(session: GuardSession) {
    this.session = session;
  }

  /** Keeps messages that hooks added behind a request. */
  carry(prompt: Prompt, messages: readonly PromptMessage[]): void {
    this.carried.add(prompt, messages);
  }

  /** @throws {HookwardenError} where there is no decision: the request must not be made. */
  async prepare(params: CallOptions, modelId: string): Promise<Prepared> {
    const { session } = this;
    const { mediator } = session;
    const last = params.prompt.at(-1);
    if (mediator.halted) {
      // Only a person begins anew; the loop goes on with results of tools.
      if (last?.role !== "user") return { kind: "refused", text: haltedText(mediator) };
      mediator.halted = null;
    }
    const judged = await this.judgedPrompt(params.prompt);
    if (typeof judged === "string") return { kind: "refused", text: judged };
    const { system, rest } = splitSystem(judged);
    const outcome = await beforeModel(
      mediator,
      { model: modelId, messages: rest, system: systemText(system), params: shownParams(params) },
      userMessage,
    );
    if (outcome.kind === "refused") return { kind: "refused", text: outcome.text };
    const added = toPrompt(outcome.added);
    this.carry(params.prompt, toPrompt(outcome.added.filter(({ durable }) => durable)));
    const prompt = [
      ...(outcome.systemChanged
        ? [{ role: "system", content: String(outcome.system) } as PromptMessage]
        : system),
      // Providers want system messages at the head.
      ...added.filter(({ role }) => role === "system"),
      ...(outcome.messagesChanged ? checkedMessages(outcome.messages) : rest),
      ...added.filter(({ role }) => role !== "system"),
    ];
    return { kind: "send", params: { ...withParams(params, outcome.params), prompt } };
  }

  /** The prompt as hooks let it pass; a text where they do not. */
  private async judgedPrompt(prompt: Prompt): Promise<Prompt | string> {
    const lastOther = prompt.findLastIndex(({ role }) => role !== "user");
    const rewritten: PromptMessage[] = [];
    /** Behind which message hooks added something. */
    const behindOf = new Map<PromptMessage, readonly PromptMessage[]>();
    let ordinal = 0;
    for (const [index, message] of prompt.entries()) {
      let next = message;
      const text = promptText(message);
      if (text !== null) {
        const seen = await this.seenPrompt(`${ordinal++} ${text}`, text);
        // A prompt of an earlier turn that was not sent is not sent later either.
        if (seen.blocked && index > lastOther) return seen.text;
        if (seen.text !== text) next = withText(message, seen.text);
        if (seen.added.length > 0) behindOf.set(next, toPrompt(seen.added));
      } else if (message.role === "tool") {
        next = await this.clientResults(message);
      }
      rewritten.push(next);
    }
    this.carry(prompt, toPrompt(this.session.pending.splice(0)));
    // Anchors are of the host's own messages, so that a place is known again whatever became of them here.
    const positions = new Map(prompt.map((message, index) => [message, rewritten[index] as PromptMessage]));
    return this.carried.apply(prompt).flatMap((message) => {
      const known = positions.get(message) ?? message;
      return [known, ...(behindOf.get(known) ?? [])];
    });
  }

  private async seenPrompt(key: string, text: string): Promise<SeenPrompt> {
    const known = this.prompts.get(key);
    if (known) return known;
    const outcome = await submitPrompt(this.session.mediator, text);
    const seen =
      outcome.kind === "refused"
        ? { text: outcome.text, blocked: true, added: [] }
        : { text: outcome.prompt, blocked: false, added: outcome.added };
    this.prompts.set(key, seen);
    return seen;
  }

  /** Results that a client made of tools without `execute`: the model has not seen them, and no hook either. */
  private async clientResults(message: PromptMessage): Promise<PromptMessage> {
    if (message.role !== "tool") return message;
    const isClients = (part: (typeof message.content)[number]): boolean =>
      part.type === "tool-result" &&
      this.session.clientTools.has(part.toolName) &&
      // A refusal is ours.
      part.output.type !== "execution-denied";
    if (!message.content.some(isClients)) return message;
    const key = JSON.stringify(jsonView(message).value);
    const known = this.results.get(key);
    if (known) return known;
    const content = await Promise.all(
      message.content.map((part) =>
        part.type === "tool-result" && isClients(part) ? this.clientResult(part) : part,
      ),
    );
    const judged = { ...message, content };
    this.results.set(key, judged);
    return judged;
  }

  private async clientResult<P extends ClientResult>(part: P): Promise<P> {
    const { toolName: name, toolCallId: id, output } = part;
    const value = "value" in output ? output.value : null;
    const isError = output.type.startsWith("error");
    const call = { name, input: {}, id };
    const outcome = await afterTool(this.session.mediator, call, value, { input: {}, isError });
    if (outcome.kind === "refused") return { ...part, output: { type: "error-text", value: outcome.text } };
    const { result, replaced, augment, messages } = outcome;
    this.session.pending.push(...messages);
    const shown: ClientResult["output"] = !replaced
      ? output
      : typeof result === "string"
        ? { type: outcome.isError ? "error-text" : "text", value: result }
        : { type: outcome.isError ? "error-json" : "json", value: result as null };
    return { ...part, output: augment === null ? shown : (behind(shown as never, augment) as typeof shown) };
  }
}

type ClientResult = Extract<
  Extract<PromptMessage, { role: "tool" }>["content"][number],
  { type: "tool-result" }
>;

function shownParams(params: CallOptions): { [name: string]: unknown } {
  return Object.fromEntries(
    settableParams.flatMap((name) => (params[name] === undefined ? [] : [[name, params[name]]])),
  );
}

function withParams(params: CallOptions, set: { readonly [name: string]: unknown } | null): CallOptions {
  if (set === null) return params;
  const next: Record<string, unknown> = { ...params };
  for (const name of settableParams) delete next[name];
  return { ...next, ...onlyParams(set, settableParams) } as unknown as CallOptions;
}
