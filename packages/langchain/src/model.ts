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
  quoted,
} from "@hookwarden/mediator";
import { judgedChunks } from "./chunks.ts";
import { answerTurn, providerCalls, rewrittenAnswer, viewOf } from "./messages.ts";

/** What a guarded model needs of its middleware. */
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
 * A chat model that answers what another one answers, after its hooks. Its callbacks, and with them every way to
 * stream an agent, carry what hooks left: the model inside runs without any.
 */
export class GuardedChatModel extends BaseChatModel {
  private readonly inner: Inner;
  private readonly guard: ModelGuard;

  constructor(inner: Inner, guard: ModelGuard) {
    super({});
    this.inner = inner;
    this.guard = guard;
  }

  override _llmType(): string {
    return "hookwarden";
  }

  override getName(): string {
    return this.inner.getName();
  }

  // The package asks it whether the provider knows schemas for answers.
  override get profile(): BaseChatModel["profile"] {
    return (this.inner as unknown as Partial<BaseChatModel>).profile ?? {};
  }

  override bindTools(tools: BindToolsInput[], kwargs?: Partial<Options>): GuardedChatModel {
    const inner = this.inner as unknown as Partial<BaseChatModel>;
    if (typeof inner.bindTools === "function") {
      return new GuardedChatModel(inner.bindTools(tools, kwargs) as unknown as Inner, this.guard);
    }
    if (RunnableBinding.isRunnableBinding(this.inner)) {
      const { bound, config, kwargs: own } = this.inner as RunnableBinding<BaseMessage[], AIMessage>;
      const withTools = (bound as unknown as BaseChatModel).bindTools?.(tools, kwargs);
      if (withTools) {
        const binding = new RunnableBinding({ bound: withTools, config, kwargs: own ?? {} } as never);
        return new GuardedChatModel(binding as unknown as Inner, this.guard);
      }
    }
    throw new HookwardenError(
      "option-invalid",
      "the model of the agent cannot be given tools: it has no `bindTools`",
    );
  }

  override async _generate(messages: BaseMessage[], options: this["ParsedCallOptions"]): Promise<ChatResult> {
    let sent = messages;
    for (let round = 0; ; round++) {
      const startedAt = performance.now();
      const answer = await this.asked(() => this.inner.invoke(sent, detached(options)));
      const next = await this.judge(answer, sent, startedAt, round);
      if (next.kind === "answer") return { generations: [{ text: next.answer.text, message: next.answer }] };
      sent = [...sent, ...next.messages];
    }
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this["ParsedCallOptions"],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const { mediator, modelName, hold } = this.guard;
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
      // What a hook may yet rewrite or withhold as a whole is not shown in pieces.
      const whole = mediator.listens("PostModelResponse");
      const stream = await this.asked(() => this.inner.stream(sent, detached(options)));
      const judge = chunkJudge(mediator, { id: randomUUID(), model: modelName });
      const pieces = mediator.listens("ModelResponseChunk")
        ? judgedChunks(asChunks(stream), judge, hold)
        : asChunks(stream);
      let all: AIMessageChunk | null = null;
      for await (const piece of pieces) {
        this.checkProvider(piece);
        all = all ? all.concat(piece) : piece;
        if (!whole) yield await emit(piece);
      }
      if (!whole) return;
      const next = await this.judge(all ?? new AIMessageChunk(""), sent, startedAt, round);
      if (next.kind === "answer") {
        yield await emit(asChunk(next.answer));
        return;
      }
      sent = [...sent, ...next.messages];
    }
  }

  private async judge(
    answer: AIMessage,
    sent: readonly BaseMessage[],
    startedAt: number,
    round: number,
  ): Promise<
    | { readonly kind: "answer"; readonly answer: AIMessage }
    | { readonly kind: "again"; readonly messages: BaseMessage[] }
  > {
    this.checkProvider(answer);
    const { mediator, modelName } = this.guard;
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

  private async asked<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      await modelFailed(this.guard.mediator, this.guard.modelName, error);
      throw error;
    }
  }

  private checkProvider(answer: AIMessage): void {
    for (const name of providerCalls(answer)) {
      this.guard.onProviderCall(name);
      if (!this.guard.strict) continue;
      const text = `hookwarden: the answer is withheld, because the provider ran tool ${quoted(name)} by itself, where no hook can stand before it.`;
      throw new HookRefusedError("deny", text, null);
    }
  }
}

/** Options for the model inside: no callback of the agent, whose streams would show what hooks have not seen. */
function detached(options: object): object {
  const {
    runId: _runId,
    runName: _runName,
    promptIndex: _promptIndex,
    ...rest
  } = options as { [name: string]: unknown };
  return { ...rest, callbacks: [], tags: ["nostream", "langsmith:nostream"] };
}

async function* asChunks(stream: AsyncIterable<AIMessage>): AsyncGenerator<AIMessageChunk> {
  for await (const message of stream) yield asChunk(message);
}

/** A whole message as the one chunk of a stream. */
function asChunk(message: AIMessage): AIMessageChunk {
  if (message instanceof AIMessageChunk) return message;
  const { content, id, tool_calls = [], usage_metadata, response_metadata, additional_kwargs } = message;
  return new AIMessageChunk({
    content,
    ...(id === undefined ? {} : { id }),
    ...(usage_metadata ? { usage_metadata } : {}),
    response_metadata,
    additional_kwargs,
    tool_call_chunks: tool_calls.map(({ id: callId, name, args }, index) => ({
      type: "tool_call_chunk",
      index,
      name,
      args: JSON.stringify(args),
      ...(callId === undefined ? {} : { id: callId }),
    })),
  } as ConstructorParameters<typeof AIMessageChunk>[0]);
}
