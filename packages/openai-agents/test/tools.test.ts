import {
  Agent,
  applyPatchTool,
  computerTool,
  type MCPServer,
  shellTool,
  tool,
  webSearchTool,
} from "@openai/agents";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { guardAgent } from "../src/index.ts";
import { hook } from "../../../test/adapters/contract/adapter.ts";
import type { FakeHook } from "../../../test/support/fake-pack.ts";
import { fakeWarden } from "../../../test/support/fake-warden.ts";
import { type Answer, call, guarded, modes, run, says, ScriptedModel } from "./agent.ts";

const ran = vi.fn<(input: unknown) => void>();
const parameters = z.object({ path: z.string() });
const read = tool({
  name: "read",
  description: "reads",
  parameters,
  execute: async (input) => {
    ran(input);
    return `secret of ${input.path}`;
  },
});
const answers: readonly Answer[] = [[call("read", { path: "a" })], "done"];

async function agent(
  mode: (typeof modes)[number],
  hooks: readonly FakeHook[],
  tools: readonly unknown[] = [read],
  script: readonly Answer[] = answers,
  options: object = {},
  config: object = {},
): ReturnType<typeof guarded> {
  ran.mockClear();
  const { warden } = await fakeWarden(hooks);
  return guarded(mode, script, { warden, ...options }, { tools: tools as never, ...config });
}

describe.each(modes)("a function tool in %s", (mode) => {
  test("an error that the tool turns into a text is a result; one that it throws is a failure", async () => {
    const fails = (errorFunction?: null): unknown =>
      tool({
        name: "read",
        description: "reads",
        parameters,
        ...(errorFunction === null ? { errorFunction } : {}),
        execute: async (): Promise<string> => {
          throw new Error("password is hunter2");
        },
      });
    const redact = [hook(["PostToolUse"], () => ({ action: "replace_result", result: "it failed" }))];
    const failed = await agent(mode, redact, [fails()]);
    expect(failed.shown + failed.model.asked(1)).not.toContain("hunter2");
    const seen: unknown[] = [];
    const thrown = await agent(
      mode,
      [
        hook(["PostToolUseFailure"], ({ error }) => {
          seen.push(error);
          return { action: "replace_error", error: "it failed" };
        }),
      ],
      [fails(null)],
    );
    expect(seen).toEqual(["password is hunter2"]);
    expect(String(thrown.error)).toContain("it failed");
    expect(String(thrown.error)).not.toContain("hunter2");
  });

  test("a person is never asked about another input than the one that runs", async () => {
    const { model } = await agent(mode, [
      hook(["PreToolUse"], () => [
        { action: "modify_input", input: { path: "b" } },
        { action: "ask", reason: "sure" },
      ]),
    ]);
    expect(ran).not.toHaveBeenCalled();
    expect(model.asked(1)).toContain("asked to approve a different one");
  });

  test("allow spares the person; a tool's own needsApproval holds else", async () => {
    const careful = tool({
      name: "read",
      description: "reads",
      parameters,
      needsApproval: true,
      execute: async (input) => ran(input),
    });
    const asked = await agent(mode, [], [careful]);
    expect(asked.state?.getInterruptions()).toHaveLength(1);
    await agent(mode, [hook(["PreToolUse"], () => ({ action: "allow" }))], [careful]);
    expect(ran).toHaveBeenCalledOnce();
    await agent(mode, [hook(["PermissionRequest"], () => ({ action: "allow" }))], [careful]);
    expect(ran).toHaveBeenCalledOnce();
    await agent(mode, [hook(["PermissionRequest"], () => ({ action: "deny", reason: "no" }))], [careful]);
    expect(ran).not.toHaveBeenCalled();
  });
});

const denyAll = [hook(["PreToolUse"], () => ({ action: "deny", reason: "not here" }))];
const cleanAll = [
  hook(["PostToolUse"], ({ tool_response }) => ({
    action: "replace_result",
    result: JSON.parse(JSON.stringify(tool_response).replaceAll("secret", "clean")),
  })),
];

