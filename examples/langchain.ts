/**
 * An agent of LangChain with the shipped policies around it. Its model is the package's own offline one: it asks for a
 * command that would destroy the machine, then for a file that holds a key.
 *
 *     node examples/langchain.ts
 */
import { createAgent, fakeModel, HumanMessage, AIMessage, tool } from "langchain";
import { z } from "zod";
import { createWarden } from "hookwarden";
import { hookwardenMiddleware } from "@hookwarden/langchain";

const runCommand = tool(async ({ command }: { command: string }) => `ran ${command}`, {
  name: "run_command",
  description: "Runs a command.",
  schema: z.object({ command: z.string() }),
});
const readFile = tool(async () => "region = eu\naws_access_key_id = AKIAQ7ZK3LWM5XTBVNRD\n", {
  name: "read_file",
  description: "Reads a file.",
  schema: z.object({ path: z.string() }),
});

const offline = fakeModel()
  .respondWithTools([{ name: "run_command", args: { command: "rm -rf / --no-preserve-root" } }])
  .respondWithTools([{ name: "read_file", args: { path: "notes.txt" } }])
  .respond(new AIMessage("I could not clean up, and the notes are read."));

await using warden = await createWarden({ pack: new URL("../policies", import.meta.url).pathname });
const agent = createAgent({
  model: offline,
  tools: [runCommand, readFile],
  middleware: [hookwardenMiddleware({ warden })],
});

// All ways to watch the run show what hooks left, and nothing else.
for await (const step of await agent.stream(
  { messages: [new HumanMessage("Clean up, then read my notes.")] },
  { streamMode: "updates" },
)) {
  for (const update of Object.values(step as Record<string, { messages?: AIMessage[] } | null>)) {
    for (const message of update?.messages ?? []) {
      const calls = message.tool_calls?.map(({ name, args }) => `${name} ${JSON.stringify(args)}`);
      console.log(
        calls?.length ? `\nthe model calls ${calls.join(", ")}` : `${message.type}: ${message.text}`,
      );
    }
  }
}
