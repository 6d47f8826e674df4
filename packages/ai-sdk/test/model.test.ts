import { APICallError } from "ai";
import { describe, expect, test } from "vitest";
import { guard, type GuardOptions } from "../src/index.ts";
import { hook } from "../../../test/adapters/contract/adapter.ts";
import type { FakeHook } from "../../../test/support/fake-pack.ts";
import { fakeWarden } from "../../../test/support/fake-warden.ts";
import { type Answer, modes, run, type Ran, scripted } from "./agent.ts";

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
  test("set_params sets what it names, and the system prompt and messages keep their form", async () => {
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

  test("a failed request fails with the error of the model", async () => {
    const { error } = await agent(mode, [hook(["ModelRequestFailure"], () => null)], []);
    expect(String(error)).toContain("the script has no more answers");
    expect(APICallError.isInstance(error)).toBe(false);
  });
});

describe("chunks of a stream", () => {
  const redact = hook(["ModelResponseChunk"], ({ chunk }) =>
    typeof chunk === "string" && /sk-[a-z]{8}/.test(chunk)
      ? { action: "replace_chunk", chunk: chunk.replaceAll(/sk-[a-z]{8}/g, "[key]") }
      : null,
  );
  const pieces = ["the key is s", "k-abcd", "efgh, keep ", "it. ", "x".repeat(40), " and sk-zyxwvuts", "!"];

  test("a small hold lets text out before the end", async () => {
    const { shown } = await agent("stream", [redact], [pieces], { hold: 16 });
    expect(shown.match(/"type":"text-delta"/g)?.length).toBeGreaterThan(1);
  });

  test("without a hold, each chunk is judged by itself, as it came", async () => {
    const { text } = await agent("stream", [redact], [["a sk-abcdefgh", " b"]], { hold: 0 });
    expect(text).toBe("a [key] b");
  });
});
