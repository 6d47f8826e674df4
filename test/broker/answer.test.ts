import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { Decision } from "../../src/broker/decision.ts";
import type { FakeHook } from "../support/fake-pack.ts";
import { RawOutput } from "../support/fake-sandbox.ts";
import { decideOnce } from "../support/fake-warden.ts";
import { sampleEvent } from "../support/sample-events.ts";

const answer = (
  value: unknown,
  more: Partial<FakeHook> = {},
  event = sampleEvent("PreToolUse"),
): Promise<Decision> => decideOnce([{ name: "hook", run: () => value, ...more }], event);
const raw = (text: string, more: Partial<FakeHook> = {}): Promise<Decision> =>
  answer(new RawOutput(text), more);

describe("what is no action", () => {
  test.each([
    ["true", "true"],
    ["a number", "1"],
    ["a text of JSON", '"{\\"action\\":\\"deny\\"}"'],
    ["an empty object", "{}"],
    ["an empty array", "[]"],
    ["a nested array", '[[{"action":"continue"}]]'],
    ["an array with null", "[null]"],
    ["a name that is no text", '{"action":1}'],
    ["an alias of another system", '{"action":"approve"}'],
    ["a field too many", '{"action":"continue","input":{}}'],
    ["a missing reason", '{"action":"deny"}'],
    ["an empty reason", '{"action":"deny","reason":""}'],
    ["a reason of white space", '{"action":"deny","reason":" \\n "}'],
    ["a reason that is an object", '{"action":"deny","reason":{"length":5}}'],
    ["an input that is an array", '{"action":"modify_input","input":[]}'],
    ["a flag under coercion", '{"action":"inject","messages":[],"durable":"true"}'],
    ["two verdicts", '[{"action":"deny","reason":"x"},{"action":"continue"}]'],
    ["17 actions", JSON.stringify(Array.from({ length: 17 }, () => ({ action: "notify", text: "x" })))],
    ["a role out of thin air", '{"action":"inject","messages":[{"role":"assistant","content":"x"}]}'],
    ["a truncated text", '{"action":"deny"'],
    ["two texts", '{"action":"continue"} {}'],
    ["nothing", ""],
    ["__proto__", '{"action":"modify_input","input":{"__proto__":{"polluted":1}}}'],
    ["constructor", '{"action":"modify_input","input":{"constructor":{"prototype":{}}}}'],
    ["a duplicate key", '{"action":"continue","action":"deny"}'],
    ["an infinite number", '{"action":"modify_input","input":{"n":1e999}}'],
  ])("%s is `invalid-output`, and fails closed", async (_, text) => {
    const decision = await raw(text);
    expect(decision).toMatchObject({
      verdict: "deny",
      decided_by: "hook",
      changes: {},
      trace: [{ fault: { code: "invalid-output" } }],
    });
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test("an answer of 16 actions is accepted", async () => {
    const decision = await answer(
      Array.from({ length: 16 }, (_, index) => ({ action: "notify", text: `n${index}` })),
    );
    expect(decision.additions.notices).toHaveLength(16);
  });

  test.each(["null", "null "])("%s is `continue`", async (text) => {
    expect(await raw(text)).toMatchObject({
      verdict: "continue",
      trace: [{ outcome: "honoured", fault: null }],
    });
  });

  test.each([
    ["output-too-large", JSON.stringify({ action: "notify", text: "ä".repeat(200) }), { outputBytes: 256 }],
    [
      "output-too-deep",
      `{"action":"set_state","value":${"[".repeat(8)}${"]".repeat(8)}}`,
      { outputDepth: 8 },
    ],
    ["output-too-large", JSON.stringify({ action: "set_state", value: { ["k".repeat(257)]: 1 } }), {}],
    [
      "output-too-large",
      JSON.stringify({ action: "set_state", value: Array.from({ length: 10_001 }, () => ({ k: 1 })) }),
      {},
    ],
  ] as const)("limits of the text: %s", async (code, text, limits) => {
    const decision = await raw(text, { limits, state: { scope: "session", maxBytes: 1_000_000 } });
    expect(decision.trace[0]?.fault?.code).toBe(code);
  });
});

describe("the order of checks", () => {
  const faultOf = async (value: unknown, more: Partial<FakeHook> = {}): Promise<string | undefined> =>
    (await answer(value, more)).trace[0]?.fault?.code;

  test("shape before legality before grant, across the whole answer", async () => {
    const illegal = { action: "augment", text: "x" };
    const ungranted = { action: "allow" };
    const misshapen = { action: "deny" };
    const none = { asked: [] };
    expect(await faultOf([ungranted, illegal, { action: "nope" }], none)).toBe("invalid-output");
    expect(await faultOf([ungranted, illegal], none)).toBe("illegal-action");
    expect(await faultOf([ungranted], none)).toBe("ungranted-action");
    expect(await faultOf([misshapen], none)).toBe("invalid-output");
    expect(await faultOf({ action: "augment" }, none)).toBe("invalid-output");
  });

  test("asked for but not granted, granted but not asked for: both are `ungranted-action`, and say which", async () => {
    const allow = { action: "allow" };
    const asked = await answer(allow, { asked: ["allow"], granted: [] });
    expect(asked.trace[0]?.refused[0]).toMatchObject({
      code: "ungranted-action",
      message: "the pack does not grant `allow`",
    });
    const granted = await answer(allow, { asked: [], granted: ["allow"] });
    expect(granted.trace[0]?.refused[0]?.message).toBe(
      "`allow` is not among the `actions` of the hook's manifest",
    );
    expect(await faultOf(allow, { asked: ["allow"], granted: ["allow"] })).toBeUndefined();
  });

  test("`continue`, `undefined` and `null` need no grant", async () => {
    for (const value of [undefined, null, { action: "continue" }]) {
      expect((await answer(value, { asked: [] })).trace[0]).toMatchObject({
        outcome: "honoured",
        fault: null,
      });
    }
  });
});

describe("a refused answer", () => {
  test("is listed by name and digest, never by content", async () => {
    const actions = [
      { action: "notify", text: "SECRET" },
      { action: "augment", text: "SECRET" },
    ];
    const decision = await answer(actions);
    const [entry] = decision.trace;
    expect(entry?.refused).toEqual(
      actions.map((action) => ({
        action: action.action,
        code: "illegal-action",
        message: expect.stringContaining("augment"),
        digest: `sha256:${createHash("sha256").update(JSON.stringify(action)).digest("hex")}`,
      })),
    );
    expect(JSON.stringify(decision)).not.toContain("SECRET");
  });

  test("with a name of its own making shows it escaped and cut", async () => {
    const decision = await answer({ action: `x\u001b[2J\u202e${"y".repeat(200)}` });
    const shown = decision.trace[0]?.refused[0]?.action ?? "";
    expect(shown).toContain("\\u{1b}");
    expect(shown.length).toBeLessThan(120);
    expect(JSON.stringify(decision)).not.toMatch(/\\u001b|\u202e/);
  });
});

describe("texts", () => {
  test("are safe to show wherever they stand in the decision", async () => {
    const bad = "a\u001b[31m\u202eb\u0000\u{e0041}\ud800";
    const good = "a[31mb\ufffd";
    const decision = await answer([
      { action: "deny", reason: bad },
      { action: "notify", text: bad },
    ]);
    expect(decision.reason).toBe(good);
    expect(decision.additions.notices[0]?.text).toBe(good);
    expect(decision.trace[0]?.actions).toEqual([
      { action: "deny", reason: good },
      { action: "notify", text: good },
    ]);
    const added = await answer(
      [
        { action: "add_context", text: bad },
        { action: "inject", messages: [{ role: "user", content: bad }] },
      ],
      { on: ["UserPromptSubmit"] },
      sampleEvent("UserPromptSubmit"),
    );
    expect(added.additions.context[0]?.text).toBe(good);
    expect(added.additions.messages[0]?.text).toBe(good);
    const retry = await answer({ action: "retry", feedback: bad }, { on: ["Stop"] }, sampleEvent("Stop"));
    expect(retry.feedback).toBe(good);
  });

  test("that show nothing are replaced by a sentence of the host", async () => {
    expect((await answer({ action: "deny", reason: "\u3164\u2800\u200b" })).reason).toBe(
      "(no readable reason)",
    );
  });

  test("console texts are sanitized too", async () => {
    const sandbox = {
      engine: "quickjs",
      version: "0",
      forget: () => undefined,
      call: () => ({
        ok: true,
        output: null,
        steps: null,
        durationUs: 1.6,
        memoryBytes: 3,
        logs: [{ level: "log", text: "x\u001b]52;c;aGk=\u0007\r\ny" }],
      }),
    } as never;
    const decision = await decideOnce(
      [{ name: "hook", run: () => null }],
      sampleEvent("PreToolUse"),
      {},
      { sandbox },
    );
    expect(decision.trace[0]).toMatchObject({
      steps: null,
      duration_us: 2,
      memory_bytes: 3,
      logs: [{ level: "log", text: "x]52;c;aGk=\ny" }],
    });
  });
});

describe("a modified input", () => {
  const tools = {
    Bash: {
      type: "object",
      properties: { command: { type: "string" }, timeout: { type: "number" } },
      required: ["command"],
    },
  };
  const modify = (input: unknown, event = sampleEvent("PreToolUse")): Promise<Decision> =>
    decideOnce([{ name: "hook", run: () => ({ action: "modify_input", input }) }], event, {}, { tools });

  test("that keeps to its tool's schema is taken", async () => {
    expect((await modify({ command: "ls", timeout: 3 })).changes).toEqual({
      tool_input: { command: "ls", timeout: 3 },
    });
  });

  test("that breaks it is `invalid-output`", async () => {
    const decision = await modify({ command: { $ne: null }, timeout: "1e9" });
    expect(decision).toMatchObject({
      verdict: "deny",
      changes: {},
      trace: [{ fault: { code: "invalid-output" } }],
    });
    expect(decision.trace[0]?.fault?.message).toContain("command");
  });

  test("of a tool without a schema is taken as it is", async () => {
    const event = sampleEvent("PreToolUse", { tool_name: "constructor" });
    expect((await modify({ command: 1 }, event)).changes).toEqual({ tool_input: { command: 1 } });
  });

  test.each([
    ["a value", { command: "ls\0; id" }],
    ["a key", { "a\0b": 1 }],
    ["something deep", { a: [{ b: ["\0"] }] }],
  ])("with U+0000 in %s is `invalid-output`", async (_, input) => {
    const decision = await decideOnce(
      [{ name: "hook", run: () => ({ action: "modify_input", input }) }],
      sampleEvent("PreToolUse"),
    );
    expect(decision.trace[0]?.fault).toMatchObject({
      code: "invalid-output",
      message: expect.stringContaining("U+0000"),
    });
  });

  test("may hold the characters that would write U+0000 elsewhere", async () => {
    const input = { command: "printf '\\u0000'" };
    const decision = await decideOnce(
      [{ name: "hook", run: () => ({ action: "modify_input", input }) }],
      sampleEvent("PreToolUse"),
    );
    expect(decision.changes).toEqual({ tool_input: input });
  });

  test("loses lone surrogates before anybody uses it", async () => {
    expect((await modify({ command: "x\ud800y" })).changes).toEqual({ tool_input: { command: "x\ufffdy" } });
  });

  test("a schema that cannot be used is an error of the host, by the tool's name", async () => {
    const create = decideOnce(
      [],
      {},
      {},
      { tools: { Bad: { type: "object", unevaluatedProperties: false } } },
    );
    await expect(create).rejects.toMatchObject({
      code: "option-invalid",
      message: expect.stringContaining("`Bad`"),
    });
  });
});

describe("set_state", () => {
  const set = (value: unknown, more: Partial<FakeHook>): Promise<Decision> =>
    answer({ action: "set_state", value }, more);

  test("above its cap, in bytes of UTF-8, is `invalid-output`", async () => {
    const state = { scope: "session", maxBytes: 8 } as const;
    expect((await set("123456", { state })).trace[0]?.outcome).toBe("honoured");
    expect((await set("1234567", { state })).trace[0]?.fault?.code).toBe("invalid-output");
    expect((await set("äää", { state })).trace[0]?.outcome).toBe("honoured");
    expect((await set("ääää", { state })).trace[0]?.fault?.code).toBe("invalid-output");
  });

  test("without declared state is `ungranted-action`", async () => {
    expect((await set(1, {})).trace[0]?.fault).toMatchObject({
      code: "ungranted-action",
      message: expect.stringContaining("state"),
    });
  });
});