describe.each(modes)("other ways to run something in %s", (mode) => {
  test("an agent that serves as a tool", async () => {
    const inner = (): unknown =>
      new Agent({ name: "inner", model: new ScriptedModel(["secret of inner"]) }).asTool({
        toolName: "ask_inner",
        toolDescription: "asks",
      });
    const script: Answer[] = [[call("ask_inner", { input: "hi" })], "done"];
    const denied = await agent(mode, denyAll, [inner()], script);
    expect(denied.model.asked(1)).toContain("| not here");
    const cleaned = await agent(mode, cleanAll, [inner()], script);
    expect(cleaned.model.asked(1)).toContain("clean of inner");
    expect(cleaned.model.asked(1)).not.toContain("secret of inner");
  });

  test("a handoff, and the tools of the agent behind it", async () => {
    const other = (): Agent =>
      new Agent({
        name: "other",
        tools: [read],
        model: new ScriptedModel([[call("read", { path: "a" })], "from other"]),
      });
    const script: Answer[] = [[call("transfer_to_other", {})], "still here"];
    const open = await agent(mode, [], [], script, {}, { handoffs: [other()] });
    expect([open.text, open.lastAgent]).toEqual(["from other", "other"]);
    expect(ran).toHaveBeenCalledOnce();
    const refusing = (name: string): FakeHook =>
      hook(["PreToolUse"], ({ tool_name }) =>
        tool_name === name ? { action: "deny", reason: "not here" } : null,
      );
    const inside = await agent(mode, [refusing("read")], [], script, {}, { handoffs: [other()] });
    expect([inside.text, ran.mock.calls.length]).toEqual(["from other", 0]);
    const denied = await agent(
      mode,
      [refusing("transfer_to_other")],
      [],
      script,
      {},
      { handoffs: [other()] },
    );
    expect([denied.text, denied.lastAgent]).toEqual(["still here", "tester"]);
    expect(denied.model.asked(1)).toContain("| not here");
  });

  test("a tool of an MCP server", async () => {
    const called = vi.fn<() => void>();
    const server = {
      name: "files",
      cacheToolsList: false,
      connect: async () => undefined,
      close: async () => undefined,
      invalidateToolsCache: async () => undefined,
      listTools: async () => [
        {
          name: "read_file",
          description: "",
          inputSchema: { type: "object", properties: {}, required: [], additionalProperties: false },
        },
      ],
      callTool: async () => {
        called();
        return [{ type: "text", text: "secret of mcp" }];
      },
    } as unknown as MCPServer;
    const script: Answer[] = [[call("read_file", {})], "done"];
    const config = { mcpServers: [server] };
    const open = await agent(mode, [], [], script, {}, config);
    expect(open.model.asked(1)).toContain("secret of mcp");
    called.mockClear();
    const denied = await agent(mode, denyAll, [], script, {}, config);
    expect(called).not.toHaveBeenCalled();
    expect(denied.model.asked(1)).toContain("| not here");
    const cleaned = await agent(mode, cleanAll, [], script, {}, config);
    expect(cleaned.model.asked(1)).toContain("clean of mcp");
    expect(cleaned.shown).not.toContain("secret of mcp");
  });

  test("a shell", async () => {
    const seen: unknown[] = [];
    const shell = (): unknown =>
      shellTool({
        shell: {
          run: async (action) => {
            seen.push(action.commands);
            return {
              output: [{ stdout: "secret of shell", stderr: "", outcome: { type: "exit", exitCode: 0 } }],
            };
          },
        },
      });
    const item = { type: "shell_call", callId: "s", status: "completed", action: { commands: ["ls"] } };
    const script: Answer[] = [[item as never], "done"];
    const open = await agent(mode, [], [shell()], script);
    expect([open.text, seen]).toEqual(["done", [["ls"]]]);
    const denied = await agent(mode, denyAll, [shell()], script);
    expect(seen).toHaveLength(1);
    expect(denied.model.asked(1)).toContain("| not here");
    const modified = [hook(["PreToolUse"], () => ({ action: "modify_input", input: { commands: ["pwd"] } }))];
    await agent(mode, modified, [shell()], script);
    expect(seen.at(-1)).toEqual(["pwd"]);
    const cleaned = await agent(mode, cleanAll, [shell()], script);
    expect(cleaned.model.asked(1)).toContain("clean of shell");
    expect(cleaned.shown).not.toContain("secret of shell");
    const count = seen.length;
    const asked = await agent(
      mode,
      [hook(["PreToolUse"], () => ({ action: "ask", reason: "sure" }))],
      [shell()],
      script,
    );
    expect(seen).toHaveLength(count);
    const [interruption] = asked.state?.getInterruptions() ?? [];
    if (!interruption || !asked.state) throw new Error("the run was not interrupted");
    asked.state.approve(interruption);
    await run(mode, asked.agent, asked.state);
    expect(seen).toHaveLength(count + 1);
  });

  test("an editor", async () => {
    const seen: unknown[] = [];
    const edit = async (operation: unknown) => {
      seen.push(operation);
      return { status: "completed" as const, output: "secret of editor" };
    };
    const patch = (): unknown =>
      applyPatchTool({ editor: { createFile: edit, updateFile: edit, deleteFile: edit } });
    const operation = { type: "delete_file", path: "a" };
    const script: Answer[] = [
      [{ type: "apply_patch_call", callId: "p", status: "completed", operation } as never],
      "done",
    ];
    await agent(mode, [], [patch()], script);
    expect(seen).toEqual([operation]);
    const denied = await agent(mode, denyAll, [patch()], script);
    expect(seen).toHaveLength(1);
    expect(denied.model.asked(1)).toMatch(/failed.*\| not here|\| not here.*failed/);
    const cleaned = await agent(mode, cleanAll, [patch()], script);
    expect(cleaned.model.asked(1)).toContain("clean of editor");
    expect(cleaned.shown).not.toContain("secret of editor");
  });

  test("a computer", async () => {
    const seen: string[] = [];
    const act = (name: string) => async () => void seen.push(name);
    const computer = (): unknown =>
      computerTool({
        computer: {
          environment: "browser",
          dimensions: [10, 10],
          screenshot: async () => "c2VjcmV0",
          click: act("click"),
          doubleClick: act("doubleClick"),
          scroll: act("scroll"),
          type: act("type"),
          wait: act("wait"),
          move: act("move"),
          keypress: act("keypress"),
          drag: act("drag"),
        } as never,
      });
    const action = { type: "click", x: 1, y: 2, button: "left" };
    const script: Answer[] = [
      [{ type: "computer_call", callId: "k", status: "completed", action } as never],
      "done",
    ];
    const open = await agent(mode, [], [computer()], script);
    expect([open.text, seen]).toEqual(["done", ["click"]]);
    expect(open.shown).toContain("c2VjcmV0");
    const denied = await agent(mode, denyAll, [computer()], script);
    expect(seen).toEqual(["click"]);
    expect(denied.model.asked(1)).toContain("| not here");
    const withheld = await agent(
      mode,
      [hook(["PostToolUse"], () => ({ action: "block", reason: "no" }))],
      [computer()],
      script,
    );
    expect(withheld.shown).not.toContain("c2VjcmV0");
    const count = seen.length;
    const asks = [
      hook(["PreToolUse"], ({ tool_input }) =>
        tool_input.type === "click" ? { action: "ask", reason: "sure" } : null,
      ),
    ];
    const asked = await agent(mode, asks, [computer()], script);
    expect(seen).toHaveLength(count);
    const [interruption] = asked.state?.getInterruptions() ?? [];
    if (!interruption || !asked.state) throw new Error("the run was not interrupted");
    asked.state.approve(interruption);
    await run(mode, asked.agent, asked.state);
    expect(seen).toHaveLength(count + 1);
  });

  test("tools that the provider runs are reported, and under strict neither offered nor heard", async () => {
    const reported: unknown[] = [];
    const options = { onUnmediated: (seen: unknown): void => void reported.push(seen) };
    const called = { type: "hosted_tool_call", id: "h", name: "web_search_call", status: "completed" };
    const script: Answer[] = [[called as never, says("found")]];
    const open = await agent(mode, [], [webSearchTool()], script, options);
    expect(open.text).toBe("found");
    expect(reported).toEqual([
      { toolName: "web_search", kind: "hosted_tool" },
      { toolName: "web_search_call", kind: "hosted_tool_call" },
    ]);
    const strict = await agent(mode, [], [read, webSearchTool()], script, { ...options, strict: true });
    expect(strict.model.requests[0]?.tools.map(({ name }) => name)).toEqual(["read"]);
    expect(String(strict.error)).toContain("provider ran tool");
  });
});

test("a subclass of Agent is refused, since it could run tools in ways of its own", async () => {
  class Other extends Agent {}
  const { warden } = await fakeWarden([]);
  expect(() => guardAgent(new Other({ name: "other" }), { warden })).toThrow(/only an agent of the class/);
});

test("the agent itself stays as it was, and agents in a circle are guarded once", async () => {
  const { warden } = await fakeWarden(denyAll);
  const a = new Agent({ name: "a", tools: [read] });
  const b = new Agent({ name: "b", handoffs: [a] });
  a.handoffs = [b];
  const copy = guardAgent(a, { warden });
  expect(a.tools).toEqual([read]);
  expect(copy.tools[0]).not.toBe(read);
  expect(copy.handoffs).toHaveLength(1);
});
