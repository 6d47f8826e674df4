import { randomUUID } from "node:crypto";
import { type LanguageModelMiddleware, wrapLanguageModel } from "ai";
import {
  chunkJudge,
  afterModel,
  beforeStop,
  maxRepeats,
  modelFailed,
  HookRefusedError,
  unmediatedCallText,
} from "@hookwarden/mediator";
import { addUsage, contentOf, partsOf, refusedParts, refusedResult, withContent } from "./answers.ts";
import { judgedParts } from "./chunks.ts";
import { answerMessage, checkedContent, contentText, toPrompt, userMessage } from "./messages.ts";
import { Requests } from "./requests.ts";
import type { GuardState } from "./state.ts";
import type {
  CallOptions,
  Content,
  GenerateResult,
  ModelObject,
  PromptMessage,
  ProviderModel,
  StreamPart,
  StreamResult,
  Usage,
} from "./types.ts";

/** A model with hooks on its requests and answers. */
export function guardModel(model: ModelObject, state: GuardState): ProviderModel {
  return wrapLanguageModel({ model, middleware: guardMiddleware(state) });
}

/** The middleware of `guardModel`. It must be the outermost one. */
function guardMiddleware(state: GuardState): LanguageModelMiddleware {
  const steps = new Steps(state);
  return {
    specificationVersion: "v4",
    wrapGenerate: ({ params, model }) => steps.generate(model, params),
    wrapStream: ({ params, model }) => steps.stream(model, params),
  };
}

/** The outcome of one answer. */
type Next =
  | { readonly kind: "answer"; readonly content: Content[]; readonly changed: boolean }
  | { readonly kind: "again"; readonly messages: readonly PromptMessage[] }
  | { readonly kind: "refused"; readonly text: string };

type Finish = Extract<StreamPart, { type: "finish" }>;

/** Parts of a stream that reveal nothing of the answer. */
const contentFree: ReadonlySet<StreamPart["type"]> = new Set<StreamPart["type"]>([
  "stream-start",
  "response-metadata",
  "error",
]);

class Steps {
  readonly #state: GuardState;
  readonly #requests: Requests;
  #stopActive = false;

  constructor(state: GuardState) {
    this.#state = state;
    this.#requests = new Requests(state);
  }

  async generate(model: ProviderModel, host: CallOptions): Promise<GenerateResult> {
    const prepared = await this.#requests.prepare(host, model.modelId);
    if (prepared.kind === "refused") return refusedResult(prepared.text);
    let params = prepared.request;
    let usage: Usage | null = null;
    for (let round = 0; ; round++) {
      const startedAt = performance.now();
      const result = await this.#asked(model, () => model.doGenerate(params));
      usage = addUsage(usage, result.usage);
      const judged = await this.#judgeAnswer(model, { content: result.content, usage, startedAt, round });
      const next = judged.kind === "answer" ? await this.#judgeStop(model, host, judged, round) : judged;
      if (next.kind === "refused") return refusedResult(next.text, usage);
      if (next.kind === "answer") {
        const final = next.changed ? withContent(result, next.content) : result;
        return { ...final, usage };
      }
      params = { ...params, prompt: [...params.prompt, ...next.messages] };
    }
  }

  async stream(model: ProviderModel, host: CallOptions): Promise<StreamResult> {
    const prepared = await this.#requests.prepare(host, model.modelId);
    if (prepared.kind === "refused") {
      return {
        stream: ReadableStream.from([{ type: "stream-start", warnings: [] }, ...refusedParts(prepared.text)]),
      };
    }
    // The first request is made here, so that the AI SDK can retry it as it does without a guard.
    const first = await this.#asked(model, () => model.doStream(prepared.request));
    const stream = ReadableStream.from(this.#safeParts(model, host, prepared.request, first));
    const { request } = first;
    return { stream, ...(request ? { request } : {}) };
  }

  /** Ends the stream with an error part after a failure, as the AI SDK's models do; held-back text is not emitted. */
  async *#safeParts(
    ...args: [ProviderModel, CallOptions, CallOptions, StreamResult]
  ): AsyncGenerator<StreamPart> {
    try {
      yield* this.#parts(...args);
    } catch (error) {
      yield { type: "error", error };
    }
  }

