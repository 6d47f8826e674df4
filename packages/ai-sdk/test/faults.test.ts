import { tool } from "ai";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { guard } from "../src/index.ts";
import { faults, noFault } from "../../../test/adapters/faults.ts";
import { call, modes, run, scripted } from "./agent.ts";

const ran = vi.fn<() => void>();
const tools = {
  read: tool({
    inputSchema: z.object({}),
    execute: () => {
      ran();
      return "the secret result";
    },
  }),
};

/** A fault at one seam: what must not have happened, or not be seen. */
const seams = [
  { event: "UserPromptSubmit", requests: 0, runs: 0 },
  { event: "PreModelRequest", requests: 0, runs: 0 },
  { event: "PostModelResponse", requests: 1, runs: 0 },
  { event: "PreToolUse", requests: null, runs: 0 },
  { event: "PostToolUse", requests: null, runs: 1 },
] as const;

describe.each(modes)("a fault in %s", (mode) => {
  describe.each(faults)("$name", ({ make }) => {
    test.each(seams)("at $event keeps the step from happening", async ({ event, requests, runs }) => {
      ran.mockClear();
      await using made = await make(event);
      const model = scripted([[call("read", {})], "the secret answer"]);
      const { settings } = guard({ warden: made.warden, model, tools, timeoutMs: 60 });
      const { shown, text } = await run(mode, settings as never, "go");
      expect(ran.mock.calls.length).toBeLessThanOrEqual(runs);
      const asked = [...model.doGenerateCalls, ...model.doStreamCalls];
      if (requests !== null) expect(asked.length).toBeLessThanOrEqual(requests);
      expect(JSON.stringify(asked.map(({ prompt }) => prompt)) + shown).not.toContain("the secret result");
      if (event === "PostModelResponse") expect(shown + text).not.toContain("the secret answer");
    });
  });
});

test("without a fault the same run does all of it", async () => {
  ran.mockClear();
  await using made = await noFault();
  const model = scripted([[call("read", {})], "the secret answer"]);
  const { settings } = guard({ warden: made.warden, model, tools });
  const { text } = await run("generate", settings as never, "go");
  expect([text, ran.mock.calls.length]).toEqual(["the secret answer", 1]);
});
