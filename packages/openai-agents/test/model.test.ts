import { describe, expect, test } from "vitest";
import type { FakeHook } from "../../../test/support/fake-pack.ts";
import { fakeWarden } from "../../../test/support/fake-warden.ts";
import { type Answer, call, guarded, modes, run, says } from "./agent.ts";

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
  config: object = {},
): ReturnType<typeof guarded> {
  const { warden } = await fakeWarden(hooks);
  return guarded(mode, script, { warden, ...options }, config);
}

describe.each(modes)("a model in %s", (mode) => {
  test.each(["block", "halt"])("PreModelRequest %s: the request is not made", async (action) => {
    const { model, text, error } = await agent(
      mode,
      [hook(["PreModelRequest"], () => ({ action, reason: "no budget" }))],
      ["never"],
    );
    expect([model.requests.length, error]).toEqual([0, null]);
    expect(text).toMatch(/third-party text of hook "guard"]\n\| no budget/);
  });

  test("the request is rewritten: input, instructions, parameters, added context", async () => {
    const { model, error } = await agent(
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
      { instructions: "be kind", modelSettings: { maxTokens: 9 } },
    );
    expect(error).toBeNull();
    expect(model.asked(0)).toMatch(/be kind, and short.*was 1.*\| one more.*\| it rains/);
    expect(model.requests[0]?.modelSettings).toMatchObject({ temperature: 0.25, maxTokens: 9 });
    expect(model.asked(0)).not.toContain("my prompt");
  });

  test("a parameter that hooks may not set ends the request", async () => {
    const { model, error } = await agent(
      mode,
      [hook(["PreModelRequest"], () => ({ action: "set_params", params: { providerData: {} } }))],
      ["never"],
    );
    expect(model.requests).toHaveLength(0);
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
    const clean = (value: unknown): unknown =>
      JSON.parse(JSON.stringify(value).replaceAll("the old secret", "clean"));
    const { text, shown } = await agent(
      mode,
      [
        hook(["PostModelResponse"], ({ message }) => ({
          action: "replace_response",
          message: clean(message),
        })),
      ],
      ["the old secret"],
    );
    expect(text).toBe("clean");
    expect(shown).not.toMatch(/secret|"the o|ld se/);
    const open = await agent(mode, [], ["the old secret"]);
    expect(open.shown).toContain(mode === "stream" ? '"delta":"the o"' : "the old secret");
  });

  test("PostModelResponse block: the answer is withheld, and its calls with it", async () => {
    const { text, shown, model } = await agent(
      mode,
      [hook(["PostModelResponse"], () => ({ action: "block", reason: "rude" }))],
      [[says("the secret"), call("ghost", {})]],
    );
    expect(text).toContain("| rude");
    expect(shown).not.toMatch(/secret|ghost/);
    expect(model.requests).toHaveLength(1);
  });

  test("PostModelResponse retry: the model answers again, knowing why; the first answer is never seen", async () => {
    const { text, shown, model } = await agent(
      mode,
      [
        hook(["PostModelResponse"], ({ message }) =>
          JSON.stringify(message).includes("rude") ? { action: "retry", feedback: "be kind" } : null,
        ),
      ],
      ["rude answer", "kind answer"],
    );
    expect(text).toBe("kind answer");
    expect(shown).not.toMatch(/rude|ude a/);
    expect(model.asked(1)).toMatch(/rude answer.*\| be kind/);
  });

  test("Stop retry: the agent goes on once with the feedback", async () => {
    const { model, text } = await agent(
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
  });

  test("UserPromptSubmit: a prompt is rewritten, in later turns too, or not sent", async () => {
    const { model, agent: made } = await agent(
      mode,
      [
        hook(["UserPromptSubmit"], ({ prompt }) => [
          { action: "transform", prompt: prompt.replace("my", "your") },
          { action: "add_context", text: "a Monday" },
        ]),
      ],
      ["done", "again"],
    );
    expect(model.asked(0)).toMatch(/your prompt.*\| a Monday/);
    expect(model.asked(0)).not.toContain("my prompt");
    const later = [
      { role: "user", content: "my prompt" },
      { role: "assistant", status: "completed", content: [{ type: "output_text", text: "done" }] },
      { role: "user", content: "go on" },
    ];
    await run(mode, made, later as never);
    expect(model.asked(1)).toContain("your prompt");
    expect(model.asked(1)).not.toContain("my prompt");
    const blocked = await agent(
      mode,
      [hook(["UserPromptSubmit"], () => ({ action: "block", reason: "a key" }))],
      ["never"],
    );
    expect([blocked.model.requests.length, blocked.error]).toEqual([0, null]);
    expect(blocked.text).toContain("| a key");
  });

  test("a failed request is reported, and fails as without a guard", async () => {
    const events: unknown[] = [];
    const { error } = await agent(
      mode,
      [hook(["ModelRequestFailure"], (event) => void events.push(event.error))],
      [],
    );
    expect(String(error)).toContain("no more answers");
    expect(events).toEqual(["the script has no more answers"]);
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

describe("chunks of a stream", () => {
  const redact = hook(["ModelResponseChunk"], ({ chunk }) =>
    typeof chunk === "string" && /sk-[a-z]{8}/.test(chunk)
      ? { action: "replace_chunk", chunk: chunk.replaceAll(/sk-[a-z]{8}/g, "[key]") }
      : null,
  );

  test.each([16, 256])(
    "a secret that is split over chunks is caught while %i characters are held",
    async (hold) => {
      const said = `a key sk-abcdefgh, ${"x".repeat(40)}, sk-zyxwvuts!`;
      const { text, shown } = await agent("stream", [redact], [said], { hold });
      expect(text).toBe(`a key [key], ${"x".repeat(40)}, [key]!`);
      expect(shown).not.toMatch(/sk-|abcd|defgh|zyxw/);
    },
  );

  test("a chunk that is dropped is not seen, in pieces or in the whole", async () => {
    const { text, shown } = await agent(
      "stream",
      [
        hook(["ModelResponseChunk"], ({ chunk }) =>
          `${chunk}`.includes("bad") ? { action: "drop_chunk" } : null,
        ),
      ],
      ["good bad.. end"],
      { hold: 0 },
    );
    // The whole text comes once more at the end, in one piece.
    expect(text).toBe("");
    expect(shown).toContain("good ");
    expect(shown).not.toContain("bad");
  });
});
