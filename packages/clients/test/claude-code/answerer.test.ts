import { describe, expect, test } from "vitest";
import { Answerer } from "../../src/translate/answerer.ts";
import { failClosedAnswer } from "../../src/hook/fail-closed-answer.ts";
import { eventNames } from "hookwarden/catalogue";
import { claudeCode } from "hookwarden/dialects";
import { MemoryStateStore } from "hookwarden/state";
import { fakeWarden } from "../../../../test/support/fake-warden.ts";
import { recorded, recordedAt } from "./recorded.ts";

async function answererOf(run: (event: any) => unknown, store = new MemoryStateStore()) {
  const { warden } = await fakeWarden([{ name: "guard", on: eventNames, run }]);
  return new Answerer(warden, { store });
}

const titled = recorded.map((input, index) => [`${index + 1} ${input.hook_event_name}`, input] as const);

describe("what the real client has sent", () => {
  test.each(titled)("input %s is understood, as an object and as bytes", async (_, input) => {
    const seen: unknown[] = [];
    const answerer = await answererOf((event) => void seen.push(event));
    expect(await answerer.answer(input)).toEqual({});
    expect(await answerer.answer(Buffer.from(JSON.stringify(input)))).toEqual({});
    expect(seen).toHaveLength(claudeCode.rows.has(input.hook_event_name) ? 2 : 0);
  });

  test("holds the events that a session is made of", () => {
    expect([...new Set(recorded.map(({ hook_event_name }) => hook_event_name))].sort()).toEqual([
      "PermissionRequest",
      "PostToolBatch",
      "PostToolUse",
      "PostToolUseFailure",
      "PreCompact",
      "PreToolUse",
      "SessionEnd",
      "SessionStart",
      "Stop",
      "SubagentStart",
      "SubagentStop",
      "UserPromptSubmit",
    ]);
  });

  test("names nothing of the machine it was recorded on", () => {
    for (const input of recorded) {
      const text = JSON.stringify(input);
      expect(text).not.toMatch(/hookwarden-|\/root|\/work\/|20\d\d-\d\d-\d\dT/);
      expect(input.session_id).toBe("00000000-0000-4000-8000-000000000000");
    }
  });
});

describe("an answer that closes", () => {
  const stopAt: { readonly [event: string]: string } = {
    SessionStart: "halt",
    SubagentStart: "halt",
    UserPromptSubmit: "block",
    PreToolUse: "deny",
    PermissionRequest: "deny",
    PostToolUse: "block",
    PreCompact: "block",
  };
  const inputs = recorded.filter(({ hook_event_name }) => hook_event_name in stopAt);

  // Made without the dialect, so that a client that can load nothing can give it; the two must not drift apart.
  test.each(inputs.map((input, index) => [`${index + 1} ${input.hook_event_name}`, input] as const))(
    "to %s is the dialect's own refusal",
    async (_, input) => {
      const action = stopAt[input.hook_event_name] as string;
      const answerer = await answererOf(() => ({ action, reason: "no" }));
      const said = JSON.stringify(await answerer.answer(input));
      const fenced = /The quoted lines.*?third-party text of hook \\"guard\\"\]\\n\| no\\n\[.*?\]/gs;
      expect(JSON.parse(said.replaceAll(fenced, "no"))).toEqual(failClosedAnswer(input, "no"));
    },
  );

  test("knows every event at which a hook can stop something", () => {
    for (const [event, row] of claudeCode.rows) {
      if (Object.keys(row.stops).every((verdict) => verdict === "halt")) continue;
      const answer = failClosedAnswer({ hook_event_name: event }, "no");
      expect([event, Object.keys(answer)]).not.toEqual([event, ["systemMessage"]]);
    }
  });

  // A model that may never stop works for ever, at its owner's cost.
  test.each(["Stop", "SubagentStop"])("refuses a %s once, and not again", (hook_event_name) => {
    expect(failClosedAnswer({ hook_event_name, stop_hook_active: false }, "no")).toEqual({
      decision: "block",
      reason: "no",
    });
    expect(failClosedAnswer({ hook_event_name, stop_hook_active: true }, "no")).toEqual({
      systemMessage: "no",
    });
  });

  test("holds nothing of a result", () => {
    for (const input of recordedAt("PostToolUse")) {
      const response = input["tool_response"] as { readonly [field: string]: unknown };
      const text = JSON.stringify(failClosedAnswer(input, "no"));
      for (const field of ["stdout", "content", "prompt", "outputFile"]) {
        const value = response[field];
        if (typeof value === "string" && value !== "") expect(text).not.toContain(JSON.stringify(value));
      }
    }
  });

  test.each([
    [null],
    [[]],
    ["text"],
    [7],
    [{}],
    [{ hook_event_name: "__proto__" }],
    [{ hook_event_name: {} }],
  ])("is one for %j too", (message) =>
    expect(failClosedAnswer(message, "no")).toEqual({ systemMessage: "no" }),
  );
});

