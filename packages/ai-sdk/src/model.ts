import { randomUUID } from "node:crypto";
import { type LanguageModelMiddleware, wrapLanguageModel } from "ai";
import {
  chunkJudge,
  afterModel,
  beforeStop,
  maxRepeats,
  modelFailed,
  HookRefusedError,
  quoted,
} from "@hookwarden/mediator";
import { addUsage, contentOf, partsOf, refusedParts, refusedResult, withContent } from "./answers.ts";
import { judgedParts } from "./chunks.ts";
import { answerMessage, checkedContent, contentText, toPrompt, userMessage } from "./messages.ts";
import { Requests } from "./requests.ts";
import type { GuardSession } from "./session.ts";
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

/** A model whose requests and answers go through hooks. */
export function guardModel(model: ModelObject, session: GuardSession): ProviderModel {
  return wrapLanguageModel({ model, middleware: guardMiddleware(session) });
}

/** The middleware of `guardModel`, for hosts that wrap their models themselves. It must be the outermost one. */
export function guardMiddleware(session: GuardSession): LanguageModelMiddleware {
  const steps = new Steps(session);
  return {
    specificationVersion: "v4",
    wrapGenerate: ({ params, model }) => steps.generate(model, params),
    wrapStream: ({ params, model }) => steps.stream(model, params),
  };
}

/** What becomes of one answer. */
type Next =
  | { readonly kind: "answer"; readonly content: Content[]; readonly changed: boolean }
  | { readonly kind: "again"; readonly messages: readonly PromptMessage[] }
  | { readonly kind: "refused"; readonly text: string };

class Steps {
  private readonly session: GuardSession;
  private readonly requests: Requests;
  private stopActive = false;

  constructor(session: GuardSession) {
    this.session = session;
    this.requests = new Requests(session);
  }

  async generate(model: ProviderModel, host: CallOptions): Promise<GenerateResult> {
    const prepared = await this.requests.prepare(host, model.modelId);
    if (prepared.kind === "refused") return refusedResult(prepared.text);
    let { params } = prepared;
    let usage: Usage | null = null;
    for (let round = 0; ; round++) {
      const startedAt = performance.now();
      const result = await this.asked(model, () => model.doGenerate(params));
      usage = addUsage(usage, result.usage);
      const judged = await this.judgeAnswer(model, params, result.content, usage, startedAt, round);
      const next = judged.kind === "answer" ? await this.judgeStop(model, host, judged, round) : judged;
      if (next.kind === "refused") return refusedResult(next.text, usage);
      if (next.kind === "answer") {
        const final = next.changed ? withContent(result, next.content) : result;
        return { ...final, usage };
      }
      params = { ...params, prompt: [...params.prompt, ...next.messages] };
    }
  }

  async stream(model: ProviderModel, host: CallOptions): Promise<StreamResult> {
    const prepared = await this.requests.prepare(host, model.modelId);
    if (prepared.kind === "refused") {
      return {
        stream: ReadableStream.from([{ type: "stream-start", warnings: [] }, ...refusedParts(prepared.text)]),
      };
    }
    // The first request is made here, so that the package can retry it as it does without a guard.
    const first = await this.asked(model, () => model.doStream(prepared.params));
    const stream = ReadableStream.from(this.safeParts(model, host, prepared.params, first));
    const { request } = first;
    return { stream, ...(request ? { request } : {}) };
  }

  /** What goes wrong on the way ends the stream with an error, as the package's own models do; nothing held is shown. */
  private async *safeParts(...args: Parameters<Steps["parts"]>): AsyncGenerator<StreamPart> {
    try {
      yield* this.parts(...args);
    } catch (error) {
      yield { type: "error", error };
    }
  }

