/**
 * An agent of the AI SDK with the shipped policies around it. Its model is the package's own offline one: it asks for a
 * command that would destroy the machine, then for a file that holds a key.
 *
 *     node examples/ai-sdk.ts
 */
import { isStepCount, tool, ToolLoopAgent } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { z } from "zod";
import { createWarden } from "hookwarden";
import { guard } from "@hookwarden/ai-sdk";

const tools = {
  run_command: tool({
    description: "Runs a command.",
    inputSchema: z.object({ command: z.string() }),
    execute: async ({ command }) => `ran ${command}`,
  }),
  read_file: tool({
    description: "Reads a file.",
    inputSchema: z.object({ path: z.string() }),
    execute: async () => "region = eu\naws_access_key_id = AKIAQ7ZK3LWM5XTBVNRD\n",
  }),
};

/** What the model says, one answer a step. */
const answers = [
  {
    type: "tool-call",
    toolCallId: "1",
    toolName: "run_command",
    input: '{"command":"rm -rf / --no-preserve-root"}',
  },
  { type: "tool-call", toolCallId: "2", toolName: "read_file", input: '{"path":"notes.txt"}' },
  { type: "text", text: "I could not clean up, and the notes are read." },
] as const;
const offline = new MockLanguageModelV4({
  doGenerate: answers.map((answer) => ({
    content: [answer],
    finishReason: { unified: answer.type === "text" ? "stop" : "tool-calls", raw: undefined },
    usage: {
      inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 1, text: 1, reasoning: 0 },
    },
    warnings: [],
  })),
});

await using warden = await createWarden({ pack: new URL("../policies", import.meta.url).pathname });
const { settings } = guard({ warden, model: offline, tools });

const agent = new ToolLoopAgent({ ...settings, stopWhen: isStepCount(10) });
const result = await agent.generate({ prompt: "Clean up, then read my notes." });

for (const message of result.responseMessages) {
  for (const part of typeof message.content === "string" ? [] : message.content) {
    if (part.type === "tool-call")
      console.log(`\nthe model calls ${part.toolName} ${JSON.stringify(part.input)}`);
    if (part.type === "tool-result") console.log(`the model reads ${JSON.stringify(part.output, null, 2)}`);
  }
}
console.log(`\nthe agent ends: ${result.text}`);
