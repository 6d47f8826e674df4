import {
  Agent,
  type AgentInputItem,
  type AgentOutputItem,
  type Model,
  type ModelRequest,
  type ModelResponse,
  run as runAgent,
  type RunState,
  setTracingDisabled,
  type StreamEvent,
  Usage,
} from "@openai/agents";
import { guardAgent, type GuardAgentOptions } from "../src/index.ts";

setTracingDisabled(true);

export type Answer = string | readonly AgentOutputItem[];
export const modes = ["run", "stream"] as const;
export type Mode = (typeof modes)[number];

export function call(name: string, input: unknown, callId = `c-${name}`): AgentOutputItem {
  return { type: "function_call", callId, name, arguments: JSON.stringify(input), status: "completed" };
}

export function says(text: string): AgentOutputItem {
  return {
    type: "message",
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text }],
  };
}

/** A model of the package's own interface that follows its script; texts are streamed in pieces of five characters. */
export class ScriptedModel implements Model {
  readonly requests: ModelRequest[] = [];
  private readonly answers: readonly Answer[];

  constructor(answers: readonly Answer[]) {
    this.answers = answers;
  }

  async getResponse(request: ModelRequest): Promise<ModelResponse> {
    return {
      usage: new Usage({ requests: 1 }),
      output: this.take(request),
      providerData: { raw: "secret of provider" },
    };
  }

  async *getStreamedResponse(request: ModelRequest): AsyncGenerator<StreamEvent> {
    const output = this.take(request);
    yield { type: "response_started" };
    for (const item of output) {
      const { content } = item as { content?: { type: string; text: string }[] };
      for (const { text } of content ?? []) {
        for (const delta of text.match(/.{1,5}/gs) ?? []) {
          yield { type: "model", event: { raw: delta } };
          yield { type: "output_text_delta", delta, itemId: "m" };
        }
      }
    }
    yield {
      type: "response_done",
      response: {
        id: "r",
        usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
        output: output as never,
      },
    };
  }

  asked(index: number): string {
    const request = this.requests[index];
    return JSON.stringify([request?.systemInstructions, request?.input]);
  }

  private take(request: ModelRequest): AgentOutputItem[] {
    const answer = this.answers[this.requests.length];
    this.requests.push({ ...request, input: structuredClone(request.input) as AgentInputItem[] });
    if (answer === undefined) throw new Error("the script has no more answers");
    return typeof answer === "string" ? [says(answer)] : [...answer];
  }
}

export interface Ran {
  readonly text: string;
  /** Everything that the run streams, as JSON. */
  readonly shown: string;
  readonly error: unknown;
  readonly state: RunState<any, any> | null;
  readonly lastAgent: string | undefined;
}

/** Runs an agent, or goes on with a run, and watches it. */
export async function run(
  mode: Mode,
  agent: Agent<any, any>,
  input: string | RunState<any, any> = "my prompt",
): Promise<Ran> {
  const shown: unknown[] = [];
  try {
    const options = { maxTurns: 8 };
    const result =
      mode === "run"
        ? await runAgent(agent, input as string, options)
        : await runAgent(agent, input as string, { ...options, stream: true });
    if ("toStream" in result) {
      for await (const event of result.toStream()) {
        const { type } = event;
        shown.push(
          type === "raw_model_stream_event"
            ? event.data
            : type === "run_item_stream_event"
              ? event.item.toJSON()
              : type,
        );
      }
      await result.completed;
    }
    shown.push(
      result.newItems.map((item) => item.toJSON()),
      result.rawResponses,
      result.history,
      result.finalOutput,
    );
    return {
      text: String(result.finalOutput ?? ""),
      shown: JSON.stringify(shown),
      error: null,
      state: result.state,
      lastAgent: result.lastAgent?.name,
    };
  } catch (error) {
    return { text: "", shown: JSON.stringify(shown), error, state: null, lastAgent: undefined };
  }
}

/** Guards an agent with a scripted model, and runs it. */
export async function guarded(
  mode: Mode,
  answers: readonly Answer[],
  options: GuardAgentOptions,
  config: Partial<ConstructorParameters<typeof Agent>[0]> = {},
): Promise<Ran & { model: ScriptedModel; agent: Agent<any, any> }> {
  const model = new ScriptedModel(answers);
  const agent = guardAgent(new Agent({ name: "tester", model, ...config }), options);
  return { ...(await run(mode, agent)), model, agent };
}
