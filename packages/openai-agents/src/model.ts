import { randomUUID } from "node:crypto";
import {
  type AgentInputItem,
  type AgentOutputItem,
  type Model,
  type ModelRequest,
  type ModelResponse,
  type StreamEvent,
  Usage,
} from "@openai/agents";
import { HookwardenError } from "hookwarden/errors";
import {
  chunkJudge,
  ChunkWindow,
  type JudgeChunk,
  afterModel,
  beforeStop,
  maxRepeats,
  modelFailed,
  HookRefusedError,
  quoted,
} from "@hookwarden/mediator";
import {
  answerItem,
  checkedOutput,
  goesOn,
  isMessage,
  outputText,
  providerCalls,
  userItem,
} from "./messages.ts";
import { itemsOf, Requests } from "./requests.ts";
import type { GuardSession } from "./session.ts";

type Done = Extract<StreamEvent, { type: "response_done" }>;

type Next =
  | { readonly kind: "answer"; readonly output: AgentOutputItem[]; readonly changed: boolean }
  | { readonly kind: "again"; readonly items: readonly AgentInputItem[] }
  | { readonly kind: "refused"; readonly text: string };

/** Finds the model when the first request is made: a name is looked up by the provider of the run. */
export type FindModel = () => Model | Promise<Model>;

/** A model whose requests and answers go through hooks. */
export class GuardedModel implements Model {
  private readonly find: FindModel;
  private readonly name: string;
  private readonly session: GuardSession;
  private readonly requests: Requests;
  private stopActive = false;

  constructor(find: FindModel, name: string, session: GuardSession, requests: Requests) {
    this.find = find;
    this.name = name;
    this.session = session;
    this.requests = requests;
  }

  async getResponse(request: ModelRequest): Promise<ModelResponse> {
    const prepared = await this.requests.prepare(request, this.name);
    if (prepared.kind === "refused") return { usage: new Usage(), output: [answerItem(prepared.text)] };
    const model = await this.find();
    const usage = new Usage();
    let sent = prepared.request;
    for (let round = 0; ; round++) {
      const startedAt = performance.now();
      const response = await this.asked(() => model.getResponse(sent));
      usage.add(response.usage);
      const judged = await this.judgeAnswer(sent, response.output, response.usage, startedAt, round);
      const next = judged.kind === "answer" ? await this.judgeStop(request, judged, round) : judged;
      if (next.kind === "refused") return { usage, output: [answerItem(next.text)] };
      if (next.kind === "answer") {
        // Beside the output, a provider may tell all of it once more.
        const { providerData, rawUsage, ...bare } = response;
        const more = next.changed
          ? {}
          : { ...(providerData ? { providerData } : {}), ...(rawUsage ? { rawUsage } : {}) };
        return { ...bare, ...more, usage, output: next.output };
      }
      sent = { ...sent, input: [...itemsOf(sent), ...next.items] };
    }
  }

  async *getStreamedResponse(request: ModelRequest): AsyncGenerator<StreamEvent> {
    const { mediator, hold } = this.session;
    const prepared = await this.requests.prepare(request, this.name);
    if (prepared.kind === "refused") {
      yield* refusedEvents(prepared.text, new Usage());
      return;
    }
    const model = await this.find();
    const usage = new Usage();
    let sent = prepared.request;
    for (let round = 0; ; round++) {
      const startedAt = performance.now();
      const chunks = mediator.listens("ModelResponseChunk");
      // What a hook may yet rewrite or withhold as a whole is not shown in pieces.
      const whole = mediator.listens("PostModelResponse");
      const judge = chunkJudge(mediator, { id: randomUUID(), model: this.name });
      const windows = new Map<string, ChunkWindow>();
      let done: Done | null = null;
      for await (const event of this.events(model, sent)) {
        if (event.type === "response_done") done = event;
        // The provider's own events hold all that is rewritten here.
        else if (event.type === "model" && (chunks || whole)) continue;
        else if (event.type !== "output_text_delta") {
          if (round === 0) yield event;
        } else if (!whole) {
          if (!chunks) {
            yield event;
            continue;
          }
          const key = event.itemId ?? "";
          let window = windows.get(key);
          if (!window) windows.set(key, (window = new ChunkWindow(hold, judge)));
          const delta = await window.push(event.delta);
          if (delta !== "") yield { ...withoutProvider(event), delta };
        }
      }
      // A stream without an end has failed; what is held of it is no answer.
      if (!done) return;
      if (!whole) {
        for (const [itemId, window] of windows) {
          const delta = await window.end();
          if (delta !== "") yield { type: "output_text_delta", delta, ...(itemId === "" ? {} : { itemId }) };
        }
      }
      usage.add(new Usage(done.response.usage as ConstructorParameters<typeof Usage>[0]));
      // The end holds the whole text once more.
      const output = chunks ? await judgedItems(done.response.output, judge) : done.response.output;
      const judged: Next = whole
        ? await this.judgeAnswer(sent, output, done.response.usage, startedAt, round)
        : this.checkedProvider({ kind: "answer", output, changed: chunks });
      const next = judged.kind === "answer" ? await this.judgeStop(request, judged, round) : judged;
      if (next.kind === "refused") {
        yield* refusedEvents(next.text, usage, done);
        return;
      }
      if (next.kind === "answer") {
        if (whole) {
          const delta = outputText(next.output);
          if (delta !== "") yield { type: "output_text_delta", delta };
        }
        yield endWith(done, next.output, usage, next.changed);
        return;
      }
      sent = { ...sent, input: [...itemsOf(sent), ...next.items] };
    }
  }

