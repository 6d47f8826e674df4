import { AIMessage, AIMessageChunk, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { ChatGenerationChunk } from "@langchain/core/outputs";
import { FakeBuiltModel } from "@langchain/core/testing";
import { MemorySaver } from "@langchain/langgraph";
import { createAgent } from "langchain";
import { hookwardenMiddleware, type HookwardenMiddlewareOptions } from "../src/index.ts";

export type Answer = string | AIMessage;
/** Ways to run an agent: each shows what happens in a way of its own. */
export const modes = ["invoke", "stream", "streamEvents"] as const;
export type Mode = (typeof modes)[number];

export function call(
  name: string,
  args: object,
  id = `c-${name}`,
): NonNullable<AIMessage["tool_calls"]>[number] {
  return { name, args: args as Record<string, unknown>, id, type: "tool_call" };
}

/** The package's own fake model, which can stream too: texts come in pieces of five characters. */
export class ScriptedModel extends FakeBuiltModel {
  readonly sent: BaseMessage[][] = [];

  constructor(answers: readonly Answer[]) {
    super();
    for (const answer of answers) {
      this.respond(() => new AIMessage(typeof answer === "string" ? answer : ({ ...answer } as never)));
    }
  }

  override bindTools(): ReturnType<FakeBuiltModel["bindTools"]> {
    return this.withConfig({}) as never;
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this["ParsedCallOptions"],
    runManager?: Parameters<FakeBuiltModel["_generate"]>[2],
  ): AsyncGenerator<ChatGenerationChunk> {
    const { generations } = await this._generate(messages, options, runManager);
    const [generation] = generations;
    const { text, tool_calls = [] } = (generation as { message: AIMessage }).message;
    const pieces: AIMessageChunk[] = (text.match(/.{1,5}/gs) ?? []).map(
      (content) => new AIMessageChunk(content),
    );
    const tool_call_chunks = tool_calls.map(({ name, args, id }, index) => ({
      type: "tool_call_chunk" as const,
      name,
      index,
      args: JSON.stringify(args),
      ...(id ? { id } : {}),
    }));
    pieces.push(new AIMessageChunk({ content: "", tool_call_chunks }));
    for (const message of pieces) {
      const chunk = new ChatGenerationChunk({ text: message.text, message });
      yield chunk;
      await runManager?.handleLLMNewToken(message.text, undefined, undefined, undefined, undefined, {
        chunk,
      });
    }
  }

  /** What it was sent in a request, as JSON. */
  asked(index: number): string {
    return JSON.stringify(this.calls[index]?.messages.map((message) => message.toDict().data));
  }
}

export interface Ran {
  readonly text: string;
  /** Everything that anybody who watched was shown, as JSON. */
  readonly shown: string;
  readonly messages: readonly BaseMessage[];
  readonly model: ScriptedModel;
  readonly error: unknown;
  readonly agent: { invoke(input: unknown, config?: object): Promise<any> };
}

const everyMode = ["values", "updates", "messages", "custom", "debug", "tasks", "checkpoints", "tools"];

/** Runs an agent of the package with the middleware, and watches it in every way that there is. */
export async function run(
  mode: Mode,
  answers: readonly Answer[],
  options: HookwardenMiddlewareOptions,
  agentOptions: { readonly tools?: readonly unknown[]; readonly [option: string]: unknown } = {},
  config: object = {},
): Promise<Ran> {
  const model = new ScriptedModel(answers);
  const agent = createAgent({
    model,
    checkpointer: new MemorySaver(),
    ...agentOptions,
    tools: (agentOptions.tools ?? []) as never,
    middleware: [hookwardenMiddleware(options), ...((agentOptions.middleware as []) ?? [])],
  }) as unknown as {
    invoke(input: unknown, config?: object): Promise<{ messages: BaseMessage[] }>;
    stream(input: unknown, config?: object): Promise<AsyncIterable<unknown>>;
    streamEvents(input: unknown, config?: object): AsyncIterable<unknown>;
    getState(config: object): Promise<{ values: { messages?: BaseMessage[] } }>;
  };
  const input = { messages: [new HumanMessage("my prompt")] };
  const thread = { configurable: { thread_id: "t-1" }, recursionLimit: 20, ...config };
  const shown: unknown[] = [];
  let error: unknown = null;
  try {
    if (mode === "invoke") shown.push(await agent.invoke(input, thread));
    else if (mode === "stream") {
      for await (const part of await agent.stream(input, { ...thread, streamMode: everyMode }))
        shown.push(part);
    } else {
      for await (const part of agent.streamEvents(input, { ...thread, version: "v2" })) shown.push(part);
    }
  } catch (thrown) {
    error = thrown;
  }
  const messages = (await agent.getState(thread)).values.messages ?? [];
  return { text: messages.at(-1)?.text ?? "", shown: jsonOf(shown), messages, model, error, agent };
}

/** JSON of what may hold cycles, such as parts of a graph. */
function jsonOf(value: unknown): string {
  const seen = new WeakSet();
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner !== "object" || inner === null) return inner;
    if (seen.has(inner)) return undefined;
    seen.add(inner);
    return inner;
  });
}
