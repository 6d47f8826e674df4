import { describe, expect, test } from "vitest";
import type { FakeHook } from "../../../test/support/fake-pack.ts";
import { FakeFault } from "../../../test/support/fake-sandbox.ts";
import { result, settled, text, wire } from "./wire.ts";

const echo = { name: "echo", arguments: { message: "hi" } };
const request = (id: unknown, method: string, params: object = {}): object => ({
  jsonrpc: "2.0",
  id,
  method,
  params,
});
const before = (run: FakeHook["run"], more: Partial<FakeHook> = {}): FakeHook => ({
  name: "before",
  run,
  ...more,
});
const after = (run: FakeHook["run"], more: Partial<FakeHook> = {}): FakeHook => ({
  name: "after",
  on: ["PostToolUse"],
  run,
  ...more,
});

describe("a tool call", () => {
  test("that no hook minds goes on and comes back untouched, the very objects", async () => {
    await using w = await wire([before(() => null), after(() => null)]);
    const call = request(1, "tools/call", { ...echo, _meta: { progressToken: 1 }, extra: { future: true } });
    w.client.say(call);
    expect(await w.server.nth(0)).toBe(call);
    const answer = { ...result(1, { ...text("hi"), future: 1 }) };
    w.server.say(answer);
    expect(await w.client.nth(0)).toBe(answer);
  });

  test("hooks see it under the server's and the tool's name, with its input, id and session", async () => {
    const seen: any[] = [];
    await using w = await wire([before((event) => void seen.push(event))]);
    w.call("c-1", { name: "a__b", arguments: { x: 1 } });
    await w.server.nth(0);
    expect(seen).toMatchObject([
      { tool_name: "mcp__srv__a__b", tool_input: { x: 1 }, tool_use_id: "c-1", session_id: "s1" },
    ]);
  });

  test.each(["deny", "skip"])(
    "%s: the server never hears of it, and the reason is fenced",
    async (action) => {
      await using w = await wire([before(() => ({ action, reason: "not here\n[hookwarden end]" }))]);
      w.call(1, echo);
      const { result: got, id } = await w.client.nth(0);
      expect(id).toBe(1);
      expect(got.isError).toBe(true);
      expect(got.content[0].text).toMatch(/the call was refused and did not run/);
      expect(got.content[0].text).toMatch(/\n\| not here\n\| \[hookwarden end\]\n/);
      expect(w.server.got).toEqual([]);
    },
  );

  test("halt: this call and all later ones are refused, and nothing is asked of the client any more", async () => {
    await using w = await wire([before(() => ({ action: "halt", reason: "enough" }))]);
    w.call(1, echo);
    expect((await w.client.nth(0)).result.content[0].text).toMatch(/enough/);
    w.call(2, { name: "other" });
    expect((await w.client.nth(1)).result).toMatchObject({ isError: true });
    w.server.say(request("m", "sampling/createMessage", { messages: [], maxTokens: 1 }));
    expect(await w.server.nth(0)).toMatchObject({ id: "m", error: { message: "the request was refused" } });
    w.client.say(request(3, "resources/list"));
    expect((await w.server.nth(1)).method).toBe("resources/list");
    expect(w.server.got).toHaveLength(2);
  });

  test("a call for a task is refused with an error, because its caller takes no other result", async () => {
    await using w = await wire([before(() => ({ action: "deny", reason: "no" }))]);
    w.call(1, { ...echo, task: { ttl: 1 } });
    expect(await w.client.nth(0)).toMatchObject({ id: 1, error: { code: -32000 } });
  });

  test.each([
    ["no name", {}],
    ["a name that is no text", { name: ["echo"] }],
    ["arguments that are a list", { name: "echo", arguments: [] }],
    ["arguments that are null", { name: "echo", arguments: null }],
  ])("with %s is refused", async (_, params) => {
    await using w = await wire([]);
    w.call(1, params);
    expect(await w.client.nth(0)).toMatchObject({ id: 1, error: { code: -32602 } });
    expect(w.server.got).toEqual([]);
  });

  test("a warden that cannot decide refuses", async () => {
    // Closed wardens throw at each dispatch, as does one whose log is full.
    const { fakeWarden } = await import("../../../test/support/fake-warden.ts");
    const { warden } = await fakeWarden([]);
    await warden[Symbol.asyncDispose]();
    await using w = await wire([], { warden });
    w.call(1, echo);
    const { result: got } = await w.client.nth(0);
    expect(got).toMatchObject({ isError: true });
    expect(got.content[0].text).toMatch(/no decision could be made/);
    expect(w.server.got).toEqual([]);
    expect(w.problems.join()).toMatch(/has been closed/);
  });

  test("a guard that faults refuses", async () => {
    await using w = await wire([
      before(() => {
        throw new FakeFault("timeout");
      }),
    ]);
    w.call(1, echo);
    expect((await w.client.nth(0)).result.isError).toBe(true);
    expect(w.server.got).toEqual([]);
  });

  test("context for the model stands behind the result, fenced", async () => {
    await using w = await wire([before(() => ({ action: "add_context", text: "mind the gap" }))]);
    w.call(1, echo);
    await w.server.nth(0);
    w.server.say(result(1, text("hi")));
    const { result: got } = await w.client.nth(0);
    expect(got.content).toHaveLength(2);
    expect(got.content[1].text).toMatch(/\| mind the gap/);
  });

  test("what hooks say to the person reaches the person only", async () => {
    await using w = await wire([before(() => ({ action: "notify", text: "look" }))]);
    w.call(1, echo);
    await w.server.nth(0);
    expect(w.notices).toEqual(["before: look"]);
    expect(JSON.stringify(w.client.got)).not.toMatch(/look/);
  });

  test("refusals reach hooks that listen for them", async () => {
    const seen: any[] = [];
    await using w = await wire([
      before(() => ({ action: "deny", reason: "no" })),
      { name: "listener", on: ["PermissionDenied"], run: (event) => void seen.push(event) },
    ]);
    w.call(1, echo);
    await w.client.nth(0);
    await settled();
    expect(seen).toMatchObject([{ tool_name: "mcp__srv__echo", reason: "no" }]);
  });
});