  private async *parts(
    model: ProviderModel,
    host: CallOptions,
    sent: CallOptions,
    first: StreamResult,
  ): AsyncGenerator<StreamPart> {
    const { mediator, hold } = this.session;
    let params = sent;
    let { stream } = first;
    let usage: Usage | null = null;
    for (let round = 0; ; round++) {
      const startedAt = performance.now();
      const chunks = mediator.listens("ModelResponseChunk");
      // What a hook may yet rewrite or withhold as a whole is not shown in pieces.
      const whole = mediator.listens("PostModelResponse");
      const judge = chunkJudge(mediator, { id: randomUUID(), model: model.modelId });
      const source = chunks ? judgedParts(stream, judge, hold) : stream;
      const seen: StreamPart[] = [];
      let finish: Extract<StreamPart, { type: "finish" }> | null = null;
      for await (const part of renamed(this.checkedProvider(source), round)) {
        if (part.type === "finish") {
          finish = part;
          continue;
        }
        if (part.type === "raw" && whole) continue;
        seen.push(part);
        if (!whole) yield part;
        // Warnings and errors say nothing of the answer.
        else if (part.type === "stream-start" || part.type === "response-metadata" || part.type === "error")
          yield part;
      }
      // A stream without an end has failed; what is held of it is not an answer.
      if (!finish) return;
      usage = addUsage(usage, finish.usage);
      const content = contentOf(seen);
      const judged: Next = whole
        ? await this.judgeAnswer(model, params, content, usage, startedAt, round)
        : { kind: "answer", content, changed: false };
      if (whole && judged.kind === "answer") {
        const said = new Set(["stream-start", "response-metadata", "error"]);
        yield* judged.changed
          ? partsOf(judged.content, `hookwarden-${round}`)
          : seen.filter(({ type }) => !said.has(type));
      }
      const next = judged.kind === "answer" ? await this.judgeStop(model, host, judged, round) : judged;
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
      ({ stream } = await this.asked(model, () => model.doStream(params)));
    }
  }

  private async asked<T>(model: ProviderModel, ask: () => PromiseLike<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      await modelFailed(this.session.mediator, model.modelId, error);
      throw error;
    }
  }

  private async judgeAnswer(
    model: ProviderModel,
    params: CallOptions,
    content: Content[],
    usage: Usage,
    startedAt: number,
    round: number,
  ): Promise<Next> {
    for (const part of content) this.checkProvider(part);
    const outcome = await afterModel(this.session.mediator, {
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
    // The feedback is for this step alone: the answer that it was about is never part of the conversation.
    return { kind: "again", messages: [...answerMessage(content), userMessage(outcome.text)] };
  }

  /** Asks whether the agent may end, where it would: with an answer that calls no tool. */
  private async judgeStop(
    model: ProviderModel,
    host: CallOptions,
    answer: Extract<Next, { kind: "answer" }>,
    round: number,
  ): Promise<Next> {
    const { mediator } = this.session;
    if (answer.content.some((part) => part.type === "tool-call" && !part.providerExecuted)) return answer;
    const last = contentText(answer.content);
    const active = this.stopActive;
    const outcome = await beforeStop(mediator, { last, active, model: model.modelId });
    if (outcome.kind === "refused") return outcome;
    if (outcome.kind === "again" && round < maxRepeats) {
      this.stopActive = true;
      const messages = [
        ...answerMessage(answer.content),
        ...toPrompt(outcome.added),
        userMessage(outcome.text),
      ];
      this.requests.carry(host.prompt, messages);
      return { kind: "again", messages };
    }
    this.stopActive = false;
    this.session.pending.push(...outcome.added);
    await mediator.observe(
      "TurnComplete",
      { message: last, model: model.modelId.slice(0, 256) },
      model.modelId,
    );
    return answer;
  }

  private async *checkedProvider(parts: AsyncIterable<StreamPart>): AsyncGenerator<StreamPart> {
    for await (const part of parts) {
      this.checkProvider(part as Content);
      yield part;
    }
  }

  /** Takes note of a call. One that the provider has made itself is reported, and under `strict` the end of the answer. */
  private checkProvider(part: Content): void {
    if (part.type !== "tool-call") return;
    if (!part.providerExecuted) {
      this.session.calls.note(part.toolName, part.input, part.toolCallId);
      return;
    }
    const { toolName, toolCallId } = part;
    this.session.onUnmediated({ toolName, toolCallId });
    if (!this.session.strict) return;
    const text = `hookwarden: the answer is withheld, because the provider ran tool ${quoted(toolName)} by itself, where no hook can stand before it.`;
    throw new HookRefusedError("deny", text, null);
  }
}

/** Gives the blocks of a repeated answer ids of their own: they come in one stream. */
async function* renamed(parts: AsyncIterable<StreamPart>, round: number): AsyncGenerator<StreamPart> {
  for await (const part of parts) {
    if (round === 0) yield part;
    else if (part.type === "stream-start") continue;
    else if (/^(text|reasoning)-(start|delta|end)$/.test(part.type)) {
      yield { ...part, id: `${(part as { id: string }).id}-${round}` } as StreamPart;
    } else yield part;
  }
}