describe("a halt that is not heard at once", () => {
  const session = "00000000-0000-4000-8000-000000000000";
  const at = (hook_event_name: string, more: object = {}) => ({
    hook_event_name,
    session_id: session,
    ...more,
  });
  const bash = (more: object = {}) =>
    at("PreToolUse", { tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "t", ...more });
  const haltAt = (event: string) => (given: { hook_event_name: string }) =>
    given.hook_event_name === event ? { action: "halt", reason: "enough" } : undefined;

  test("at the start of a session refuses prompts and tools until it starts anew", async () => {
    let halts = true;
    const answerer = await answererOf((event) => (halts ? haltAt("SessionStart")(event) : undefined));
    await answerer.answer(at("SessionStart", { source: "startup" }));
    for (let times = 0; times < 2; times++) {
      expect(await answerer.answer(at("UserPromptSubmit", { prompt: "go" }))).toMatchObject({
        continue: false,
        decision: "block",
        reason: "enough",
      });
      expect(await answerer.answer(bash())).toMatchObject({
        continue: false,
        hookSpecificOutput: { permissionDecision: "deny" },
      });
    }
    expect(await answerer.answer({ ...bash(), session_id: "another" })).toEqual({});
    halts = false;
    await answerer.answer(at("SessionStart", { source: "clear" }));
    expect(await answerer.answer(bash())).toEqual({});
  });

  test("of a subagent holds for that subagent", async () => {
    const answerer = await answererOf(haltAt("SubagentStart"));
    await answerer.answer(at("SubagentStart", { agent_id: "a1", agent_type: "x" }));
    expect(await answerer.answer(bash({ agent_id: "a1", agent_type: "x" }))).toMatchObject({
      continue: false,
    });
    expect(await answerer.answer(bash({ agent_id: "a2", agent_type: "x" }))).toEqual({});
    expect(await answerer.answer(bash())).toEqual({});
  });

  test("of a turn holds until the turn has ended", async () => {
    const answerer = await answererOf(haltAt("PostToolUseFailure"));
    const failure = at("PostToolUseFailure", { tool_name: "Bash", tool_input: {}, error: "no" });
    await answerer.answer(failure);
    expect(await answerer.answer(bash())).toMatchObject({ continue: false });
    await answerer.answer(at("UserPromptSubmit", { prompt: "again" }));
    expect(await answerer.answer(bash())).toEqual({});
    await answerer.answer(failure);
    await answerer.answer(at("Stop", { stop_hook_active: false }));
    expect(await answerer.answer(bash())).toEqual({});
  });

  test("is known to another process that has the same store", async () => {
    const store = new MemoryStateStore();
    const first = await answererOf(haltAt("SessionStart"), store);
    await first.answer(at("SessionStart", { source: "startup" }));
    const second = await answererOf(() => undefined, store);
    expect(await second.answer(bash())).toMatchObject({ continue: false });
  });
});
