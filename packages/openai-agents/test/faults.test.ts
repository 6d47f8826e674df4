import { tool } from "@openai/agents";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { faults, noFault } from "../../../test/adapters/faults.ts";
import { type Answer, call, guarded, modes } from "./agent.ts";

const ran = vi.fn<() => void>();
const read = tool({
  name: "read",
  description: "reads",
  parameters: z.object({}),
  execute: async () => {
    ran();
    return "the secret result";
  },
});
const script: Answer[] = [[call("read", {})], "the secret answer"];

/** A fault at one seam: what must not have happened, or not be seen. */
const seams = [
  { event: "UserPromptSubmit", requests: 0, runs: 0 },
  { event: "PreModelRequest", requests: 0, runs: 0 },
  { event: "PostModelResponse", requests: 1, runs: 0 },
  { event: "PreToolUse", requests: 2, runs: 0 },
  { event: "PostToolUse", requests: 2, runs: 1 },
] as const;

describe.each(modes)("a fault in %s", (mode) => {
  describe.each(faults)("$name", ({ make }) => {
    test.each(seams)("at $event keeps the step from happening", async ({ event, requests, runs }) => {
      ran.mockClear();
      await using made = await make(event);
      const options = { warden: made.warden, timeoutMs: 60 };
      const { shown, model, text } = await guarded(mode, script, options, { tools: [read] });
      expect(ran.mock.calls.length).toBeLessThanOrEqual(runs);
      expect(model.requests.length).toBeLessThanOrEqual(requests);
      expect(shown + model.asked(1)).not.toContain("the secret result");
      if (event === "PostModelResponse") expect(shown + text).not.toMatch(/secret answer|"the s/);
    });
  });
});

test("without a fault the same run does all of it", async () => {
  ran.mockClear();
  await using made = await noFault();
  const { text, shown } = await guarded("stream", script, { warden: made.warden }, { tools: [read] });
  expect([text, ran.mock.calls.length]).toEqual(["the secret answer", 1]);
  expect(shown).toContain("the secret result");
});
