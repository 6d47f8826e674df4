import { describe, expect, test } from "vitest";
import { type ClaudeHookInput, claudeHooks } from "../../src/claude-agent-sdk/index.ts";
import { eventNames } from "hookwarden/catalogue";
import { fakeWarden } from "../../../../test/support/fake-warden.ts";

const signal = new AbortController().signal;
const event = (fields: { readonly hook_event_name: string; readonly [field: string]: unknown }) =>
  fields as ClaudeHookInput;
const bash = (more: object = {}): ClaudeHookInput =>
  event({
    hook_event_name: "PreToolUse",
    session_id: "s",
    tool_name: "Bash",
    tool_input: { command: "ls" },
    tool_use_id: "t",
    ...more,
  });
const prompt = (session_id = "s"): ClaudeHookInput =>
  event({ hook_event_name: "UserPromptSubmit", session_id, prompt: "go" });

async function hooksOf(run: (event: any) => unknown, options: Parameters<typeof claudeHooks>[1] = {}) {
  const { warden } = await fakeWarden([{ name: "guard", on: eventNames, run }]);
  const hooks = claudeHooks(warden, options);
  const call = (input: ClaudeHookInput, at = signal): Promise<any> => {
    const hook = hooks[input.hook_event_name as "PreToolUse"][0]?.hooks[0];
    if (!hook) throw new Error("there is no hook");
    return hook(input, "t", { signal: at });
  };
  return { warden, call };
}

describe("hooks in process", () => {
  test("answer in the words of Claude Code", async () => {
    const { call } = await hooksOf((event) =>
      event.tool_input?.command === "ls" ? { action: "deny", reason: "no" } : undefined,
    );
    expect((await call(bash())).hookSpecificOutput).toMatchObject({ permissionDecision: "deny" });
    expect(await call(bash({ tool_input: { command: "pwd" } }))).toEqual({});
  });

  test("refuse when the warden is gone, and tell the host", async () => {
    const errors: unknown[] = [];
    const { warden, call } = await hooksOf(() => undefined, { onError: (error) => void errors.push(error) });
    await warden[Symbol.asyncDispose]();
    const answer = await call(bash());
    expect(answer.hookSpecificOutput.permissionDecision).toBe("deny");
    expect(answer.hookSpecificOutput.permissionDecisionReason).toContain("closed");
    expect(errors).toHaveLength(1);
  });

  test("refuse when the host's listener throws too", async () => {
    const onError = (): never => {
      throw new Error("listener");
    };
    const { call } = await hooksOf(() => undefined, { onError });
    expect((await call(bash({ tool_input: 7 }))).hookSpecificOutput.permissionDecision).toBe("deny");
  });

  test("refuse what takes too long, and what was given up", async () => {
    const { call } = await hooksOf(() => new Promise(() => undefined), { deadlineMs: 50 });
    expect((await call(bash())).hookSpecificOutput.permissionDecisionReason).toContain("within 50 ms");
    expect((await call(bash(), AbortSignal.abort())).hookSpecificOutput.permissionDecision).toBe("deny");
  });

  test.each([0, -1, 1.5, NaN, 600_001])("cannot have a deadline of %d", async (deadlineMs) => {
    await expect(hooksOf(() => undefined, { deadlineMs })).rejects.toThrow("`deadlineMs`");
  });

  // The SDK never calls hooks in process when a session starts.
  test("are asked about the start of a session at its first prompt", async () => {
    const seen: string[] = [];
    const { call } = await hooksOf((event) => {
      seen.push(`${event.hook_event_name} ${event.session_id}`);
      return event.hook_event_name === "SessionStart"
        ? { action: "add_context", text: "at the start" }
        : { action: "add_context", text: "at the prompt" };
    });
    const first = await call(prompt());
    expect(first.hookSpecificOutput.hookEventName).toBe("UserPromptSubmit");
    expect(first.hookSpecificOutput.additionalContext).toMatch(/at the start[^]*at the prompt/);
    expect((await call(prompt())).hookSpecificOutput.additionalContext).not.toContain("at the start");
    await call(prompt("another"));
    expect(seen).toEqual([
      "SessionStart s",
      "UserPromptSubmit s",
      "UserPromptSubmit s",
      "SessionStart another",
      "UserPromptSubmit another",
    ]);
  });

  test("refuse every prompt of a session that was halted at its start", async () => {
    const { call } = await hooksOf((event) =>
      event.hook_event_name === "SessionStart" ? { action: "halt", reason: "not here" } : undefined,
    );
    for (let times = 0; times < 2; times++) {
      expect(await call(prompt())).toMatchObject({ continue: false, decision: "block", reason: "not here" });
    }
  });
});
