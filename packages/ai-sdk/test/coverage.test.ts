import * as ai from "ai";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { guard } from "../src/index.ts";
import { fakeWarden } from "../../../test/support/fake-warden.ts";
import { filesWith, notListed } from "../../../test/adapters/page.ts";
import { call, modes, run, scripted, sent } from "./agent.ts";

/**
 * Exports whose names speak of running or streaming agents and tools, and that do neither: they hold, shape or check
 * data, or are about speech, pictures and files. A name that is neither here nor on the page fails the test.
 */
const others = new RegExp(
  [
    "Error$",
    "^(Default|JsonToSse|TextStreamChat|AbstractChat|UI_)",
    "^(consume|createTextStream|createUIMessage|pipeText|pipeUI|prune|read|simulate|smooth|to[TU]|parse)",
    "^(is|has|get|detect|fingerprint|last)[A-Z]",
    "Middleware$",
    "^(experimental_)?(filterActiveTools|generate(Id|Image|Speech|Video)|stream(Speech|Transcribe|Translate))$",
    "^experimental_(cancel|get|list)Batch",
    "^experimental_(decode|encode)RealtimeAudio$",
    "^toolModelMessageSchema$",
  ].join("|"),
);

describe("every way to run a tool of the package", () => {
  test("stands on the page, as covered or as not", () => {
    const names = Object.keys(ai).filter(
      (name) => /generate|stream|agent|tool|realtime|batch|decide|extract/i.test(name) && !others.test(name),
    );
    expect(names.length).toBeGreaterThan(15);
    expect(notListed("ai-sdk.md", names)).toEqual([]);
  });

  test("goes through the places of the package that are known", () => {
    // A new file here is a new way for a tool to run.
    expect(filesWith("ai/src", ".ts", /\bexecuteTool(Call)?\(|\.execute\(|executeToolsFromStream\(/)).toEqual(
      [
        "generate-text/execute-tool-call.ts",
        "generate-text/execute-tools-from-stream.ts",
        "generate-text/generate-text.ts",
        "generate-text/stream-text.ts",
        "realtime/realtime-session.ts",
      ],
    );
  });
});

describe.each(modes)("ways that need a second look, in %s", (mode) => {
  test("a local caller, and the tools that it calls, are judged", async () => {
    const ran = vi.fn<() => void>();
    const seen: unknown[] = [];
    const { warden } = await fakeWarden([
      {
        name: "guard",
        on: ["PreToolUse"],
        run: ({ tool_name, tool_input }) => {
          seen.push(tool_name);
          return tool_name === "inner" && tool_input.path === "evil"
            ? { action: "deny", reason: "no" }
            : null;
        },
      },
    ]);
    const inner = ai.tool({
      inputSchema: z.object({ path: z.string() }),
      execute: async () => (ran(), "inner ran"),
    });
    const caller = ai.experimental_toolCaller(
      ai.tool({ inputSchema: z.object({ code: z.string() }), execute: async () => "unbound" }),
      {
        type: "local",
        bind: (tools) =>
          ai.tool({
            inputSchema: z.object({ code: z.string() }),
            execute: async ({ code }, options) => {
              const execute = tools.inner?.execute as (input: object, options: object) => Promise<string>;
              return execute({ path: code }, options).catch((error: Error) => `caught ${error.message}`);
            },
          }) as never,
      },
    );
    const model = scripted([[call("caller", { code: "evil" })], "done"]);
    const { settings } = guard({ warden, model, tools: { inner, caller } });
    await run(mode, settings as never, "go", { experimental_toolCallers: { inner: ["caller"] } });
    expect(seen).toEqual(["caller", "inner"]);
    expect(ran).not.toHaveBeenCalled();
    expect(sent(model, 1)).toContain("| no");
  });

  test("a search for tools is asked about, and the tools that it finds are judged", async () => {
    const ran = vi.fn<() => void>();
    const { warden } = await fakeWarden([
      {
        name: "guard",
        on: ["PreToolUse"],
        run: ({ tool_name }) => (tool_name === "hidden" ? { action: "deny", reason: "no" } : null),
      },
    ]);
    const hidden = ai.tool({
      description: "a hidden tool",
      deferLoading: true,
      inputSchema: z.object({}),
      execute: async () => (ran(), "hidden ran"),
    });
    const model = scripted([[call("search", { query: "hidden" })], [call("hidden", {})], "done"]);
    const { settings } = guard({ warden, model, tools: { hidden, search: ai.toolSearch() } });
    const { text } = await run(mode, settings as never, "go");
    expect(sent(model, 1)).toContain("a hidden tool");
    expect([text, ran.mock.calls.length]).toEqual(["done", 0]);
  });
});
