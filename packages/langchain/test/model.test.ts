import { AIMessage } from "@langchain/core/messages";
import { tool, toolStrategy } from "langchain";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { FakeHook } from "../../../test/support/fake-pack.ts";
import { fakeWarden } from "../../../test/support/fake-warden.ts";
import { type Answer, call, modes, run, type Ran } from "./agent.ts";

const hook = (on: FakeHook["on"], does: FakeHook["run"]): FakeHook => ({
  name: "guard",
  ...(on ? { on } : {}),
  run: does,
});

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
  test.each(["block", "halt"])("PreModelRequest %s: the request is not made", async (action) => {
    const { model, text, error } = await agent(
      mode,
      [hook(["PreModelRequest"], () => ({ action, reason: "no budget" }))],
      ["never"],
    );
    expect([model.calls.length, error]).toEqual([0, null]);
    expect(text).toMatch(/third-party text of hook "guard"]\n\| no budget/);
  });

  test("the request is rewritten: messages, system prompt, added context", async () => {
    const { model, error } = await agent(
      mode,
      [
        hook(["PreModelRequest"], (event) => [
          {
            action: "replace_messages",
            messages: [{ role: "user", content: `was ${event.messages.length}` }],
          },
          { action: "replace_system", system: `${event.system}, and short` },
          { action: "add_context", text: "it rains" },
          { action: "inject", messages: [{ role: "user", content: "one more" }] },
        ]),
      ],
      ["done"],
      {},
      { systemPrompt: "be kind" },
    );
    expect(error).toBeNull();
    expect(model.asked(0)).toMatch(/be kind, and short.*was 1.*\| one more.*\| it rains/);
    expect(model.asked(0)).not.toContain("my prompt");
  });

  test("a parameter that hooks may not set ends the request", async () => {
    const { model, error } = await agent(
      mode,
      [hook(["PreModelRequest"], () => ({ action: "set_params", params: { headers: { "x-key": "1" } } }))],
      ["never"],
    );
    expect(model.calls).toHaveLength(0);
    expect(String(error)).toContain("may not set");
  });

  test("PreModelRequest retry: the step is done again with the feedback", async () => {
    let asked = 0;
    const { model } = await agent(
      mode,
      [hook(["PreModelRequest"], () => (asked++ === 0 ? { action: "retry", feedback: "be brief" } : null))],
      ["done"],
    );
    expect(model.asked(0)).toContain("| be brief");
  });

  test("PostModelResponse replace_response: the old answer is never streamed", async () => {
    const { text, shown } = await agent(
      mode,
      [
        hook(["PostModelResponse"], ({ message }) => ({
          action: "replace_response",
          message: { ...message, content: "clean" },
        })),
      ],
      ["the old secret"],
    );
    expect(text).toBe("clean");
    expect(shown).not.toMatch(/secret|the old|ld se/);
    const open = await agent(mode, [], ["the old secret"]);
    if (mode === "stream") expect(open.shown).toContain('"content":"the o"');
  });

  test("PostModelResponse block: the answer is withheld, and its calls with it", async () => {
    const { text, shown, model } = await agent(
      mode,
      [hook(["PostModelResponse"], () => ({ action: "block", reason: "rude" }))],
      [new AIMessage({ content: "the secret", tool_calls: [call("ghost", {})] }), "never"],
    );
    expect(text).toContain("| rude");
    expect(shown).not.toMatch(/secret|ghost/);
    expect(model.calls).toHaveLength(1);
  });

  test("PostModelResponse retry: the model answers again, knowing why; the first answer is never seen", async () => {
    const { text, shown, model } = await agent(
      mode,
      [
        hook(["PostModelResponse"], ({ message }) =>
          message.content.includes("rude") ? { action: "retry", feedback: "be kind" } : null,
        ),
      ],
      ["rude answer", "kind answer"],
    );
    expect(text).toBe("kind answer");
    expect(shown).not.toMatch(/rude|ude a/);
    expect(model.asked(1)).toMatch(/rude answer.*\| be kind/);
  });

  test("Stop retry: the agent goes on once with the feedback, which the conversation keeps", async () => {
    const { model, text, messages } = await agent(
      mode,
      [
        hook(["Stop"], ({ stop_hook_active }) =>
          stop_hook_active ? null : { action: "retry", feedback: "run the tests" },
        ),
      ],
      ["all done", "tests pass"],
    );
    expect(text).toBe("tests pass");
    expect(model.asked(1)).toMatch(/all done.*\| run the tests/);
    expect(messages).toHaveLength(4);
  });

  test("UserPromptSubmit: a prompt is rewritten in the conversation itself, or not sent", async () => {
    const { model, messages } = await agent(
      mode,
      [
        hook(["UserPromptSubmit"], ({ prompt }) => [
          { action: "transform", prompt: prompt.replace("my", "your") },
          { action: "add_context", text: "a Monday" },
        ]),
      ],
      ["done"],
    );
    expect(model.asked(0)).toMatch(/your prompt.*\| a Monday/);
    expect(JSON.stringify(messages)).not.toContain("my prompt");
    const blocked = await agent(
      mode,
      [hook(["UserPromptSubmit"], () => ({ action: "block", reason: "a key" }))],
      ["never"],
    );
    expect([blocked.model.calls.length, blocked.error]).toEqual([0, null]);
    expect(blocked.text).toContain("| a key");
    expect(JSON.stringify(blocked.messages)).not.toContain("my prompt");
  });

  test("a failed request is reported, and fails as without a guard", async () => {
    const events: unknown[] = [];
    const { error } = await agent(
      mode,
      [hook(["ModelRequestFailure"], (event) => void events.push(event.error))],
      [],
    );
    expect(String(error)).toContain("no response queued");
    expect(events).toHaveLength(1);
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

  test("notes for the person reach the person, and not the model", async () => {
    const notices: string[] = [];
    const { model } = await agent(
      mode,
      [hook(["PreModelRequest"], () => ({ action: "notify", text: "psst" }))],
      ["done"],
      { onNotice: ({ text }: { text: string }) => void notices.push(text) },
    );
    expect(notices).toEqual(["psst"]);
    expect(model.asked(0)).not.toContain("psst");
  });
});

