import type { AgentInputItem, ModelRequest } from "@openai/agents";
import {
  BoundedMap,
  Carried,
  jsonView,
  beforeModel,
  haltedText,
  onlyParams,
  submitPrompt,
  type AddedMessage,
} from "@hookwarden/mediator";
import { checkedInput, promptText, userItem, withText } from "./messages.ts";
import type { GuardSession } from "./session.ts";

/** Parameters of a request that hooks may read and set. */
export const settableParams = [
  "temperature",
  "topP",
  "frequencyPenalty",
  "presencePenalty",
  "maxTokens",
  "truncation",
  "parallelToolCalls",
] as const;

export type Prepared =
  | { readonly kind: "send"; readonly request: ModelRequest }
  | { readonly kind: "refused"; readonly text: string };

interface SeenPrompt {
  readonly text: string;
  readonly blocked: boolean;
  readonly added: readonly AddedMessage[];
}

/** Takes requests to the model through their hooks; what hooks rewrote is remembered, for the run keeps its own items. */
export class Requests {
  private readonly session: GuardSession;
  private readonly prompts = new BoundedMap<SeenPrompt>(10_000);
  private readonly carried = new Carried<AgentInputItem>((item) => JSON.stringify(jsonView(item).value));
  private count = 0;

  constructor(session: GuardSession) {
    this.session = session;
  }

  /** Keeps items that hooks added behind a request. */
  carry(request: ModelRequest, items: readonly AgentInputItem[]): void {
    this.carried.add(itemsOf(request), items);
  }

  /** @throws {HookwardenError} where there is no decision: the request must not be made. */
  async prepare(request: ModelRequest, model: string): Promise<Prepared> {
    const { session } = this;
    const { mediator } = session;
    const items = itemsOf(request);
    const last = items.at(-1);
    if (mediator.halted) {
      // Only a person begins anew; the loop goes on with results of tools.
      if (!last || promptText(last) === null) return { kind: "refused", text: haltedText(mediator) };
      mediator.halted = null;
    }
    // Where the provider keeps the conversation, each request holds only what is new.
    const scope = request.conversationId || request.previousResponseId ? `${this.count++}` : "";
    const lastOther = items.findLastIndex((item) => promptText(item) === null);
    const judged = new Map<AgentInputItem, readonly AgentInputItem[]>();
    let ordinal = 0;
    for (const [index, item] of items.entries()) {
      const text = promptText(item);
      if (text === null) continue;
      const seen = await this.seenPrompt(`${scope} ${ordinal++} ${text}`, text);
      if (seen.blocked && index > lastOther) return { kind: "refused", text: seen.text };
      const next = seen.text === text ? item : withText(item, seen.text);
      judged.set(item, [next, ...seen.added.map((added) => userItem(added.text))]);
    }
    this.carried.add(
      items,
      session.pending.splice(0).map(({ text }) => userItem(text)),
    );
    const messages = this.carried.apply(items).flatMap((item) => judged.get(item) ?? [item]);
    const outcome = await beforeModel(
      mediator,
      {
        model,
        messages,
        ...(request.systemInstructions === undefined ? {} : { system: request.systemInstructions }),
        params: shownParams(request.modelSettings as { readonly [name: string]: unknown }),
      },
      userItem,
    );
    if (outcome.kind === "refused") return { kind: "refused", text: outcome.text };
    const added = outcome.added.filter(({ role }) => role !== "system").map(({ text }) => userItem(text));
    const durable = outcome.added.filter((one) => one.durable).map(({ text }) => userItem(text));
    this.carry(request, durable);
    const systemAdded = outcome.added.filter(({ role }) => role === "system").map(({ text }) => text);
    const system = [...(outcome.system === undefined ? [] : [String(outcome.system)]), ...systemAdded];
    const input = [...(outcome.messagesChanged ? checkedInput(outcome.messages) : messages), ...added];
    return {
      kind: "send",
      request: {
        ...request,
        input,
        ...(system.length === 0 ? {} : { systemInstructions: system.join("\n\n") }),
        ...(outcome.params === null
          ? {}
          : { modelSettings: withParams(request.modelSettings, outcome.params) }),
      },
    };
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
}

export function itemsOf({ input }: ModelRequest): readonly AgentInputItem[] {
  return typeof input === "string" ? [userItem(input)] : input;
}

function shownParams(settings: { readonly [name: string]: unknown }): { [name: string]: unknown } {
  return Object.fromEntries(
    settableParams.flatMap((name) => (settings[name] === undefined ? [] : [[name, settings[name]]])),
  );
}

function withParams(
  settings: object,
  set: { readonly [name: string]: unknown },
): ModelRequest["modelSettings"] {
  const next: Record<string, unknown> = { ...settings };
  for (const name of settableParams) delete next[name];
  return { ...next, ...onlyParams(set, settableParams) };
}
