import { expect } from "vitest";
import { conformance, errorOf, packOf, type RuleHook } from "../harness.ts";

/** The rules of Eai's hook pipeline, one test each. The titles name the section or function of its documentation. */

const pre = { run: "pre", tool: "Fs.write", payload: { path: "a", steps: [] as string[] } };
const post = { run: "post", tool: "Fs.write", payload: { path: "a" }, result: "r" };
const terminal = { run: "terminal", tool: "PTY.Session", payload: { id: 1 }, reason: "shutdown" };

const step = (name: string, priority?: number): RuleHook => ({
  name,
  on: "PreToolUse",
  ...(priority === undefined ? {} : { priority }),
  does: `({ tool_input }) => ({ action: "modify_input", input: { ...tool_input, steps: [...tool_input.steps, ${JSON.stringify(name)}] } })`,
});
const append = (name: string, priority?: number): RuleHook => ({
  name,
  on: "PostToolUse",
  ...(priority === undefined ? {} : { priority }),
  does: `({ tool_response }) => ({ action: "replace_result", result: tool_response + ${JSON.stringify(name)} })`,
});

conformance("eai", ({ rule }) => {
  rule(
    "run pre: with no hook, or hooks that say `:ok`, the call goes on as it is",
    [{ name: "ok", on: "PreToolUse" }],
    async ({ say }) => {
      expect(await say(pre)).toEqual({ ok: true });
      expect(await say({ ...pre, payload: [1, "a"] })).toEqual({ ok: true });
      expect(await say(post)).toEqual({ ok: "r" });
    },
  );

  rule(
    "Pipeline semantics: pre-hooks run in ascending priority, lowest first, whatever the order of registration",
    [step("c", 30), step("a", 10), step("b", 20)],
    async ({ say }) => expect(await say(pre)).toEqual({ modify: { path: "a", steps: ["a", "b", "c"] } }),
  );

  rule(
    "Pipeline semantics: post-hooks run in ascending priority, and each sees what the earlier ones made of the result",
    [append("3", 30), append("1", 10), append("2", 20)],
    async ({ say }) => expect(await say(post)).toEqual({ ok: "r123" }),
  );

  rule(
    "Pipeline semantics: a block of any hook ends the pipeline at once; it is a veto, not a vote",
    [
      step("first", 1),
      { name: "vetoes", on: "PreToolUse", priority: 2, returns: { action: "deny", reason: "read-only" } },
      step("never", 3),
    ],
    async (host) => {
      expect(await host.say(pre)).toEqual({ block: "read-only" });
      expect(host.ran).toEqual(["first discarded", "vetoes honoured"]);
    },
  );

  rule(
    "Why reduce_while for post-hooks: a block suppresses the result, and later hooks do not see it",
    [
      append("1", 1),
      { name: "vetoes", on: "PostToolUse", priority: 2, returns: { action: "block", reason: "secret" } },
      append("3", 3),
    ],
    async (host) => {
      expect(await host.say(post)).toEqual({ block: "secret" });
      expect(host.ran).toEqual(["1 discarded", "vetoes honoured"]);
    },
  );

  rule(
    "Hook errors: the call goes on as if the hook had said `:ok`, and the error is told",
    [
      step("works"),
      { name: "raises", on: ["PreToolUse", "PostToolUse"], does: `() => { throw new Error("boom"); }` },
      { name: "garbage", on: ["PreToolUse", "PostToolUse"], returns: "nonsense" },
    ],
    async (host) => {
      const told: string[] = [];
      host.warden.on("fault", ({ hook, fault }) => told.push(`${hook} ${fault.code}`));
      expect(await host.say(pre)).toEqual({ modify: { path: "a", steps: ["works"] } });
      expect(await host.say(post)).toEqual({ ok: "r" });
      expect(told).toEqual([
        "raises threw",
        "garbage invalid-output",
        "raises threw",
        "garbage invalid-output",
      ]);
    },
  );

  rule(
    "Hook errors: a pack that says otherwise is obeyed, and a failing hook is a veto",
    [{ name: "raises", on: "PreToolUse", does: `() => { throw new Error("boom"); }` }],
    async ({ say }) => expect((await say(pre)).block).toContain("raises"),
    { defaults: { onFailure: "closed" } },
  );

  rule(
    "Why not pass args as accumulator: later hooks see modified arguments, and one that says nothing never loses them",
    [
      step("one", 1),
      { name: "ok", on: "PreToolUse", priority: 2 },
      step("two", 3),
      { name: "ok-too", on: "PreToolUse", priority: 4 },
    ],
    async ({ say }) => expect(await say(pre)).toEqual({ modify: { path: "a", steps: ["one", "two"] } }),
  );

  rule(
    "run pre: arguments that are a list come and go as one",
    [
      {
        name: "doubles",
        on: "PreToolUse",
        does: `({ tool_input: { args } }) => ({ action: "modify_input", input: { args: args.map((n) => n * 2) } })`,
      },
    ],
    async ({ say }) => {
      expect(await say({ ...pre, payload: [1, 2] })).toEqual({ modify: [2, 4] });
      expect(await say({ ...pre, payload: { args: [1, 2] } })).toEqual({ modify: { args: [2, 4] } });
    },
  );

  rule(
    "run pre: a rewrite that makes something else of a list cannot be said",
    [
      {
        name: "breaks",
        on: "PreToolUse",
        returns: { action: "modify_input", input: { args: [1], more: 2 } },
      },
    ],
    async ({ say }) => {
      const error = await errorOf(say({ ...pre, payload: [1] }));
      expect(error.code).toBe("dialect-unsupported");
      expect(error.message).toContain("breaks");
    },
  );

  rule(
    "LLM hooks: they follow the pattern of tool hooks, and the tool is called LLM_REQUEST",
    [
      {
        name: "llm",
        on: ["PreToolUse", "PostToolUse"],
        matcher: "LLM_REQUEST",
        does: `{
          PreToolUse: ({ tool_name, tool_input }) => ({ action: "modify_input", input: { ...tool_input, session: tool_name } }),
          PostToolUse: ({ tool_response: [tag, reply, history] }) => ({ action: "replace_result", result: [tag, reply + "!", history] }),
        }`,
      },
    ],
    async ({ say }) => {
      const payload = { messages: [{ role: "user", content: "hi" }], opts: { n: 1 } };
      expect(await say({ run: "llm_pre", payload })).toEqual({
        modify: { ...payload, session: "LLM_REQUEST" },
      });
      expect(await say({ run: "llm_post", payload, result: ["ok", "hello", []] })).toEqual({
        ok: ["ok", "hello!", []],
      });
      expect(await say(pre)).toEqual({ ok: true });
    },
  );

  rule(
    "llm_pre_hooks/4: a block aborts the request; llm_post_hooks/5: a block discards the response",
    [
      {
        name: "a",
        on: "PreToolUse",
        does: `({ tool_input }) => tool_input.bad ? { action: "deny", reason: "no request" } : null`,
      },
      { name: "b", on: "PostToolUse", returns: { action: "block", reason: "no response" } },
    ],
    async ({ say }) => {
      expect(await say({ run: "llm_pre", payload: { bad: true } })).toEqual({ block: "no request" });
      expect(await say({ run: "llm_pre", payload: {} })).toEqual({ ok: true });
      expect(await say({ run: "llm_post", payload: {}, result: ["error", "x", []] })).toEqual({
        block: "no response",
      });
    },
  );

  rule(
    "Terminal events: hooks tell them by their result, which is marked as terminated",
    [
      {
        name: "cleans",
        on: "PostToolUse",
        does: `({ tool_response, tool_name }) => ({ action: "notify", text: tool_name + " " + JSON.stringify(tool_response) })`,
      },
    ],
    async (host) => {
      expect(await host.say(terminal)).toEqual({ ok: true });
      expect(host.last.additions.notices[0]?.text).toBe('PTY.Session {"terminated":"shutdown"}');
    },
  );

  rule(
    "Terminal events, semantics: a block ends the chain of hooks, and stops nothing else",
    [
      { name: "first", on: "PostToolUse", priority: 1 },
      { name: "vetoes", on: "PostToolUse", priority: 2, returns: { action: "block", reason: "live on" } },
      { name: "never", on: "PostToolUse", priority: 3 },
    ],
    async (host) => {
      expect(await host.say(terminal)).toEqual({ ok: true });
      expect(host.ran).toEqual(["first honoured", "vetoes honoured"]);
    },
  );

  rule(
    "Terminal events: there is no result to reduce, and what a hook makes of it counts for nothing",
    [append("x"), { name: "after", on: "PostToolUse", returns: { action: "notify", text: "cleaned" } }],
    async (host) => {
      expect(await host.say(terminal)).toEqual({ ok: true });
      expect(host.last.changes).toEqual({});
      expect(host.last.additions.notices).toHaveLength(1);
    },
  );

  rule(
    "hooks/0: the registered hooks are listed; there may be none",
    [step("b", 20), step("a", 10)],
    async ({ warden }) => {
      expect(warden.hooks().map(({ name, priority }) => [name, priority])).toEqual([
        ["b", 20],
        ["a", 10],
      ]);
      await using empty = await (
        await import("../../../src/warden/index.ts")
      ).createWarden({ pack: packOf([]), sandbox: warden.sandbox });
      expect(empty.hooks()).toEqual([]);
    },
  );

  rule(
    "register/1, reload: other hooks take the place of the old ones while the hub serves",
    [step("old")],
    async ({ warden, say }) => {
      expect(await say(pre)).toEqual({ modify: { path: "a", steps: ["old"] } });
      await warden.reload(packOf([step("new", 2), step("newer", 1)]));
      expect(await say(pre)).toEqual({ modify: { path: "a", steps: ["newer", "new"] } });
    },
  );

  rule(
    "Functions: there are five kinds of runs, and any other is refused",
    [],
    async ({ say, translator }) => {
      expect([...translator.dialect.rows.keys()]).toEqual(["pre", "post", "llm_pre", "llm_post", "terminal"]);
      for (const run of ["Pre", "llm", "constructor", ""])
        expect((await errorOf(say({ ...pre, run }))).code).toBe("event-unknown");
      expect((await errorOf(say({ run: "pre", tool: "a" }))).place.pointer).toBe("/payload");
      expect((await errorOf(say({ run: "pre", payload: {} }))).place.pointer).toBe("/tool");
      expect((await errorOf(say({ ...pre, payload: "text" }))).code).toBe("event-invalid");
    },
  );
});