describe.each(["stream", "streamEvents"] as const)("chunks in %s", (mode) => {
  const redact = hook(["ModelResponseChunk"], ({ chunk }) =>
    typeof chunk === "string" && /sk-[a-z]{8}/.test(chunk)
      ? { action: "replace_chunk", chunk: chunk.replaceAll(/sk-[a-z]{8}/g, "[key]") }
      : null,
  );

  test.each([16, 256])(
    "a secret that is split over chunks is caught while %i characters are held",
    async (hold) => {
      const { text, shown } = await agent(
        mode,
        [redact],
        [`a key sk-abcdefgh, ${"x".repeat(40)}, sk-zyxwvuts!`],
        { hold },
      );
      expect(text).toBe(`a key [key], ${"x".repeat(40)}, [key]!`);
      // Ids of runs are random hexadecimal digits, in which `abcd` is found now and then.
      const withoutIds = shown.replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "");
      expect(withoutIds).not.toMatch(/sk-|abcd|defgh|zyxw/);
    },
  );

  test("a chunk that is dropped is not seen", async () => {
    // No letters that an id, which is hexadecimal, could have.
    const { text, shown } = await agent(
      mode,
      [
        hook(["ModelResponseChunk"], ({ chunk }) =>
          `${chunk}`.includes("zzz") ? { action: "drop_chunk" } : null,
        ),
      ],
      ["good zzz.. end"],
      { hold: 0 },
    );
    expect(text).toBe("good  end");
    expect(shown).not.toContain("zzz");
  });

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