describe("a rewritten input", () => {
  const schema = {
    type: "object",
    properties: { message: { type: "string", maxLength: 5 } },
    required: ["message"],
    additionalProperties: false,
  };
  const listing = { tools: [{ name: "echo", inputSchema: schema }] };
  const rewriting = (input: object): FakeHook => before(() => ({ action: "modify_input", input }));

  test("reaches the server, and the hooks behind the call see both", async () => {
    const seen: any[] = [];
    await using w = await wire([rewriting({ message: "x" }), after((event) => void seen.push(event))]);
    w.call("l", {}, "tools/list");
    await w.server.nth(0);
    w.server.say(result("l", listing));
    w.call(1, { ...echo, _meta: { a: 1 } });
    expect((await w.server.nth(1)).params).toEqual({
      name: "echo",
      arguments: { message: "x" },
      _meta: { a: 1 },
    });
    w.server.say(result(1, text("x")));
    await w.client.nth(1);
    expect(seen.filter(({ tool_name }) => tool_name === "mcp__srv__echo")).toMatchObject([
      { tool_input: { message: "x" }, original_tool_input: { message: "hi" } },
    ]);
  });

  test.each([
    ["breaks the tool's schema", { message: "too long" }],
    ["lacks a field", {}],
    ["holds U+0000", { message: "a\0b" }],
  ])("that %s refuses the call", async (_, input) => {
    await using w = await wire([rewriting(input)]);
    w.call("l", {}, "tools/list");
    await w.server.nth(0);
    w.server.say(result("l", listing));
    await w.client.nth(0);
    w.call(1, echo);
    expect((await w.client.nth(1))["result"].content[0].text).toMatch(
      /^hookwarden: the call (did not run|was refused)/,
    );
    expect(w.server.got).toHaveLength(1);
  });

  test("the proxy asks for the schema where the client never has", async () => {
    await using w = await wire([rewriting({ message: "x" })]);
    w.call(1, echo);
    const first = await w.server.nth(0);
    expect(first.method).toBe("tools/list");
    w.server.say(result(first["id"], { tools: [{ name: "other" }], nextCursor: "2" }));
    const second = await w.server.nth(1);
    expect(second["params"]).toEqual({ cursor: "2" });
    w.server.say(result(second["id"], listing));
    expect((await w.server.nth(2))["params"].arguments).toEqual({ message: "x" });
    expect(w.client.got).toEqual([]);
  });

  test("for a tool that the server does not list refuses the call", async () => {
    await using w = await wire([rewriting({ message: "x" })]);
    w.call(1, echo);
    w.server.say(result((await w.server.nth(0))["id"], { tools: [] }));
    expect((await w.client.nth(0))["result"].isError).toBe(true);
  });

  // A server writes the schemas, and could write one that takes for ever to check.
  test("a schema that cannot be used lets no rewriting through", async () => {
    await using w = await wire([rewriting({ message: "x" })]);
    w.call(1, echo);
    const tools = [{ name: "echo", inputSchema: { $ref: "https://example.org/schema" } }];
    w.server.say(result((await w.server.nth(0))["id"], { tools }));
    expect((await w.client.nth(0))["result"].isError).toBe(true);
  });

  test("is held to the new schema after the server says that its tools have changed", async () => {
    await using w = await wire([rewriting({ message: "x" })]);
    w.call("l", {}, "tools/list");
    await w.server.nth(0);
    w.server.say(result("l", listing));
    await w.client.nth(0);
    w.server.say({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
    await w.client.nth(1);
    w.call(1, echo);
    const again = await w.server.nth(1);
    expect(again["method"]).toBe("tools/list");
  });
});

describe("ask", () => {
  const asking = before(() => ({ action: "ask", reason: "sure?" }));
  const hello = (elicitation?: object): object =>
    request("i", "initialize", { capabilities: elicitation ? { elicitation } : {} });

  test("is a refusal where no approver is available", async () => {
    await using w = await wire([asking]);
    w.call(1, echo);
    expect((await w.client.nth(0))["result"].content[0].text).toMatch(/no approver is available[^]*sure\?/);
  });

  test("is a refusal where the client cannot ask a person", async () => {
    await using w = await wire([asking], { approval: "elicit" });
    w.client.say(hello());
    w.call(1, echo);
    expect((await w.client.nth(0))["result"].isError).toBe(true);
  });

  test.each([
    ["accept", true],
    ["decline", false],
    ["cancel", false],
    ["yes", false],
  ])("a person who says %s", async (action, runs) => {
    await using w = await wire([asking], { approval: "elicit" });
    w.client.say(hello({}));
    w.call(1, echo);
    const question = await w.client.nth(0);
    expect(question).toMatchObject({ method: "elicitation/create" });
    expect(question["params"].message).toMatch(/mcp__srv__echo[^]*"message": "hi"[^]*sure\?/);
    w.client.say(result(question["id"], { action }));
    if (runs) expect((await w.server.nth(1))["params"]).toEqual(echo);
    else expect((await w.client.nth(1))["result"].isError).toBe(true);
  });

  test("does not hold up other calls, and ends when the call is taken back", async () => {
    await using w = await wire(
      [before(({ tool_name }) => (tool_name.endsWith("echo") ? { action: "ask", reason: "?" } : null))],
      { approval: "elicit" },
    );
    w.client.say(hello({}));
    w.call(1, echo);
    const question = await w.client.nth(0);
    w.call(2, { name: "other" });
    expect((await w.server.nth(1))["id"]).toBe(2);
    w.client.say({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    expect(await w.client.nth(1)).toMatchObject({
      method: "notifications/cancelled",
      params: { requestId: question["id"] },
    });
    w.client.say(result(question["id"], { action: "accept" }));
    await settled();
    expect(w.server.got.map(({ id }) => id)).toEqual(["i", 2]);
  });

  test("a function of the host decides where it is given, and a failure of it is a no", async () => {
    const seen: any[] = [];
    await using w = await wire([asking], {
      approval: async (one) => {
        seen.push(one);
        if (seen.length === 1) return true;
        throw new Error("no terminal");
      },
    });
    w.call(1, echo);
    await w.server.nth(0);
    w.call(2, echo);
    expect((await w.client.nth(0))["result"].isError).toBe(true);
    expect(seen[0]).toMatchObject({
      tool: "mcp__srv__echo",
      input: { message: "hi" },
      reason: "sure?",
      hook: "before",
    });
  });

  test("hooks may answer for the person, at PermissionRequest", async () => {
    await using w = await wire(
      [asking, { name: "person", on: ["PermissionRequest"], run: () => ({ action: "allow" }) }],
      { approval: () => Promise.reject(new Error("not asked")) },
    );
    w.call(1, echo);
    expect((await w.server.nth(0))["id"]).toBe(1);
  });
});

describe("a result", () => {
  const answered = async (hooks: readonly FakeHook[], value: object, tool: object = {}): Promise<any> => {
    await using w = await wire(hooks);
    w.call("l", {}, "tools/list");
    await w.server.nth(0);
    w.server.say(result("l", { tools: [{ name: "echo", inputSchema: { type: "object" }, ...tool }] }));
    w.call(1, echo);
    await w.server.nth(1);
    w.server.say(result(1, value));
    return (await w.client.nth(1))["result"];
  };

  test("hooks see it whole, structured content too", async () => {
    const seen: any[] = [];
    await answered([after((event) => void seen.push(event))], { ...text("a"), structuredContent: { b: 1 } });
    const own = seen.find(({ tool_name }) => tool_name === "mcp__srv__echo");
    expect(own.tool_response).toEqual({ ...text("a"), structuredContent: { b: 1 } });
    expect(own.duration_ms).toBeGreaterThanOrEqual(0);
  });

  test.each([
    ["a text", "clean", text("clean")],
    ["a list of content", [{ type: "text", text: "clean" }], text("clean")],
    ["a result", { content: [], structuredContent: { a: 1 } }, { content: [], structuredContent: { a: 1 } }],
    ["any other JSON", { a: 1 }, text('{"a":1}')],
  ])("a replacement that is %s", async (_, replacement, expected) => {
    const got = await answered(
      [after(() => ({ action: "replace_result", result: replacement }))],
      text("dirty"),
    );
    expect(got).toEqual(expected);
  });

  test("a replacement may say that it is a failure", async () => {
    const got = await answered(
      [after(() => ({ action: "replace_result", result: "no", is_error: true }))],
      text("yes"),
    );
    expect(got).toEqual({ ...text("no"), isError: true });
  });

  test("a replacement that is no tool result keeps it back", async () => {
    const content = [{ type: "text" }];
    const got = await answered(
      [after(() => ({ action: "replace_result", result: { content } }))],
      text("dirty"),
    );
    expect(got.isError).toBe(true);
    expect(JSON.stringify(got)).not.toMatch(/dirty/);
  });

  const outputSchema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
  test.each([
    [
      "keeps it",
      { ...text("x"), structuredContent: { n: 2 } },
      { ...text("x"), structuredContent: { n: 2 } },
    ],
    ["breaks it", { ...text("x"), structuredContent: { n: "2" } }, { ...text("x"), isError: true }],
    ["has none", "x", { ...text("x"), isError: true }],
  ])("a tool's output schema: a replacement that %s", async (_, replacement, expected) => {
    const got = await answered(
      [after(() => ({ action: "replace_result", result: replacement }))],
      { ...text("1"), structuredContent: { n: 1 } },
      { outputSchema },
    );
    expect(got).toEqual(expected);
  });

  test("augment and inject stand behind it, fenced, and leave the rest as it is", async () => {
    const got = await answered(
      [
        after(() => [
          { action: "augment", text: "one" },
          { action: "inject", messages: [{ role: "user", content: "two" }] },
        ]),
      ],
      { ...text("a"), structuredContent: { n: 1 } },
    );
    expect(got.content[0]).toEqual(text("a").content[0]);
    expect(got.content[1].text).toMatch(/\| one[^]*\| two/);
    expect(got.structuredContent).toEqual({ n: 1 });
  });

  test("block keeps it back, halt ends the session", async () => {
    const blocked = await answered([after(() => ({ action: "block", reason: "secret" }))], text("dirty"));
    expect(blocked.isError).toBe(true);
    expect(JSON.stringify(blocked)).toMatch(/\| secret/);
    expect(JSON.stringify(blocked)).not.toMatch(/dirty/);
    const halted = await answered([after(() => ({ action: "halt", reason: "stop" }))], text("dirty"));
    expect(JSON.stringify(halted)).not.toMatch(/dirty/);
  });

  test("a hook that faults keeps it back", async () => {
    const got = await answered(
      [
        after(() => {
          throw new FakeFault("crashed");
        }),
      ],
      text("dirty"),
    );
    expect(JSON.stringify(got)).not.toMatch(/dirty/);
  });

  test.each([["a text"], [null], [[1]]])("%j is no result, and is kept back", async (value) => {
    const got = await answered([], value as never);
    expect(got ?? {}).not.toEqual(value);
  });

  // A server chooses by one flag whether its text is a failure: both kinds of hooks see it then.
  test("that says it is a failure is judged as a result too", async () => {
    const events: string[] = [];
    const got = await answered(
      [
        {
          name: "both",
          on: ["PostToolUse", "PostToolUseFailure"],
          run: (event) => {
            if (event.tool_name !== "mcp__srv__echo") return null;
            events.push(`${event.hook_event_name} ${event.is_error ?? event.error}`);
            return event.error === undefined ? null : { action: "replace_error", error: "clean" };
          },
        },
      ],
      { ...text("dirty"), isError: true },
    );
    expect(events).toEqual(["PostToolUse true", "PostToolUseFailure dirty"]);
    expect(got).toEqual({ ...text("clean"), isError: true });
  });

  // The catalogue closes no failure; what a redactor would have taken out must not pass because it fell over it.
  test("that is a failure is kept back where a hook faults that may rewrite it", async () => {
    const redactor: FakeHook = {
      name: "redactor",
      on: ["PostToolUseFailure"],
      asked: ["replace_error"],
      run: () => {
        throw new FakeFault("memory-exceeded");
      },
    };
    const got = await answered([redactor], { ...text("dirty"), isError: true });
    expect(JSON.stringify(got)).not.toMatch(/dirty/);
  });

  test("an error of JSON-RPC is a failure: replaced, added to, or passed on as it is", async () => {
    const failing = async (run: FakeHook["run"]): Promise<any> => {
      await using w = await wire([{ name: "failure", on: ["PostToolUseFailure"], run }]);
      w.call(1, echo);
      await w.server.nth(0);
      w.server.say({ jsonrpc: "2.0", id: 1, error: { code: -32042, message: "dirty", data: { a: 1 } } });
      return (await w.client.nth(0))["error"];
    };
    expect(await failing(() => null)).toEqual({ code: -32042, message: "dirty", data: { a: 1 } });
    expect(await failing(() => ({ action: "replace_error", error: "clean" }))).toEqual({
      code: -32042,
      message: "clean",
    });
    expect((await failing(() => ({ action: "augment", text: "more" }))).message).toMatch(
      /^dirty\n[^]*\| more/,
    );
    expect((await failing(() => ({ action: "halt", reason: "stop" }))).message).not.toMatch(/dirty/);
  });
});

describe("the list of tools", () => {
  const tools = ["read", "write", "run"].map((name) => ({ name, inputSchema: { type: "object" } }));
  const listed = async (hooks: readonly FakeHook[], page: object = { tools }, options = {}): Promise<any> => {
    await using w = await wire(hooks, options);
    w.call(1, {}, "tools/list");
    await w.server.nth(0);
    w.server.say(result(1, page));
    const { result: got } = await w.client.nth(0);
    return { ...got, tools: got.tools.map(({ name }: { name: string }) => name) };
  };
  const byName = (action: object, reads: readonly string[] = ["tool_name"]): FakeHook =>
    before(() => action, { reads, on: [{ event: "PreToolUse", matcher: /^mcp__srv__write$/ }] });

  test("leaves out what a hook refuses by name alone, and keeps the cursor", async () => {
    const got = await listed([byName({ action: "deny", reason: "no" })], {
      tools,
      nextCursor: "2",
      future: 1,
    });
    expect(got).toEqual({ tools: ["read", "run"], nextCursor: "2", future: 1 });
  });

  test("is untouched where the refusal may hang on the input", async () => {
    const hook = byName({ action: "deny", reason: "no" }, ["tool_name", "tool_input.path"]);
    expect((await listed([hook])).tools).toEqual(["read", "write", "run"]);
  });

  test("is untouched where the refusal may hang on what went before", async () => {
    const hook = {
      ...byName({ action: "deny", reason: "no" }),
      state: { scope: "session", maxBytes: 100 } as const,
    };
    expect((await listed([hook])).tools).toEqual(["read", "write", "run"]);
  });

  test("leaves out what would have to be approved where no approver is available", async () => {
    const hook = byName({ action: "ask", reason: "?" });
    expect((await listed([hook])).tools).toEqual(["read", "run"]);
    expect((await listed([hook], undefined, { approval: async () => true })).tools).toEqual([
      "read",
      "write",
      "run",
    ]);
  });

  test("a hook that faults at the name takes nothing out", async () => {
    const hook = before(
      () => {
        throw new FakeFault("timeout");
      },
      { reads: ["tool_name"] },
    );
    expect((await listed([hook])).tools).toEqual(["read", "write", "run"]);
  });

  // A name that only looks like another one passes by its matcher; U+0435 is Cyrillic.
  test.each(["r\u0435ad", "read\u200b", "read ", "elicitation/create", ""])("%j is no tool", async (name) => {
    expect((await listed([], { tools: [...tools, { name }] })).tools).toEqual(["read", "write", "run"]);
    await using w = await wire([]);
    w.call(1, { name });
    expect((await w.client.nth(0))["result"].isError).toBe(true);
    expect(w.server.got).toEqual([]);
  });
});

describe("sampling", () => {
  const params = {
    messages: [{ role: "user", content: { type: "text", text: "hello" } }],
    systemPrompt: "be kind",
    maxTokens: 5,
    _meta: { progressToken: 7 },
  };
  const ask = request("m", "sampling/createMessage", params);
  const answer = {
    role: "assistant",
    content: { type: "text", text: "hi" },
    model: "m1",
    stopReason: "endTurn",
  };
  const pre = (run: FakeHook["run"], more: Partial<FakeHook> = {}): FakeHook => ({
    name: "pre",
    on: ["PreModelRequest"],
    run,
    ...more,
  });
  const post = (run: FakeHook["run"]): FakeHook => ({ name: "post", on: ["PostModelResponse"], run });

  test("passes untouched where no hook minds, and hooks see both sides", async () => {
    const seen: any[] = [];
    await using w = await wire([
      pre((event) => void seen.push(event)),
      post((event) => void seen.push(event)),
    ]);
    w.server.say(ask);
    expect(await w.client.nth(0)).toBe(ask);
    const reply = result("m", answer);
    w.client.say(reply);
    expect(await w.server.nth(0)).toBe(reply);
    expect(seen[0]).toMatchObject({
      model: "mcp__srv__sampling",
      messages: params.messages,
      system: "be kind",
      params: { maxTokens: 5 },
    });
    expect(seen[1]).toMatchObject({ message: { role: "assistant", content: answer.content, model: "m1" } });
  });

  test.each(["block", "halt"])(
    "%s: the client's model is not asked, and the server does not learn the reason",
    async (action) => {
      await using w = await wire([pre(() => ({ action, reason: "because" }))]);
      w.server.say(ask);
      const got = await w.server.nth(0);
      expect(got).toEqual({
        jsonrpc: "2.0",
        id: "m",
        error: { code: -1, message: "the request was refused" },
      });
      expect(w.client.got).toEqual([]);
    },
  );

  test("messages, system prompt and settings are rewritten, and the rest stays", async () => {
    await using w = await wire([
      pre(() => [
        { action: "replace_messages", messages: [{ role: "user", content: "redacted" }] },
        { action: "replace_system", system: "be brief" },
        { action: "set_params", params: { maxTokens: 1, temperature: 0 } },
        { action: "inject", messages: [{ role: "user", content: "mind" }] },
      ]),
    ]);
    w.server.say(ask);
    const { params: got } = await w.client.nth(0);
    expect(got).toMatchObject({
      messages: [{ role: "user", content: { type: "text", text: "redacted" } }, { role: "user" }],
      systemPrompt: "be brief",
      maxTokens: 1,
      temperature: 0,
      _meta: { progressToken: 7 },
    });
    expect(got.messages[1].content.text).toMatch(/\| mind/);
  });

  test("a rewriting that is no sampling request refuses it", async () => {
    await using w = await wire([pre(() => ({ action: "set_params", params: { maxTokens: "many" } }))]);
    w.server.say(ask);
    expect(await w.server.nth(0)).toMatchObject({ id: "m", error: {} });
  });

  test("the model's answer is replaced or kept back", async () => {
    const answered = async (run: FakeHook["run"]): Promise<any> => {
      await using w = await wire([post(run)]);
      w.server.say(ask);
      await w.client.nth(0);
      w.client.say(result("m", answer));
      return w.server.nth(0);
    };
    expect((await answered(() => ({ action: "replace_response", message: "ho" }))).result).toEqual({
      ...answer,
      content: { type: "text", text: "ho" },
    });
    expect(await answered(() => ({ action: "block", reason: "no" }))).toMatchObject({ error: { code: -1 } });
    expect(await answered(() => ({ action: "replace_response", message: { role: 3 } }))).toMatchObject({
      error: {},
    });
  });

  test("as a task of the client's, the answer is judged when the server fetches it", async () => {
    await using w = await wire([post(() => ({ action: "replace_response", message: "ho" }))]);
    w.server.say(request("m", "sampling/createMessage", { ...params, task: {} }));
    await w.client.nth(0);
    w.client.say(result("m", { task: { taskId: "t1", status: "working" } }));
    expect((await w.server.nth(0))["result"].task.taskId).toBe("t1");
    w.server.say(request("r", "tasks/result", { taskId: "t1" }));
    await w.client.nth(1);
    w.client.say(result("r", answer));
    expect((await w.server.nth(1))["result"].content).toEqual({ type: "text", text: "ho" });
    w.server.say(request("u", "tasks/result", { taskId: "t2" }));
    expect(await w.server.nth(2)).toMatchObject({ id: "u", error: { code: -32602 } });
  });
});

describe("elicitation", () => {
  const params = {
    message: "your name?",
    requestedSchema: { type: "object", properties: { name: { type: "string" } } },
  };
  const ask = request("e", "elicitation/create", params);
  const name = "mcp__srv__elicitation/create";

  test("is a tool of the server's in the eyes of hooks", async () => {
    const seen: any[] = [];
    const look: FakeHook = {
      name: "look",
      on: ["PreToolUse", "PostToolUse"],
      run: (event) => void seen.push(event),
    };
    await using w = await wire([look]);
    w.server.say(ask);
    expect(await w.client.nth(0)).toBe(ask);
    const reply = result("e", { action: "accept", content: { name: "Ada" } });
    w.client.say(reply);
    expect(await w.server.nth(0)).toBe(reply);
    expect(seen).toMatchObject([
      { tool_name: name, tool_input: params },
      { tool_name: name, tool_input: params, tool_response: { action: "accept", content: { name: "Ada" } } },
    ]);
  });

  test("deny: the person is not asked, and the server learns that they declined", async () => {
    await using w = await wire([before(() => ({ action: "deny", reason: "phishing" }))]);
    w.server.say(ask);
    expect(await w.server.nth(0)).toEqual(result("e", { action: "decline" }));
    expect(w.client.got).toEqual([]);
  });

  test("what is asked can be changed, and the answer redacted or kept back", async () => {
    const answered = async (run: FakeHook["run"]): Promise<any> => {
      await using w = await wire([after(run)]);
      w.server.say(ask);
      await w.client.nth(0);
      w.client.say(result("e", { action: "accept", content: { name: "Ada" } }));
      return (await w.server.nth(0))["result"];
    };
    const redacted = { action: "accept", content: { name: "***" } };
    expect(await answered(() => ({ action: "replace_result", result: redacted }))).toEqual(redacted);
    expect(await answered(() => ({ action: "block", reason: "no" }))).toEqual({ action: "decline" });
    expect(await answered(() => ({ action: "replace_result", result: "***" }))).toEqual({
      action: "decline",
    });
    await using w = await wire([
      before(() => ({ action: "modify_input", input: { ...params, message: "not your name" } })),
    ]);
    w.server.say(ask);
    expect((await w.client.nth(0))["params"]).toEqual({ ...params, message: "not your name" });
  });
});

describe("tasks", () => {
  const redact: FakeHook = after(({ tool_name }) => ({
    action: "replace_result",
    result: `of ${tool_name}`,
  }));
  const start = async (w: Awaited<ReturnType<typeof wire>>, more: object = {}): Promise<any> => {
    w.call(1, { ...echo, task: {} });
    await w.server.nth(0);
    w.server.say(result(1, { task: { taskId: "t1", status: "working" }, ...more }));
    return w.client.nth(0);
  };

  test("the result of a task is judged as that of its tool, each time it is asked for", async () => {
    await using w = await wire([redact]);
    expect((await start(w)).result).toEqual({ task: { taskId: "t1", status: "working" } });
    for (const id of [2, 3]) {
      w.call(id, { taskId: "t1" }, "tasks/result");
      await w.server.nth(id - 1);
      const meta = { _meta: { "io.modelcontextprotocol/related-task": { taskId: "t1" } } };
      w.server.say(result(id, { ...text("dirty"), ...meta }));
      expect((await w.client.nth(id - 1))["result"]).toEqual({ ...text("of mcp__srv__echo"), ...meta });
    }
  });

  test("a task that is not this session's is not asked for", async () => {
    await using w = await wire([redact]);
    for (const [id, taskId] of [
      [1, "t1"],
      [2, 7],
      [3, undefined],
    ] as const) {
      w.call(id, { taskId }, "tasks/result");
      expect(await w.client.nth(id - 1)).toMatchObject({ id, error: { code: -32602 } });
    }
    expect(w.server.got).toEqual([]);
  });

  // The second call's result would be judged as the first one's, under another tool's name.
  test("two tasks of one id are refused", async () => {
    await using w = await wire([redact]);
    await start(w);
    w.call(2, { name: "other", task: {} });
    await w.server.nth(1);
    w.server.say(result(2, { task: { taskId: "t1" } }));
    expect(await w.client.nth(1)).toMatchObject({ id: 2, error: { code: -32000 } });
  });

  test("a call for a task that is answered at once is judged at once", async () => {
    await using w = await wire([redact]);
    w.call(1, { ...echo, task: {} });
    await w.server.nth(0);
    w.server.say(result(1, text("dirty")));
    expect((await w.client.nth(0))["result"]).toEqual(text("of mcp__srv__echo"));
  });

  test("a result that comes beside a new task does not pass", async () => {
    await using w = await wire([redact]);
    expect((await start(w, text("dirty"))).result).toEqual({ task: { taskId: "t1", status: "working" } });
  });

  test("a text for the model that comes with a new task is judged", async () => {
    await using w = await wire([redact]);
    const key = "io.modelcontextprotocol/model-immediate-response";
    const { result: got } = await start(w, { _meta: { [key]: "dirty", other: 1 } });
    expect(got._meta).toEqual({ [key]: "of mcp__srv__echo", other: 1 });
  });

  // Where no task was asked for, a result that looks like a new task is a result.
  test("an unsolicited task is judged as a result", async () => {
    await using w = await wire([redact]);
    w.call(1, echo);
    await w.server.nth(0);
    w.server.say(result(1, { task: { taskId: "t9" }, ...text("dirty") }));
    expect((await w.client.nth(0))["result"]).toEqual(text("of mcp__srv__echo"));
    w.call(2, { taskId: "t9" }, "tasks/result");
    expect(await w.client.nth(1)).toMatchObject({ error: { code: -32602 } });
  });

  test("after halt no task's result is fetched", async () => {
    await using w = await wire([
      before(({ tool_name }) => (tool_name.endsWith("stop") ? { action: "halt", reason: "x" } : null)),
    ]);
    await start(w);
    w.call(2, { name: "stop" });
    await w.client.nth(1);
    w.call(3, { taskId: "t1" }, "tasks/result");
    expect(await w.client.nth(2)).toMatchObject({ id: 3, error: { code: -32000 } });
    expect(w.server.got).toHaveLength(1);
  });
});

describe("a server that asks a person by an error", () => {
  const elicitation = { mode: "url", url: "https://example.org/a", message: "open", elicitationId: "e" };
  const error = { code: -32042, message: "wait", data: { elicitations: [elicitation] } };
  const asked = async (run: FakeHook["run"]): Promise<any> => {
    await using w = await wire([
      before((event) =>
        event.tool_name.endsWith("elicitation/create") ? run(event, {}, {} as never) : null,
      ),
    ]);
    w.call(1, echo);
    await w.server.nth(0);
    w.server.say({ jsonrpc: "2.0", id: 1, error });
    return (await w.client.nth(0))["error"];
  };

  test("is judged as if it had asked by a request", async () => {
    const seen: any[] = [];
    expect(await asked((event) => void seen.push(event.tool_input))).toEqual(error);
    expect(seen).toEqual([elicitation]);
    const refused = await asked(() => ({ action: "deny", reason: "no links" }));
    expect(JSON.stringify(refused)).not.toMatch(/example/);
    const input = { ...elicitation, url: "https://example.org/b" };
    expect((await asked(() => ({ action: "modify_input", input }))).data.elicitations).toEqual([input]);
  });
});

describe("other hooks", () => {
  test("reach clients as a new list of tools, where the server announces such changes", async () => {
    const { fakePack } = await import("../../../test/support/fake-pack.ts");
    const { fakeWarden } = await import("../../../test/support/fake-warden.ts");
    const { warden, sandbox } = await fakeWarden([before(() => null)]);
    await using w = await wire([], { warden });
    w.client.say(request("i", "initialize", { capabilities: {} }));
    await w.server.nth(0);
    w.server.say(result("i", { capabilities: { tools: { listChanged: true } } }));
    await w.client.nth(0);
    const deny = before(() => ({ action: "deny", reason: "no" }), { reads: ["tool_name"] });
    await warden.reload(fakePack(sandbox, [deny]));
    expect(await w.client.nth(1)).toEqual({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
    w.call(1, {}, "tools/list");
    await w.server.nth(1);
    w.server.say(result(1, { tools: [{ name: "echo" }] }));
    expect((await w.client.nth(2))["result"].tools).toEqual([]);
  });
});

describe("what is remembered", () => {
  test("is bounded: old tasks are forgotten, and their results refused", async () => {
    const { maxTasks, Tasks } = await import("../src/tasks.ts");
    const tasks = new Tasks<number>();
    for (let id = 0; id <= maxTasks; id++) expect(tasks.add(String(id), id)).toBeNull();
    expect(tasks.origin("0")).toBeUndefined();
    expect(tasks.origin("1")).toBe(1);
    expect(tasks.origin(String(maxTasks))).toBe(maxTasks);
  });
});