  private async asked<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      await modelFailed(this.session.mediator, this.name, error);
      throw error;
    }
  }

  private async *events(model: Model, request: ModelRequest): AsyncGenerator<StreamEvent> {
    try {
      yield* model.getStreamedResponse(request);
    } catch (error) {
      await modelFailed(this.session.mediator, this.name, error);
      throw error;
    }
  }

  private async judgeAnswer(
    sent: ModelRequest,
    output: AgentOutputItem[],
    usage: unknown,
    startedAt: number,
    round: number,
  ): Promise<Next> {
    const answer = this.checkedProvider({ kind: "answer", output, changed: false });
    const outcome = await afterModel(this.session.mediator, {
      model: this.name,
      message: { role: "assistant", content: output },
      messages: itemsOf(sent),
      usage,
      startedAt,
    });
    if (outcome.kind === "refused") return outcome;
    if (outcome.kind === "keep") return answer;
    if (outcome.kind === "replace") {
      return { kind: "answer", output: checkedOutput(outcome.message, output), changed: true };
    }
    if (round >= maxRepeats) return { kind: "refused", text: outcome.text };
    const said = outputText(output);
    return { kind: "again", items: [...(said === "" ? [] : [answerItem(said)]), userItem(outcome.text)] };
  }

  /** Asks whether the agent may end, where it would: with an answer that calls nothing. */
  private async judgeStop(
    request: ModelRequest,
    answer: Extract<Next, { kind: "answer" }>,
    round: number,
  ): Promise<Next> {
    if (goesOn(answer.output)) return answer;
    const { mediator } = this.session;
    const last = outputText(answer.output);
    const outcome = await beforeStop(mediator, { last, active: this.stopActive, model: this.name });
    if (outcome.kind === "refused") return outcome;
    if (outcome.kind === "again" && round < maxRepeats) {
      this.stopActive = true;
      const items = [
        ...(last === "" ? [] : [answerItem(last)]),
        ...outcome.added.map(({ text }) => userItem(text)),
        userItem(outcome.text),
      ];
      this.requests.carry(request, items);
      return { kind: "again", items };
    }
    this.stopActive = false;
    this.session.pending.push(...outcome.added);
    await mediator.observe("TurnComplete", { message: last, model: this.name.slice(0, 256) }, this.name);
    return answer;
  }

  private checkedProvider(answer: Extract<Next, { kind: "answer" }>): Extract<Next, { kind: "answer" }> {
    for (const toolName of providerCalls(answer.output)) {
      this.session.onUnmediated({ toolName, kind: "hosted_tool_call" });
      if (!this.session.strict) continue;
      const text = `hookwarden: the answer is withheld, because the provider ran tool ${quoted(toolName)} by itself, where no hook can stand before it.`;
      throw new HookRefusedError("deny", text, null);
    }
    return answer;
  }
}

/** Items of a whole answer, judged as the last chunks of its stream. */
async function judgedItems(
  output: readonly AgentOutputItem[],
  judge: JudgeChunk,
): Promise<AgentOutputItem[]> {
  const judged: AgentOutputItem[] = [];
  for (const item of output) {
    if (isMessage(item)) {
      const { content } = item as { content: readonly { readonly type: string; readonly text?: string }[] };
      const parts: unknown[] = [];
      for (const part of content) {
        if (part.type !== "output_text" || part.text === undefined) {
          parts.push(part);
          continue;
        }
        const text = part.text === "" ? "" : await judge(part.text, true);
        if (text !== null && typeof text !== "string") throw badChunk();
        parts.push({ type: part.type, text: text ?? "" });
      }
      const { providerData: _data, ...bare } = item as { providerData?: unknown };
      judged.push({ ...bare, content: parts } as AgentOutputItem);
      continue;
    }
    const shown: unknown = JSON.parse(JSON.stringify(item));
    const next = await judge(shown, true);
    if (next === null) continue;
    const { type, callId } = next as { type?: unknown; callId?: unknown };
    if (type !== item.type || callId !== (item as { callId?: unknown }).callId) throw badChunk();
    judged.push(next as AgentOutputItem);
  }
  return judged;
}

function badChunk(): HookwardenError {
  return new HookwardenError("event-invalid", "a hook replaced a part of a stream by one of another kind");
}

function withoutProvider<E extends { readonly providerData?: unknown }>(event: E): E {
  const { providerData: _data, ...bare } = event;
  return bare as E;
}

function endWith(done: Done, output: AgentOutputItem[], usage: Usage, changed: boolean): StreamEvent {
  const { response } = done;
  const {
    providerData: _data,
    rawUsage: _raw,
    ...bare
  } = response as Done["response"] & { rawUsage?: unknown };
  const end = { ...(changed ? bare : response), output, usage: usageData(usage) } as Done["response"];
  return { ...(changed ? withoutProvider(done) : done), response: end };
}

function* refusedEvents(text: string, usage: Usage, done?: Done): Generator<StreamEvent> {
  yield { type: "output_text_delta", delta: text };
  const id = done?.response.id ?? `hookwarden-${randomUUID()}`;
  const output = [answerItem(text)] as Done["response"]["output"];
  yield { type: "response_done", response: { id, usage: usageData(usage), output } };
}

function usageData({ requests, inputTokens, outputTokens, totalTokens }: Usage): Done["response"]["usage"] {
  return { requests, inputTokens, outputTokens, totalTokens };
}
