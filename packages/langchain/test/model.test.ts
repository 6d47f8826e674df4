import { AIMessage } from "@langchain/core/messages";
import { tool, toolStrategy } from "langchain";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { hook } from "../../../test/adapters/contract/adapter.ts";
import type { FakeHook } from "../../../test/support/fake-pack.ts";
import { fakeWarden } from "../../../test/support/fake-warden.ts";
import { type Answer, call, modes, run, type Ran } from "./agent.ts";

async function agent(
  mode: (typeof modes)[number],
  hooks: readonly FakeHook[],
  script: readonly Answer[],
  options: object = {},
  more: Parameters<typeof run>[3] = {},
): Promise<Ran> {
  const { warden } = await fakeWarden(hooks);
  return run(mode, script, { warden, ...options }, more);
}

describe.each(modes)("a model in %s", (mode) => {
  test("Stop retry: the conversation keeps the feedback", async () => {
    const { messages } = await agent(
      mode,
      [
        hook(["Stop"], ({ stop_hook_active }) =>
          stop_hook_active ? null : { action: "retry", feedback: "run the tests" },
        ),
      ],
      ["all done", "tests pass"],
    );
    expect(messages).toHaveLength(4);
  });

  test("UserPromptSubmit: a prompt is rewritten in the conversation itself, or not in it", async () => {
    const { messages } = await agent(
      mode,
      [
        hook(["UserPromptSubmit"], ({ prompt }) => ({
          action: "transform",
          prompt: prompt.replace("my", "your"),
        })),
      ],
      ["done"],
    );
    expect(JSON.stringify(messages)).not.toContain("my prompt");
    const blocked = await agent(
      mode,
      [hook(["UserPromptSubmit"], () => ({ action: "block", reason: "a key" }))],
      ["never"],
    );
    expect(JSON.stringify(blocked.messages)).not.toContain("my prompt");
  });

  test("an answer that is a tool call in name only is judged as an answer", async () => {
    const schema = z.object({ city: z.string() });
    const script = [new AIMessage({ content: "", tool_calls: [call("extract", { city: "secret" }, "x")] })];
    const format = { responseFormat: toolStrategy(Object.assign(schema, { title: "extract" })) };
    const { shown } = await agent(
      mode,
      [
        hook(["PostModelResponse"], ({ message }) => ({
          action: "replace_response",
          message: JSON.parse(JSON.stringify(message).replaceAll("secret", "clean")),
        })),
      ],
      script,
      {},
      format,
    );
    expect(shown).not.toContain("secret");
  });
});

describe.each(["stream", "streamEvents"] as const)("chunks in %s", (mode) => {
  test("a tool call is judged whole, and runs as judged", async () => {
    const seen: unknown[] = [];
    const read = tool(async (input: { path: string }) => void seen.push(input.path), {
      name: "read",
      description: "reads",
      schema: z.object({ path: z.string() }),
    });
    const { text } = await agent(
      mode,
      [
        hook(["ModelResponseChunk"], ({ chunk }) =>
          chunk.type === "tool_call"
            ? { action: "replace_chunk", chunk: { ...chunk, args: '{"path":"b"}' } }
            : null,
        ),
      ],
      [new AIMessage({ content: "", tool_calls: [call("read", { path: "a" })] }), "done"],
      {},
      { tools: [read] },
    );
    // Other ways to run do not stream, and have no chunks.
    expect([text, seen]).toEqual(["done", ["b"]]);
  });
});
