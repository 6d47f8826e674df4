import { randomUUID } from "node:crypto";
import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BindToolsInput,
} from "@langchain/core/language_models/chat_models";
import { AIMessage, AIMessageChunk, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";
import { type Runnable, RunnableBinding } from "@langchain/core/runnables";
import { HookwardenError } from "hookwarden/errors";
import {
  chunkJudge,
  type Mediator,
  afterModel,
  maxRepeats,
  modelFailed,
  HookRefusedError,
  unmediatedCallText,
} from "@hookwarden/mediator";
import { answerTurn, asChunk, asChunks, providerCalls, rewrittenAnswer } from "./answers.ts";
import { judgedChunks } from "./chunks.ts";
import { viewOf } from "./messages.ts";

/** The name by which hooks know a model. */
export function modelName(model: unknown): string {
  const {
    model: name,
    modelName: other,
    getName,
  } = model as { model?: unknown; modelName?: unknown; getName?: () => string };
  for (const one of [name, other]) if (typeof one === "string" && one !== "") return one;
  return getName?.call(model) ?? "unknown";
}

/** What a guarded model needs from its middleware. */
export interface ModelGuard {
  readonly mediator: Mediator;
  readonly modelName: string;
  readonly strict: boolean;
  readonly hold: number;
  readonly onProviderCall: (toolName: string) => void;
}

type Inner = Runnable<BaseMessage[], AIMessage>;
type Options = BaseChatModelCallOptions;

/**
 * A chat model that returns another model's answers after hooks have decided on them. Its callbacks, and with them every
 * way to stream an agent, carry the decided answers: the inner model runs without callbacks.
 */
export class GuardedChatModel extends BaseChatModel {
  readonly #inner: Inner;
  readonly #guard: ModelGuard;

  constructor(inner: Inner, guard: ModelGuard) {
    super({});
    this.#inner = inner;
    this.#guard = guard;
  }

  override _llmType(): string {
    return "hookwarden";
  }

  override getName(): string {
    return this.#inner.getName();
  }

  // LangChain reads here whether the provider supports structured output.
  override get profile(): BaseChatModel["profile"] {
    return (this.#inner as unknown as Partial<BaseChatModel>).profile ?? {};
  }

  override bindTools(tools: BindToolsInput[], kwargs?: Partial<Options>): GuardedChatModel {
    const inner = this.#inner as unknown as Partial<BaseChatModel>;
    if (typeof inner.bindTools === "function") {
      return new GuardedChatModel(inner.bindTools(tools, kwargs) as unknown as Inner, this.#guard);
    }
    if (RunnableBinding.isRunnableBinding(this.#inner)) {
      const { bound, config, kwargs: own } = this.#inner as RunnableBinding<BaseMessage[], AIMessage>;
      const withTools = (bound as unknown as BaseChatModel).bindTools?.(tools, kwargs);
      if (withTools) {
        const binding = new RunnableBinding({ bound: withTools, config, kwargs: own ?? {} } as never);
        return new GuardedChatModel(binding as unknown as Inner, this.#guard);
      }
    }
    throw new HookwardenError(
      "option-invalid",
      "the agent's model does not support tools: it has no `bindTools`",
    );
  }

  override async _generate(messages: BaseMessage[], options: this["ParsedCallOptions"]): Promise<ChatResult> {
    let sent = messages;
    for (let round = 0; ; round++) {
      const startedAt = performance.now();
      const answer = await this.#asked(() => this.#inner.invoke(sent, detached(options)));
      const next = await this.#judge(answer, { sent, startedAt, round });
      if (next.kind === "answer") return { generations: [{ text: next.answer.text, message: next.answer }] };
      sent = [...sent, ...next.messages];
    }
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this["ParsedCallOptions"],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const { mediator, modelName, hold } = this.#guard;
    const emit = async (message: AIMessageChunk): Promise<ChatGenerationChunk> => {
      const chunk = new ChatGenerationChunk({ text: message.text, message });
      await runManager?.handleLLMNewToken(message.text, undefined, undefined, undefined, undefined, {
        chunk,
      });
      return chunk;
    };
    let sent = messages;
    for (let round = 0; ; round++) {
      const startedAt = performance.now();
      // An answer that a hook may still rewrite or withhold as a whole is not shown in parts.
      const whole = mediator.listens("PostModelResponse");
      const stream = await this.#asked(() => this.#inner.stream(sent, detached(options)));
      const judge = chunkJudge(mediator, { id: randomUUID(), model: modelName });
      const pieces = mediator.listens("ModelResponseChunk")
        ? judgedChunks(asChunks(stream), judge, hold)
        : asChunks(stream);
      let all: AIMessageChunk | null = null;
      for await (const piece of pieces) {
        this.#checkProvider(piece);
        all = all ? all.concat(piece) : piece;
        if (!whole) yield await emit(piece);
      }
      if (!whole) return;
      const next = await this.#judge(all ?? new AIMessageChunk(""), { sent, startedAt, round });
      if (next.kind === "answer") {
        yield await emit(asChunk(next.answer));
        return;
      }
      sent = [...sent, ...next.messages];
    }
  }

  async #judge(
    answer: AIMessage,
    request: { readonly sent: readonly BaseMessage[]; readonly startedAt: number; readonly round: number },
  ): Promise<
    | { readonly kind: "answer"; readonly answer: AIMessage }
    | { readonly kind: "again"; readonly messages: BaseMessage[] }
  > {
    this.#checkProvider(answer);
    const { sent, startedAt, round } = request;
    const { mediator, modelName } = this.#guard;
    const outcome = await afterModel(mediator, {
      model: modelName,
      message: viewOf(answer),
      messages: sent.map(viewOf),
      usage: answer.usage_metadata,
      startedAt,
    });
    switch (outcome.kind) {
      case "keep":
        return { kind: "answer", answer };
      case "replace":
        return { kind: "answer", answer: rewrittenAnswer(outcome.message, answer) };
      case "retry":
        return round < maxRepeats
          ? { kind: "again", messages: [...answerTurn(answer), new HumanMessage(outcome.text)] }
          : { kind: "answer", answer: rewrittenAnswer(outcome.text, answer) };
      default:
        return { kind: "answer", answer: rewrittenAnswer(outcome.text, answer) };
    }
  }

  async #asked<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      await modelFailed(this.#guard.mediator, this.#guard.modelName, error);
      throw error;
    }
  }

  #checkProvider(answer: AIMessage): void {
    for (const name of providerCalls(answer)) {
      this.#guard.onProviderCall(name);
      if (!this.#guard.strict) continue;
      throw new HookRefusedError("deny", unmediatedCallText(name), null);
    }
  }
}

/** Options for the inner model, without the agent's callbacks: their streams would show what hooks have not seen. */
function detached(options: object): object {
  const {
    runId: _runId,
    runName: _runName,
    promptIndex: _promptIndex,
    ...rest
  } = options as { [name: string]: unknown };
  return { ...rest, callbacks: [], tags: ["nostream", "langsmith:nostream"] };
}
