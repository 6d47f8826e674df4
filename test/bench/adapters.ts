/**
 * `node test/bench/adapters.ts [--rounds N]`: what the adapters of agent frameworks add to a loop of one tool call and two
 * requests, as ratios to the same loop without a guard in the same rounds. Prints tables; it reports, and asserts
 * nothing.
 */
import { parseArgs } from "node:util";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { FakeBuiltModel } from "@langchain/core/testing";
import {
  Agent,
  type Model,
  run as runAgent,
  setTracingDisabled,
  tool as openaiTool,
  Usage,
} from "@openai/agents";
import { generateText, isStepCount, tool as aiTool } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { type AgentMiddleware, createAgent, createMiddleware, tool as langchainTool } from "langchain";
import { z } from "zod";
import { guard } from "@hookwarden/ai-sdk";
import { hookwardenMiddleware } from "@hookwarden/langchain";
import { guardAgent } from "@hookwarden/openai-agents";
import { loadPackFromFiles } from "../../src/pack/load.ts";
import { createWarden, type Warden } from "../../src/warden/index.ts";
import { type Case, measure } from "./rounds.ts";

const { values } = parseArgs({ options: { rounds: { type: "string", default: "7" } } });
const rounds = Number(values.rounds);
setTracingDisabled(true);

async function wardenOf(on: readonly string[], isolation: "inline" | "process"): Promise<Warden> {
  const manifest = {
    apiVersion: 1,
    name: "looks",
    version: "1.0.0",
    entry: "hook.js",
    on: on.map((event) => ({ event })),
    reads: ["tool_input", "tool_response"],
    actions: ["deny", "block"],
  };
  const script =
    'export default (event) => (JSON.stringify(event).includes("no such text") ? { action: "deny", reason: "no" } : undefined);';
  const files = {
    "hookwarden.json": JSON.stringify({ apiVersion: 1, hooks: ["looks"] }),
    "looks/hook.json": JSON.stringify(manifest),
    "looks/hook.js": script,
  };
  const pack = await loadPackFromFiles(
    new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)])),
  );
  return createWarden({ pack, isolation });
}

await using running = new AsyncDisposableStack();
const idle = running.use(await wardenOf(["Stop"], "inline"));
const inline = running.use(await wardenOf(["PreToolUse", "PostToolUse"], "inline"));
const apart = running.use(await wardenOf(["PreToolUse", "PostToolUse"], "process"));
const wardens: readonly (readonly [string, Warden])[] = [
  ["guarded, no hook on tools", idle],
  ["guarded, hooks before and after, inline", inline],
  ["guarded, hooks before and after, in a process", apart],
];

const path = { path: "notes.txt" };
const schema = z.object({ path: z.string() });
const execute = async (): Promise<string> => "some text of a file";

/** A loop with the AI SDK: the model calls a tool, reads its result, and ends. */
function aiSdk(warden: Warden | null): () => Promise<unknown> {
  const tools = { read: aiTool({ inputSchema: schema, execute }) };
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  } as const;
  return async () => {
    let step = 0;
    const model = new MockLanguageModelV4({
      doGenerate: async () => ({
        content: [
          step++ === 0
            ? { type: "tool-call", toolCallId: "1", toolName: "read", input: JSON.stringify(path) }
            : { type: "text", text: "done" },
        ],
        finishReason: { unified: step === 1 ? "tool-calls" : "stop", raw: undefined },
        usage,
        warnings: [],
      }),
    });
    const settings = warden ? guard({ warden, model, tools }).settings : { model, tools };
    return generateText({ ...settings, prompt: "read it", stopWhen: isStepCount(3) } as Parameters<
      typeof generateText
    >[0]);
  };
}

class TwoAnswers extends FakeBuiltModel {
  private step = 0;

  override bindTools(): ReturnType<FakeBuiltModel["bindTools"]> {
    return this.withConfig({}) as never;
  }

  override async _generate(): ReturnType<FakeBuiltModel["_generate"]> {
    const message =
      this.step++ % 2 === 0
        ? new AIMessage({
            content: "",
            tool_calls: [{ name: "read", args: path, id: "1", type: "tool_call" }],
          })
        : new AIMessage("done");
    return { generations: [{ text: message.text, message }] };
  }
}

function langchain(warden: Warden | null): () => Promise<unknown> {
  return langchainWith(warden ? [hookwardenMiddleware({ warden })] : []);
}

function langchainWith(middleware: readonly AgentMiddleware[]): () => Promise<unknown> {
  const agent = createAgent({
    model: new TwoAnswers(),
    tools: [langchainTool(execute, { name: "read", description: "reads", schema })],
    middleware,
  });
  return () => agent.invoke({ messages: [new HumanMessage("read it")] });
}

/** Nothing, in the places where the guard stands: what the graph itself costs with them. */
const idleMiddleware = createMiddleware({
  name: "idle",
  beforeAgent: () => undefined,
  afterModel: () => undefined,
  wrapModelCall: (request, handler) => handler(request),
  wrapToolCall: (request, handler) => handler(request),
});

function openaiAgents(warden: Warden | null): () => Promise<unknown> {
  let step = 0;
  const model: Model = {
    getResponse: async () => ({
      usage: new Usage(),
      output: [
        step++ % 2 === 0
          ? {
              type: "function_call",
              callId: "1",
              name: "read",
              arguments: JSON.stringify(path),
              status: "completed",
            }
          : {
              type: "message",
              role: "assistant",
              status: "completed",
              content: [{ type: "output_text", text: "done" }],
            },
      ],
    }),
    getStreamedResponse: () => {
      throw new Error("this model does not stream");
    },
  };
  const read = openaiTool({ name: "read", description: "reads", parameters: schema, execute });
  const agent = new Agent({ name: "reader", model, tools: [read] });
  const runs = warden ? guardAgent(agent, { warden }) : agent;
  return () => runAgent(runs, "read it");
}

async function report(
  title: string,
  loop: (warden: Warden | null) => () => Promise<unknown>,
  more: readonly Case[] = [],
): Promise<void> {
  const cases: Case[] = [
    { name: "bare", n: 200, run: loop(null) },
    ...more,
    ...wardens.map(([name, warden]) => ({ name, n: 200, run: loop(warden) })),
  ];
  const measured = await measure(cases, rounds);
  console.log(`\n${title}: one loop of two requests and one tool call`);
  const base = measured[0]?.us ?? 0;
  for (const { name, us, ratio, least, most } of measured) {
    const range = `${least.toFixed(2)} to ${most.toFixed(2)}`;
    const more = Math.round(us - base);
    console.log(
      `  ${name.padEnd(48)} ${us.toFixed(0).padStart(6)} µs  ${ratio.toFixed(2).padStart(5)}×  (${range})  +${more} µs`,
    );
  }
}

await report("AI SDK", aiSdk);
await report("LangChain", langchain, [
  {
    name: "with a middleware that does nothing",
    n: 200,
    run: langchainWith([idleMiddleware as AgentMiddleware]),
  },
]);
await report("OpenAI Agents", openaiAgents);
