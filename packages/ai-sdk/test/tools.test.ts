import { dynamicTool, isStepCount, tool, ToolLoopAgent } from "ai";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { guard, type GuardOptions } from "../src/index.ts";
import { hook } from "../../../test/adapters/contract/adapter.ts";
import type { FakeHook } from "../../../test/support/fake-pack.ts";
import { fakeWarden } from "../../../test/support/fake-warden.ts";
import { type Answer, call, modes, run, type Ran, scripted, sent } from "./agent.ts";

const ran = vi.fn<(input: { path: string }) => unknown>();
const read = tool({
  inputSchema: z.object({ path: z.string() }),
  execute: (input) => {
    ran(input);
    return `content of ${input.path}`;
  },
});
const answers: readonly Answer[] = [[call("read", { path: "a" })], "done"];

async function agent(
  mode: (typeof modes)[number],
  hooks: readonly FakeHook[],
  options: Partial<GuardOptions<any>> = {},
  script: readonly Answer[] = answers,
): Promise<Ran & { model: ReturnType<typeof scripted> }> {
  ran.mockClear();
  const { warden } = await fakeWarden(hooks);
  const model = scripted(script);
  const { settings } = guard({ warden, model, tools: { read }, ...options });
  return { ...(await run(mode, settings as never, "go")), model };
}

