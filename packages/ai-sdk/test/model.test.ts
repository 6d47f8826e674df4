import { APICallError } from "ai";
import { describe, expect, test } from "vitest";
import { guard, type GuardOptions } from "../src/index.ts";
import type { FakeHook } from "../../../test/support/fake-pack.ts";
import { fakeWarden } from "../../../test/support/fake-warden.ts";
import { type Answer, modes, run, type Ran, scripted, sent } from "./agent.ts";

const hook = (on: FakeHook["on"], does: FakeHook["run"]): FakeHook => ({
  name: "guard",
  ...(on ? { on } : {}),
  run: does,
});

async function agent(
  mode: (typeof modes)[number],
  hooks: readonly FakeHook[],
  script: readonly Answer[],
  options: Partial<GuardOptions<any>> = {},
  more: object = {},
): Promise<Ran & { model: ReturnType<typeof scripted>; requests: number }> {
  const { warden } = await fakeWarden(hooks);
  const model = scripted(script);
  const { settings } = guard({ warden, model, ...options });
  const ran = await run(mode, settings as never, "my prompt", more);
  return { ...ran, model, requests: model.doGenerateCalls.length + model.doStreamCalls.length };
}

describe.each(modes)("a model in %s", (mode) => {
  test.each(["block", "halt"])("PreModelRequest %s: the request is not made", async (action) => {
    const { requests, text, error } = await agent(
      mode,
      [hook(["PreModelRequest"], () => ({ action, reason: "no budget" }))],
      ["never"],
    );
    expect([requests, error]).toEqual([0, null]);
    expect(text).toMatch(/third-party text of hook "guard"]\n\| no budget/);
  });

  test("the request is rewritten: messages, system prompt, parameters, added context", async () => {
    const { model } = await agent(
      mode,
      [
        hook(["PreModelRequest"], (event) => [
          {
            action: "replace_messages",
            messages: [{ role: "user", content: `was ${event.messages.length}` }],
          },
          { action: "replace_system", system: `${event.system}, and short` },
          { action: "set_params", params: { ...event.params, temperature: 0.25 } },
          { action: "add_context", text: "it rains" },
          { action: "inject", messages: [{ role: "user", content: "one more" }] },
        ]),
      ],
      ["done"],
      {},
      { instructions: "be kind", maxOutputTokens: 9 },
    );
    const call = [...model.doGenerateCalls, ...model.doStreamCalls][0];
    expect(call?.prompt[0]).toMatchObject({ role: "system", content: "be kind, and short" });
    expect(call?.prompt[1]).toMatchObject({ role: "user", content: [{ type: "text", text: "was 1" }] });
    expect([call?.temperature, call?.maxOutputTokens]).toEqual([0.25, 9]);
    expect(sent(model, 0)).toMatch(/\| one more.*\| it rains/);
    expect(sent(model, 0)).not.toContain("my prompt");
  });

  // A parameter is a way to the provider: headers hold keys, and provider options can turn on its own tools.
  test.each(["headers", "providerOptions", "tools"])("a hook that sets %s ends the request", async (name) => {
    const { requests, error } = await agent(
      mode,
      [hook(["PreModelRequest"], () => ({ action: "set_params", params: { [name]: {} } }))],
      ["never"],
    );
    expect(requests).toBe(0);
    expect(String(error)).toContain("may not set");
  });

  test("PreModelRequest retry: the step is done again with the feedback, a bounded number of times", async () => {
    let asked = 0;
    const once = await agent(
      mode,
      [hook(["PreModelRequest"], () => (asked++ === 0 ? { action: "retry", feedback: "be brief" } : null))],
      ["done"],
    );
    expect(sent(once.model, 0)).toContain("| be brief");
    const always = await agent(
      mode,
      [hook(["PreModelRequest"], () => ({ action: "retry", feedback: "again" }))],
      ["done"],
    );
    expect(always.requests).toBeLessThanOrEqual(1);
  });

  test("PostModelResponse replace_response: the old answer is never shown", async () => {
    const { text, shown } = await agent(
      mode,
      [
        hook(["PostModelResponse"], ({ message }) => ({
          action: "replace_response",
          message: { ...message, content: message.content.map((part: any) => ({ ...part, text: "clean" })) },
        })),
      ],
      ["the secret"],
    );
    expect(text).toBe("clean");
    expect(shown).not.toContain("secret");
  });

  test("PostModelResponse block: the answer is withheld", async () => {
    const { text, shown } = await agent(
      mode,
      [hook(["PostModelResponse"], () => ({ action: "block", reason: "rude" }))],
      ["the secret"],
    );
    expect(text).toContain("| rude");
    expect(shown).not.toContain("secret");
  });

  test("PostModelResponse retry: the model answers again, knowing why; the first answer is never seen", async () => {
    const { text, shown, model, requests } = await agent(
      mode,
      [
        hook(["PostModelResponse"], ({ message }) =>
          JSON.stringify(message).includes("rude") ? { action: "retry", feedback: "be kind" } : null,
        ),
      ],
      ["rude answer", "kind answer"],
    );
    expect([text, requests]).toEqual(["kind answer", 2]);
    expect(shown).not.toContain("rude");
    expect(sent(model, 1)).toMatch(/rude answer.*\| be kind/);
  });

  test("a replacement that is no answer ends in an error, and shows nothing", async () => {
    const { shown, error } = await agent(
      mode,
      [
        hook(["PostModelResponse"], () => ({
          action: "replace_response",
          message: {
            content: [
              { type: "tool-call", toolCallId: "x", toolName: "y", input: {}, providerExecuted: true },
            ],
          },
        })),
      ],
      ["the secret"],
    );
    expect(error).not.toBeNull();
    expect(shown).not.toContain("the secret");
  });

  test("Stop retry: the agent goes on once with the feedback", async () => {
    const { model, requests, shown } = await agent(
      mode,
      [
        hook(["Stop"], ({ stop_hook_active }) =>
          stop_hook_active ? null : { action: "retry", feedback: "run the tests" },
        ),
      ],
      ["all done", "tests pass"],
    );
    expect(requests).toBe(2);
    expect(sent(model, 1)).toMatch(/all done.*\| run the tests/);
    expect(shown).toContain("tests pass");
  });

  test("UserPromptSubmit: a prompt is rewritten, for good, or not sent", async () => {
    const rewritten = await agent(
      mode,
      [
        hook(["UserPromptSubmit"], ({ prompt }) => [
          { action: "transform", prompt: prompt.replace("my", "your") },
          { action: "add_context", text: "a Monday" },
        ]),
      ],
      ["done"],
    );
    expect(sent(rewritten.model, 0)).toMatch(/your prompt.*\| a Monday/);
    expect(sent(rewritten.model, 0)).not.toContain("my prompt");
    const blocked = await agent(
      mode,
      [hook(["UserPromptSubmit"], () => ({ action: "block", reason: "a key" }))],
      ["never"],
    );
    expect([blocked.requests, blocked.error]).toEqual([0, null]);
    expect(blocked.text).toContain("| a key");
  });

  // The host keeps the conversation as it was written, and sends it again with each turn.
  test("what was rewritten or blocked in a prompt stays so in later turns", async () => {
    const { warden } = await fakeWarden([
      hook(["UserPromptSubmit"], ({ prompt }) =>
        prompt.includes("key") ? { action: "transform", prompt: "[removed]" } : null,
      ),
    ]);
    const model = scripted(["one", "two"]);
    const { settings } = guard({ warden, model });
    await run(mode, settings as never, [{ role: "user", content: "key 123" }]);
    await run(mode, settings as never, [
      { role: "user", content: "key 123" },
      { role: "assistant", content: "one" },
      { role: "user", content: "go on" },
    ]);
    expect(sent(model, 0) + sent(model, 1)).not.toContain("123");
    expect(sent(model, 1)).toContain("[removed]");
  });

  test("a failed request is reported, and fails as without a guard", async () => {
    const events: unknown[] = [];
    const { warden } = await fakeWarden([
      hook(["ModelRequestFailure"], (event) => void events.push(event.error)),
    ]);
    const model = scripted([]);
    const { settings } = guard({ warden, model });
    const { error } = await run(mode, settings as never, "go");
    expect(String(error)).toContain("the script has no more answers");
    expect(events).toEqual(["the script has no more answers"]);
    expect(APICallError.isInstance(error)).toBe(false);
  });

  test("notes for the person reach the person, and not the model", async () => {
    const notices: string[] = [];
    const { model } = await agent(
      mode,
      [hook(["PreModelRequest"], () => ({ action: "notify", text: "psst" }))],
      ["done"],
      { onNotice: ({ text }) => void notices.push(text) },
    );
    expect(notices).toEqual(["psst"]);
    expect(sent(model, 0)).not.toContain("psst");
  });
});

