import { generateText, isStepCount, streamText, tool, ToolLoopAgent } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { expectTypeOf, test } from "vitest";
import { z } from "zod";
import { guard } from "../src/index.ts";
import type { Warden } from "hookwarden/warden";

declare const warden: Warden;
const model = new MockLanguageModelV4();
const tools = {
  read: tool({
    inputSchema: z.object({ path: z.string() }),
    execute: async ({ path }) => ({ path, size: 1 }),
  }),
  plain: tool({ inputSchema: z.object({}), execute: () => "text" }),
};

test("settings are taken as they are", async () => {
  const { settings } = guard({ warden, model, tools });
  const result = await generateText({ ...settings, prompt: "go", stopWhen: isStepCount(3) });
  expectTypeOf(result.text).toBeString();
  expectTypeOf(streamText({ ...settings, prompt: "go" }).text).resolves.toBeString();
  expectTypeOf(new ToolLoopAgent({ ...settings, stopWhen: isStepCount(3) }).tools.read).toEqualTypeOf<
    typeof tools.read
  >();
});

test("a guard without tools is one, too", async () => {
  const { settings } = guard({ warden, model });
  expectTypeOf((await generateText({ ...settings, prompt: "go" })).text).toBeString();
});
