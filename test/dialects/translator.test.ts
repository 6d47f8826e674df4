import { describe, expect, test } from "vitest";
import { createDialect, dialectOf, dialects } from "../../src/dialects/index.ts";
import { HookwardenError } from "../../src/errors/index.ts";
import { fakeWarden } from "../support/fake-warden.ts";
import type { FakeHook } from "../support/fake-pack.ts";

const call = { event: "tool_call", tool_name: "bash", tool_call_id: "c", arguments_json: '{"command":"ls"}' };
const denies: FakeHook = { name: "denies", run: () => ({ action: "deny", reason: "no" }) };

async function speaking(dialect: string, hooks: readonly FakeHook[] = []) {
  const { warden, sandbox } = await fakeWarden(hooks);
  return { translator: createDialect(warden, dialect), warden, sandbox };
}

describe("translator", () => {
  test("a name that is no dialect's is an error that lists them", async () => {
    const { warden } = await fakeWarden([]);
    for (const name of ["Pig", "constructor", "__proto__", "", "pig "]) {
      expect(() => createDialect(warden, name)).toThrow(HookwardenError);
      expect(() => dialectOf(name)).toThrow(/pig, agentix, eai, ex-athena, hook-event, claude-code/);
    }
    expect(dialectOf("pig")).toBe(dialects.get("pig"));
  });

  test("a message may be an object, JSON text, or the bytes of that", async () => {
    const { translator } = await speaking("pig", [denies]);
    const blocked = { decision: "ToolBlocked", hook_name: "denies", reason: "no" };
    expect(await translator.handle(call)).toEqual(blocked);
    expect(await translator.handle(JSON.stringify(call))).toEqual(blocked);
    expect(await translator.handle(Buffer.from(JSON.stringify(call)))).toEqual(blocked);
  });

  test("a message that is no strict JSON object is an error", async () => {
    const { translator } = await speaking("pig");
    const cases: [string | object, string][] = [
      ["", "event-not-json"],
      ["{", "event-not-json"],
      ['{"event":"tool_call","event":"tool_result"}', "event-not-json"],
      ['{"__proto__":{"event":"tool_call"}}', "event-not-json"],
      ["[".repeat(200), "event-not-json"],
      ["[]", "event-invalid"],
      ["null", "event-invalid"],
      ['"tool_call"', "event-invalid"],
      ["{}", "event-invalid"],
      ['{"event":7}', "event-invalid"],
      [new Map([["event", "tool_call"]]), "event-invalid"],
      [{ ...call, tool_name: () => 1 }, "event-invalid"],
    ];
    for (const [message, code] of cases) {
      await expect(translator.handle(message)).rejects.toMatchObject({
        name: "HookwardenError",
        code,
      });
    }
    await expect(translator.handle(Buffer.from([0x7b, 0xff, 0x7d]))).rejects.toMatchObject({
      code: "event-not-json",
    });
  });

  test("a message that is too large is an error", async () => {
    const { warden } = await fakeWarden([]);
    const translator = createDialect(warden, "pig", { maxMessageBytes: 200 });
    expect(await translator.handle(call)).toEqual({ decision: "ToolAllowed" });
    for (const message of [
      { ...call, tool_name: "x".repeat(200) },
      JSON.stringify({ ...call, more: "x".repeat(200) }),
    ]) {
      await expect(translator.handle(message)).rejects.toMatchObject({ code: "event-too-large" });
    }
  });

  test("what is wrong with a field is said with its place in the message", async () => {
    const cases: [string, object, string][] = [
      ["pig", { ...call, tool_call_id: 7 }, "/tool_call_id"],
      ["pig", { event: "tool_result", tool_name: "", result: "r" }, "/tool_name"],
      ["pig", { event: "tool_result", result: "r" }, "/tool_name"],
      ["agentix", { phase: "pre", turn: { model: 1, messages: [] } }, "/turn/model"],
      ["agentix", { phase: "pre", turn: { model: "m", messages: [1] } }, "/turn/messages/0"],
      ["eai", { run: "pre", tool: "", payload: {} }, "/tool"],
      ["ex-athena", { event: "PreToolUse", input: { tool_name: 1, tool_input: {} } }, "/input/tool_name"],
      ["hook-event", { event: "pre_send_message", user_input: 3 }, "/user_input"],
      ["claude-code", { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: "ls" }, "/tool_input"],
    ];
    for (const [dialect, message, pointer] of cases) {
      const { translator } = await speaking(dialect);
      const error = await translator.handle(message).catch((thrown: unknown) => thrown);
      expect([dialect, error]).toMatchObject([dialect, { code: "event-invalid", place: { pointer } }]);
    }
  });

  test("a session id is handed on, and is `default` without one", async () => {
    const sees: FakeHook = { name: "sees", run: (event) => ({ action: "deny", reason: event.session_id }) };
    const { translator } = await speaking("pig", [sees]);
    expect(await translator.handle(call)).toMatchObject({ reason: "default" });
    expect(await translator.handle({ ...call, session_id: "s-7" })).toMatchObject({ reason: "s-7" });
    await expect(translator.handle({ ...call, session_id: 7 })).rejects.toMatchObject({
      code: "event-invalid",
    });
  });

  test("tenant, time and decision id come from the host, not from a message", async () => {
    const sees: FakeHook = {
      name: "sees",
      run: (event, context) => ({ action: "deny", reason: `${context.tenant} ${event.time}` }),
    };
    const { translator } = await speaking("pig", [sees]);
    const options = { tenant: "acme", time: "2026-01-01T00:00:00.000Z", decisionId: "d-1" };
    const reply = await translator.reply({ ...call, tenant: "other", decisionId: "d-2" }, options);
    expect(reply).toMatchObject({
      answer: { reason: "acme 2026-01-01T00:00:00.000Z" },
      decision: { decision_id: "d-1", tenant: "acme" },
      note: null,
    });
  });

  test("a stop that the system has no word for is an error that names hook and reason", async () => {
    const vetoes: FakeHook = {
      name: "vetoes",
      on: ["PostToolUse"],
      onFailure: "closed",
      run: () => {
        throw new Error("x");
      },
    };
    const { translator } = await speaking("hook-event", [vetoes]);
    const error = await translator
      .handle({ event: "post_tool_execution", tool_name: "a", tool_result: "b" })
      .catch((thrown: unknown) => thrown as HookwardenError);
    expect(error).toBeInstanceOf(HookwardenError);
    expect(error).toMatchObject({
      code: "dialect-unsupported",
      message: expect.stringMatching(/`block`.*`vetoes`/),
    });
  });

  test("several dialects speak with one warden, each by its own rules, and ours still counts beside them", async () => {
    const halts: FakeHook = { name: "halts", run: () => ({ action: "halt", reason: "over" }) };
    const { warden } = await fakeWarden([halts]);
    const pig = createDialect(warden, "pig");
    const athena = createDialect(warden, "ex-athena");
    const asAthena = { event: "PreToolUse", input: { tool_name: "bash", tool_input: {} } };
    const asOurs = { hook_event_name: "PreToolUse", session_id: "s", tool_name: "bash", tool_input: {} };
    for (let round = 0; round < 2; round++) {
      // Halting is no word of pig's: the hook has failed, and fails closed.
      expect(await pig.handle(call)).toMatchObject({
        decision: "ToolBlocked",
        reason: expect.stringContaining("illegal-action"),
      });
      expect(await athena.handle(asAthena)).toEqual({ halt: "over" });
      expect(await warden.dispatch(asOurs)).toMatchObject({ verdict: "halt" });
    }
  });

  test("a reload counts for messages that come after it", async () => {
    const { warden, sandbox } = await fakeWarden([denies]);
    const pig = createDialect(warden, "pig");
    expect(await pig.handle(call)).toMatchObject({ decision: "ToolBlocked" });
    const { fakePack } = await import("../support/fake-pack.ts");
    await warden.reload(fakePack(sandbox, [{ name: "quiet", run: () => null }]));
    expect(await pig.handle(call)).toEqual({ decision: "ToolAllowed" });
  });

  test("what a host does to its message afterwards changes nothing", async () => {
    const late: FakeHook = { name: "late", on: ["PostToolUse"], run: async () => null };
    const { translator } = await speaking("pig", [late]);
    const message = {
      event: "tool_result",
      tool_name: "a",
      tool_call_id: "c",
      result: "before",
      is_error: false,
      duration_ms: 1,
    };
    const answer = translator.handle(message);
    message.result = "after";
    expect(await answer).toMatchObject({ original_event: { result: "before" } });
  });

  test("a closed warden is an error", async () => {
    const { translator, warden } = await speaking("pig");
    await warden[Symbol.asyncDispose]();
    await expect(translator.handle(call)).rejects.toMatchObject({ code: "closed" });
  });
});
