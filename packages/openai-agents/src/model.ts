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
import {
  chunkJudge,
  type JudgeChunk,
  afterModel,
  beforeStop,
  maxRepeats,
  modelFailed,
  HookRefusedError,
  unmediatedCallText,
} from "@hookwarden/mediator";
import {
  answerItem,
  checkedOutput,
  continuesAfter,
  type Done,
  endWith,
  outputText,
  providerCalls,
  refusedEvents,
} from "./answers.ts";
import { judgedItems, TextWindows } from "./chunks.ts";
import { userItem } from "./messages.ts";
import { itemsOf, type Requests } from "./requests.ts";
import type { GuardState } from "./state.ts";

type Next =
  | { readonly kind: "answer"; readonly output: AgentOutputItem[]; readonly changed: boolean }
  | { readonly kind: "again"; readonly items: readonly AgentInputItem[] }
  | { readonly kind: "refused"; readonly text: string };

/** The parts of a guarded model. */
export interface GuardedModelOptions {
  /** Looks the model up when a request is made: the provider of the run resolves its name. */
  readonly find: () => Model | Promise<Model>;
  /** The name by which hooks know the model. */
  readonly name: string;
  readonly state: GuardState;
  readonly requests: Requests;
}

/** A model with hooks on its requests and answers. */
export class GuardedModel implements Model {
  readonly #find: GuardedModelOptions["find"];
  readonly #name: string;
  readonly #state: GuardState;
  readonly #requests: Requests;
  #stopActive = false;

  constructor({ find, name, state, requests }: GuardedModelOptions) {
    this.#find = find;
    this.#name = name;
    this.#state = state;
    this.#requests = requests;
  }

  async getResponse(request: ModelRequest): Promise<ModelResponse> {
    const prepared = await this.#requests.prepare(request, this.#name);
    if (prepared.kind === "refused") return { usage: new Usage(), output: [answerItem(prepared.text)] };
    const model = await this.#find();
    const usage = new Usage();
    let sent = prepared.request;
    for (let round = 0; ; round++) {
      const startedAt = performance.now();
      const response = await this.#asked(() => model.getResponse(sent));
      usage.add(response.usage);
      const judged = await this.#judgeAnswer(sent, {
        output: response.output,
        usage: response.usage,
        startedAt,
        round,
      });
      const next = judged.kind === "answer" ? await this.#judgeStop(request, judged, round) : judged;
      if (next.kind === "refused") return { usage, output: [answerItem(next.text)] };
      if (next.kind === "answer") {
        // The provider's other data may repeat the output.
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
    const { mediator } = this.#state;
    const prepared = await this.#requests.prepare(request, this.#name);
    if (prepared.kind === "refused") {
      yield* refusedEvents(prepared.text, new Usage());
      return;
    }
    const model = await this.#find();
    const usage = new Usage();
    let sent = prepared.request;
    for (let round = 0; ; round++) {
      const startedAt = performance.now();
      // An answer that a hook may still rewrite or withhold as a whole is not shown in parts.
      const whole = mediator.listens("PostModelResponse");
      const judge = mediator.listens("ModelResponseChunk")
        ? chunkJudge(mediator, { id: randomUUID(), model: this.#name })
        : null;
      const done = yield* this.#read(this.#events(model, sent), { round, whole, judge });
      // A stream without an end has failed; the text held back is not an answer.
      if (!done) return;
      const { response } = done;
      usage.add(new Usage(response.usage as ConstructorParameters<typeof Usage>[0]));
      // The end repeats the whole text.
      const output = judge ? await judgedItems(response.output, judge) : response.output;
      const judged: Next = whole
        ? await this.#judgeAnswer(sent, { output, usage: response.usage, startedAt, round })
        : this.#checkedProvider({ kind: "answer", output, changed: judge !== null });
      const next = judged.kind === "answer" ? await this.#judgeStop(request, judged, round) : judged;
      if (next.kind === "refused") {
        yield* refusedEvents(next.text, usage, done);
        return;
      }
      if (next.kind === "answer") {
        if (whole) {
          const delta = outputText(next.output);
          if (delta !== "") yield { type: "output_text_delta", delta };
        }
        yield endWith(done, { output: next.output, usage, changed: next.changed });
        return;
      }
      sent = { ...sent, input: [...itemsOf(sent), ...next.items] };
    }
  }

  /** Emits the events of one answer that may be shown already; returns its end. */
  async *#read(
    events: AsyncIterable<StreamEvent>,
    {
      round,
      whole,
      judge,
    }: { readonly round: number; readonly whole: boolean; readonly judge: JudgeChunk | null },
  ): AsyncGenerator<StreamEvent, Done | null> {
    const windows = judge && new TextWindows(this.#state.hold, judge);
    let done: Done | null = null;
    for await (const event of events) {
      if (event.type === "response_done") done = event;
      // The provider's own events contain everything that hooks rewrite here.
      else if (event.type === "model" && (judge || whole)) continue;
      else if (event.type !== "output_text_delta") {
        if (round === 0) yield event;
      } else if (whole) continue;
      else if (windows) yield* windows.push(event);
      else yield event;
    }
    if (done && windows && !whole) yield* windows.end();
    return done;
  }

  async #asked<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      await modelFailed(this.#state.mediator, this.#name, error);
      throw error;
    }
  }

  async *#events(model: Model, request: ModelRequest): AsyncGenerator<StreamEvent> {
    try {
      yield* model.getStreamedResponse(request);
    } catch (error) {
      await modelFailed(this.#state.mediator, this.#name, error);
      throw error;
    }
  }

  async #judgeAnswer(
    sent: ModelRequest,
    response: {
      readonly output: AgentOutputItem[];
      readonly usage: unknown;
      readonly startedAt: number;
      readonly round: number;
    },
  ): Promise<Next> {
    const { output, usage, startedAt, round } = response;
    const answer = this.#checkedProvider({ kind: "answer", output, changed: false });
    const outcome = await afterModel(this.#state.mediator, {
      model: this.#name,
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
    const text = outputText(output);
    return { kind: "again", items: [...(text === "" ? [] : [answerItem(text)]), userItem(outcome.text)] };
  }

  /** Has Stop decide whether the agent may end, if its answer calls no tool. */
  async #judgeStop(
    request: ModelRequest,
    answer: Extract<Next, { kind: "answer" }>,
    round: number,
  ): Promise<Next> {
    if (continuesAfter(answer.output)) return answer;
    const { mediator } = this.#state;
    const last = outputText(answer.output);
    const outcome = await beforeStop(mediator, { last, active: this.#stopActive, model: this.#name });
    if (outcome.kind === "refused") return outcome;
    if (outcome.kind === "again" && round < maxRepeats) {
      this.#stopActive = true;
      const items = [
        ...(last === "" ? [] : [answerItem(last)]),
        ...outcome.added.map(({ text }) => userItem(text)),
        userItem(outcome.text),
      ];
      this.#requests.inject(request, items);
      return { kind: "again", items };
    }
    this.#stopActive = false;
    this.#state.pending.push(...outcome.added);
    await mediator.observe("TurnComplete", { message: last, model: this.#name.slice(0, 256) }, this.#name);
    return answer;
  }

  #checkedProvider(answer: Extract<Next, { kind: "answer" }>): Extract<Next, { kind: "answer" }> {
    for (const toolName of providerCalls(answer.output)) {
      this.#state.onUnmediated({ toolName, kind: "hosted_tool_call" });
      if (!this.#state.strict) continue;
      throw new HookRefusedError("deny", unmediatedCallText(toolName), null);
    }
    return answer;
  }
}