describe.each(modes)("a tool call in %s", (mode) => {
  test("halt: the loop ends after the step that says why", async () => {
    const script = [[call("read", { path: "a" }, "1"), call("read", { path: "b" }, "2")], "never"];
    const { steps } = await agent(
      mode,
      [hook(["PreToolUse"], () => ({ action: "halt", reason: "enough" }))],
      {},
      script,
    );
    expect(steps).toBe(2);
  });

  test("modify_input: the conversation and what is shown have the new input", async () => {
    const { shown, model } = await agent(mode, [
      hook(["PreToolUse"], () => ({ action: "modify_input", input: { path: "b" } })),
    ]);
    expect(sent(model, 1)).toContain('"input":{"path":"b"}');
    expect(shown).toContain('"input":{"path":"b"}');
  });

  test("replace_result with is_error: the model sees a failure", async () => {
    const { model } = await agent(mode, [
      hook(["PostToolUse"], () => ({ action: "replace_result", result: "no luck", is_error: true })),
    ]);
    expect(sent(model, 1)).toMatch(/"type":"error-text","value":"(Error: )?no luck"/);
  });

  test("augment: the model reads it behind the result, and the result keeps its shape", async () => {
    const { shown, model } = await agent(mode, [
      hook(["PostToolUse"], () => ({ action: "augment", text: "mind the gap" })),
    ]);
    expect(sent(model, 1)).toMatch(/content of a\\n\\n.*third-party text of hook.*\| mind the gap/);
    expect(shown).toContain('"output":"content of a"');
  });

  test("what a streaming tool shows on the way does not leak what is replaced", async () => {
    const slow = tool({
      inputSchema: z.object({ path: z.string() }),
      async *execute() {
        yield "secret 1";
        yield "secret 2";
      },
    });
    const options = { tools: { read: slow } };
    const { shown, model } = await agent(
      mode,
      [
        hook(["PostToolUse"], ({ tool_response }) => ({
          action: "replace_result",
          result: `[${tool_response.length}]`,
        })),
      ],
      options,
    );
    expect(shown + sent(model, 1)).not.toContain("secret");
    expect(sent(model, 1)).toContain("[8]");
    const open = await agent(mode, [], options);
    if (mode === "stream") expect(open.shown).toMatch(/"output":"secret 1".*"preliminary":true/);
    expect(sent(open.model, 1)).toContain("secret 2");
  });

  test("a person is asked about the input that the tool would get", async () => {
    const { shown } = await agent(mode, [
      hook(["PreToolUse"], () => [
        { action: "modify_input", input: { path: "b" } },
        { action: "ask", reason: "are you sure" },
      ]),
    ]);
    expect(shown).toContain("| are you sure");
    expect(shown).toMatch(
      /tool-approval-request.*"input":\{"path":"b"\}|"input":\{"path":"b"\}.*tool-approval-request/,
    );
    expect(ran).not.toHaveBeenCalled();
  });

  test("ask wins over a host that approves, and deny over a person who need not be asked", async () => {
    const asks = await agent(mode, [hook(["PreToolUse"], () => ({ action: "ask", reason: "sure" }))], {
      toolApproval: { read: "approved" },
    });
    expect(ran).not.toHaveBeenCalled();
    expect(asks.shown).toContain("tool-approval-request");
    const denies = await agent(mode, [], { toolApproval: { read: "denied" } });
    expect(ran).not.toHaveBeenCalled();
    expect(denies.text).toBe("done");
  });

  test("allow spares the person, at PreToolUse and at PermissionRequest; a tool's own needsApproval holds else", async () => {
    const careful = { tools: { read: tool({ ...read, needsApproval: true } as never) } };
    await agent(mode, [], careful);
    expect(ran).not.toHaveBeenCalled();
    await agent(mode, [hook(["PreToolUse"], () => ({ action: "allow" }))], careful);
    expect(ran).toHaveBeenCalledOnce();
    await agent(mode, [hook(["PermissionRequest"], () => ({ action: "allow" }))], careful);
    expect(ran).toHaveBeenCalledOnce();
    await agent(mode, [hook(["PermissionRequest"], () => ({ action: "deny", reason: "no" }))], careful);
    expect(ran).not.toHaveBeenCalled();
  });

  test("a call that was repaired is judged as repaired", async () => {
    ran.mockClear();
    const { warden } = await fakeWarden([
      hook(["PreToolUse"], ({ tool_input }) =>
        tool_input.path === "evil" ? { action: "deny", reason: "no" } : null,
      ),
    ]);
    const model = scripted([[call("read", { wrong: 1 })], "done"]);
    const { settings } = guard({ warden, model, tools: { read } });
    const { text } = await run(mode, settings as never, "go", {
      repairToolCall: async ({ toolCall }: { toolCall: object }) => ({
        ...toolCall,
        input: JSON.stringify({ path: "evil" }),
      }),
    });
    expect(ran).not.toHaveBeenCalled();
    expect(text).toBe("done");
  });

  test("dynamic tools are tools", async () => {
    const dynamic = dynamicTool({
      inputSchema: z.object({ path: z.string() }),
      execute: async () => "dynamic",
    });
    const { model } = await agent(mode, [hook(["PreToolUse"], () => ({ action: "deny", reason: "no" }))], {
      tools: { read: dynamic },
    });
    expect(sent(model, 1)).not.toContain('"dynamic"');
    expect(sent(model, 1)).toContain("| no");
  });

  test("a tool without execute: its call is judged, and so is the result that the client sends", async () => {
    const client = tool({ inputSchema: z.object({ path: z.string() }), outputSchema: z.string() });
    const denied = await agent(mode, [hook(["PreToolUse"], () => ({ action: "deny", reason: "no" }))], {
      tools: { read: client },
    });
    expect(denied.shown).toContain("denied");
    const { warden } = await fakeWarden([
      hook(["PostToolUse"], ({ tool_response }) => [
        { action: "replace_result", result: `${tool_response}`.replace("hunter2", "***") },
        { action: "augment", text: "looked over" },
      ]),
    ]);
    const model = scripted(["done"]);
    const { settings } = guard({ warden, model, tools: { read: client } });
    await run(mode, settings as never, [
      { role: "user", content: "go" },
      {
        role: "assistant",
        content: [{ type: "tool-call", toolCallId: "c", toolName: "read", input: { path: "a" } }],
      },
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: "c",
            toolName: "read",
            output: { type: "text", value: "it is hunter2" },
          },
        ],
      },
    ]);
    expect(sent(model, 0)).toMatch(/it is \*\*\*.*\| looked over/);
    expect(sent(model, 0)).not.toContain("hunter2");
  });

  test("toModelOutput has its say, on what hooks left", async () => {
    const shaped = tool({
      inputSchema: z.object({ path: z.string() }),
      execute: async () => ({ secret: "s3cr3t", open: "hello" }),
      toModelOutput: ({ output }) => ({ type: "text", value: `model reads ${output.open} ${output.secret}` }),
    });
    const { model } = await agent(
      mode,
      [
        hook(["PostToolUse"], () => [
          { action: "replace_result", result: { open: "hello", secret: "***" } },
          { action: "augment", text: "more" },
        ]),
      ],
      { tools: { read: shaped } },
    );
    expect(sent(model, 1)).toMatch(/model reads hello \*\*\*.*\| more/);
    expect(sent(model, 1)).not.toContain("s3cr3t");
  });

  test("tools that the provider runs are reported, and under strict neither offered nor heard", async () => {
    const search = {
      type: "provider",
      id: "x.search",
      isProviderExecuted: true,
      args: {},
      inputSchema: z.object({}),
    };
    const tools = { read, search: search as never };
    const atProvider = [
      {
        type: "tool-call",
        toolCallId: "p",
        toolName: "search",
        input: "{}",
        providerExecuted: true,
      } as const,
      { type: "tool-result", toolCallId: "p", toolName: "search", result: "found" } as const,
      { type: "text", text: "done" } as const,
    ];
    const reported: unknown[] = [];
    const onUnmediated = (seen: unknown): void => void reported.push(seen);
    const open = await agent(mode, [], { tools, onUnmediated }, [atProvider]);
    expect(open.text).toBe("done");
    expect(reported[0]).toEqual({ toolName: "search" });
    expect(reported).toContainEqual({ toolName: "search", toolCallId: "p" });
    const strict = await agent(mode, [], { tools, onUnmediated, strict: true }, [atProvider]);
    const request = [...strict.model.doGenerateCalls, ...strict.model.doStreamCalls][0];
    expect(request?.tools?.map(({ name }) => name)).toEqual(["read"]);
    expect(String(strict.error)).toContain("provider ran tool");
    expect(strict.shown).not.toContain("found");
  });
});