describe("chunks of a stream", () => {
  const redact = hook(["ModelResponseChunk"], ({ chunk }) =>
    typeof chunk === "string" && /sk-[a-z]{8}/.test(chunk)
      ? { action: "replace_chunk", chunk: chunk.replaceAll(/sk-[a-z]{8}/g, "[key]") }
      : null,
  );
  const pieces = ["the key is s", "k-abcd", "efgh, keep ", "it. ", "x".repeat(40), " and sk-zyxwvuts", "!"];
  const clean = `the key is [key], keep it. ${"x".repeat(40)} and [key]!`;

  test.each([16, 256])(
    "a secret that is split over chunks is caught while %i characters are held",
    async (hold) => {
      const { text, shown } = await agent("stream", [redact], [pieces], { hold });
      expect(text).toBe(clean);
      expect(shown).not.toMatch(/abcd|efgh|zyxw/);
    },
  );

  test("a small hold lets text out before the end", async () => {
    const { shown } = await agent("stream", [redact], [pieces], { hold: 16 });
    expect(shown.match(/"type":"text-delta"/g)?.length).toBeGreaterThan(1);
  });

  test("without a hold, each chunk is judged by itself, as it came", async () => {
    const { text } = await agent("stream", [redact], [["a sk-abcdefgh", " b"]], { hold: 0 });
    expect(text).toBe("a [key] b");
  });

  test("a chunk that is dropped is not seen", async () => {
    const { text, shown } = await agent(
      "stream",
      [
        hook(["ModelResponseChunk"], ({ chunk }) =>
          `${chunk}`.includes("bad") ? { action: "drop_chunk" } : null,
        ),
      ],
      [["good ", "bad ", "end"]],
      { hold: 0 },
    );
    expect(text).toBe("good end");
    expect(shown).not.toContain("bad");
  });

  test("a hook that fails on a chunk drops it", async () => {
    const { text } = await agent(
      "stream",
      [
        hook(["ModelResponseChunk"], ({ chunk }) => {
          if (`${chunk}`.includes("boom")) throw new Error("oops");
        }),
      ],
      [["a ", "boom ", "b"]],
      { hold: 0 },
    );
    expect(text).toBe("a b");
  });
});
