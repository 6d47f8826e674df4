/**
 * An agent of the OpenAI Agents SDK with the shipped policies around it. Its model is an offline one: it asks for a command
 * that would destroy the machine, then for a file that holds a key.
 *
 *     node examples/openai-agents.ts
 */
import {
  Agent,
  type AgentOutputItem,
  type Model,
  run,
  setTracingDisabled,
  tool,
  Usage,
} from "@openai/agents";
import { z } from "zod";
import { createWarden } from "hookwarden";
import { guardAgent } from "@hookwarden/openai-agents";

setTracingDisabled(true);

const runCommand = tool({
  name: "run_command",
  description: "Runs a command.",
  parameters: z.object({ command: z.string() }),
  execute: async ({ command }) => `ran ${command}`,
});
const readFile = tool({
  name: "read_file",
  description: "Reads a file.",
  parameters: z.object({ path: z.string() }),
  execute: async () => "region = eu\naws_access_key_id = AKIAQ7ZK3LWM5XTBVNRD\n",
});

const call = (callId: string, name: string, args: object): AgentOutputItem => ({
  type: "function_call",
  status: "completed",
  callId,
  name,
  arguments: JSON.stringify(args),
});
/** What the model says, one answer a turn. */
const answers: AgentOutputItem[] = [
  call("1", "run_command", { command: "rm -rf / --no-preserve-root" }),
  call("2", "read_file", { path: "notes.txt" }),
  {
    type: "message",
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text: "I could not clean up, and the notes are read." }],
  },
];
const offline: Model = {
  getResponse: async () => ({ usage: new Usage(), output: answers.splice(0, 1) }),
  getStreamedResponse: () => {
    throw new Error("this model does not stream");
  },
};

await using warden = await createWarden({ pack: new URL("../policies", import.meta.url).pathname });
const agent = guardAgent(new Agent({ name: "helper", model: offline, tools: [runCommand, readFile] }), {
  warden,
});
const result = await run(agent, "Clean up, then read my notes.");

for (const item of result.newItems) {
  const { type, name, arguments: args, output } = item.rawItem as { [field: string]: unknown };
  if (type === "function_call") console.log(`\nthe model calls ${String(name)} ${String(args)}`);
  if (type === "function_call_result") console.log(`the model reads ${JSON.stringify(output, null, 2)}`);
}
console.log(`\nthe agent ends: ${result.finalOutput}`);