  async *#parts(
    model: ProviderModel,
    host: CallOptions,
    sent: CallOptions,
    first: StreamResult,
  ): AsyncGenerator<StreamPart> {
    let params = sent;
    let { stream } = first;
    let usage: Usage | null = null;
    for (let round = 0; ; round++) {
      const startedAt = performance.now();
      // An answer that a hook may still rewrite or withhold as a whole is not shown in parts.
      const whole = this.#state.mediator.listens("PostModelResponse");
      const { seen, finish } = yield* this.#read(model, stream, { round, whole });
      // A stream without an end has failed; the text held back is not an answer.
      if (!finish) return;
      usage = addUsage(usage, finish.usage);
      const content = contentOf(seen);
      const judged: Next = whole
        ? await this.#judgeAnswer(model, { content, usage, startedAt, round })
        : { kind: "answer", content, changed: false };
      if (whole && judged.kind === "answer") {
        yield* judged.changed
          ? partsOf(judged.content, `hookwarden-${round}`)
          : seen.filter(({ type }) => !contentFree.has(type));
      }
      const next = judged.kind === "answer" ? await this.#judgeStop(model, host, judged, round) : judged;
      if (next.kind === "refused") {
        yield* refusedParts(next.text, usage);
        return;
      }
      if (next.kind === "answer") {
        const { providerMetadata: _metadata, ...bare } = finish;
        yield { ...(next.changed ? bare : finish), usage };
        return;
      }
      params = { ...params, prompt: [...params.prompt, ...next.messages] };
      ({ stream } = await this.#asked(model, () => model.doStream(params)));
    }
  }

  /** Emits the parts of one answer that may be shown already; returns all parts but the end, and the end. */
  async *#read(
    model: ProviderModel,
    stream: StreamResult["stream"],
    { round, whole }: { readonly round: number; readonly whole: boolean },
  ): AsyncGenerator<StreamPart, { readonly seen: StreamPart[]; readonly finish: Finish | null }> {
    const { mediator, hold } = this.#state;
    const judge = chunkJudge(mediator, { id: randomUUID(), model: model.modelId });
    const source = mediator.listens("ModelResponseChunk") ? judgedParts(stream, judge, hold) : stream;
    const seen: StreamPart[] = [];
    let finish: Finish | null = null;
    for await (const part of renamed(this.#checkedProvider(source), round)) {
      if (part.type === "finish") {
        finish = part;
        continue;
      }
      if (part.type === "raw" && whole) continue;
      seen.push(part);
      if (!whole || contentFree.has(part.type)) yield part;
    }
    return { seen, finish };
  }

  async #asked<T>(model: ProviderModel, ask: () => PromiseLike<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      await modelFailed(this.#state.mediator, model.modelId, error);
      throw error;
    }
  }

  async #judgeAnswer(
    model: ProviderModel,
    answer: {
      readonly content: Content[];
      readonly usage: Usage;
      readonly startedAt: number;
      readonly round: number;
    },
  ): Promise<Next> {
    const { content, usage, startedAt, round } = answer;
    for (const part of content) this.#checkProvider(part);
    const outcome = await afterModel(this.#state.mediator, {
      model: model.modelId,
      message: { role: "assistant", content },
      usage,
      startedAt,
    });
    if (outcome.kind === "refused") return outcome;
    if (outcome.kind === "keep") return { kind: "answer", content, changed: false };
    if (outcome.kind === "replace") {
      return { kind: "answer", content: checkedContent(outcome.message, content), changed: true };
    }
    if (round >= maxRepeats) return { kind: "refused", text: outcome.text };
    // The feedback is for this step only: the answer it refers to never becomes part of the conversation.
    return { kind: "again", messages: [...answerMessage(content), userMessage(outcome.text)] };
  }

  /** Has Stop decide whether the agent may end, if its answer calls no tool. */
  async #judgeStop(
    model: ProviderModel,
    host: CallOptions,
    answer: Extract<Next, { kind: "answer" }>,
    round: number,
  ): Promise<Next> {
    const { mediator } = this.#state;
    if (answer.content.some((part) => part.type === "tool-call" && !part.providerExecuted)) return answer;
    const last = contentText(answer.content);
    const active = this.#stopActive;
    const outcome = await beforeStop(mediator, { last, active, model: model.modelId });
    if (outcome.kind === "refused") return outcome;
    if (outcome.kind === "again" && round < maxRepeats) {
      this.#stopActive = true;
      const messages = [
        ...answerMessage(answer.content),
        ...toPrompt(outcome.added),
        userMessage(outcome.text),
      ];
      this.#requests.inject(host.prompt, messages);
      return { kind: "again", messages };
    }
    this.#stopActive = false;
    this.#state.pending.push(...outcome.added);
    await mediator.observe(
      "TurnComplete",
      { message: last, model: model.modelId.slice(0, 256) },
      model.modelId,
    );
    return answer;
  }

  async *#checkedProvider(parts: AsyncIterable<StreamPart>): AsyncGenerator<StreamPart> {
    for await (const part of parts) {
      this.#checkProvider(part as Content);
      yield part;
    }
  }

  /** Records a call. A call that the provider executed is reported and, with `strict`, rejected with its answer. */
  #checkProvider(part: Content): void {
    if (part.type !== "tool-call") return;
    if (!part.providerExecuted) {
      this.#state.calls.record(part.toolName, part.input, part.toolCallId);
      return;
    }
    const { toolName, toolCallId } = part;
    this.#state.onUnmediated({ toolName, toolCallId });
    if (!this.#state.strict) return;
    throw new HookRefusedError("deny", unmediatedCallText(toolName), null);
  }
}

/** Makes the block ids of repeated answers unique, since all answers share one stream. */
async function* renamed(parts: AsyncIterable<StreamPart>, round: number): AsyncGenerator<StreamPart> {
  for await (const part of parts) {
    if (round === 0) yield part;
    else if (part.type === "stream-start") continue;
    else if (/^(text|reasoning)-(start|delta|end)$/.test(part.type)) {
      yield { ...part, id: `${(part as { id: string }).id}-${round}` } as StreamPart;
    } else yield part;
  }
}