test("an agent of the package takes the settings as they are", async () => {
  ran.mockClear();
  const { warden } = await fakeWarden([hook(["PreToolUse"], () => ({ action: "deny", reason: "no" }))]);
  const { settings } = guard({ warden, model: scripted(answers), tools: { read } });
  const loop = new ToolLoopAgent({ ...settings, stopWhen: isStepCount(5) });
  expect((await loop.generate({ prompt: "go" })).text).toBe("done");
  expect(ran).not.toHaveBeenCalled();
});

test("the tools alone hold too: without approval and refinement, running one is judged", async () => {
  const { warden } = await fakeWarden([
    hook(["PreToolUse"], ({ tool_input }) =>
      tool_input.path === "ask" ? { action: "ask", reason: "sure" } : { action: "deny", reason: "no" },
    ),
  ]);
  ran.mockClear();
  const { settings } = guard({ warden, model: scripted([]), tools: { read } });
  const execute = settings.tools.read.execute as unknown as (
    input: object,
    options: object,
  ) => Promise<unknown>;
  const options = { toolCallId: "t", messages: [] };
  await expect(execute({ path: "a" }, options)).rejects.toMatchObject({
    name: "HookRefusedError",
    how: "deny",
  });
  await expect(execute({ path: "ask" }, options)).rejects.toMatchObject({
    name: "HookRefusedError",
    how: "ask",
  });
  expect(ran).not.toHaveBeenCalled();
});

// A decision belongs to the input that hooks saw. Code that keeps the object and changes it later gets another decision.
test("an input that was changed after its decision is judged anew", async () => {
  const { warden } = await fakeWarden([
    hook(["PreToolUse"], ({ tool_input }) =>
      tool_input.path === "evil" ? { action: "deny", reason: "no" } : null,
    ),
  ]);
  ran.mockClear();
  const model = scripted(answers);
  const swapping = tool({
    ...read,
    onInputAvailable: ({ input }: { input: { path: string } }) => {
      setTimeout(() => (input.path = "evil"), 0);
    },
  } as never);
  const { settings } = guard({
    warden,
    model,
    tools: { read: swapping },
    toolApproval: async () => {
      await new Promise((resolve) => setTimeout(resolve, 10));
      return undefined;
    },
  });
  await run("generate", settings as never, "go");
  expect(ran).not.toHaveBeenCalled();
});

// The person agreed to one call. A tool that calls others hands on its id and its messages, and so can anything else that
// runs the tools by hand.
test("a yes to one call is no yes to another one with its id", async () => {
  const { warden } = await fakeWarden([hook(["PreToolUse"], () => ({ action: "ask", reason: "sure" }))]);
  ran.mockClear();
  const { settings } = guard({ warden, model: scripted([]), tools: { read } });
  const execute = settings.tools.read.execute as unknown as (
    input: object,
    options: object,
  ) => Promise<unknown>;
  const conversation = (toolName: string, input: object, more: object[] = []): object[] => [
    {
      role: "assistant",
      content: [
        { type: "tool-call", toolCallId: "c", toolName, input },
        { type: "tool-approval-request", toolCallId: "c", approvalId: "a" },
      ],
    },
    { role: "tool", content: [{ type: "tool-approval-response", approvalId: "a", approved: true }] },
    ...more,
  ];
  const refused = { name: "HookRefusedError", how: "ask" };
  const others = [
    conversation("caller", { path: "a" }),
    conversation("read", { path: "b" }),
    conversation("read", { path: "a" }, [{ role: "user", content: "go on" }]),
  ];
  for (const messages of others) {
    await expect(execute({ path: "a" }, { toolCallId: "c", messages })).rejects.toMatchObject(refused);
  }
  expect(ran).not.toHaveBeenCalled();
  await execute({ path: "a" }, { toolCallId: "c", messages: conversation("read", { path: "a" }) });
  expect(ran).toHaveBeenCalledOnce();
});
