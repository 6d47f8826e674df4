import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { claudeHooks } from "../../src/claude-agent-sdk/index.ts";
import { hookDefaults, withHook } from "../../src/index.ts";
import { claudeEntries } from "./claude-entries.ts";
import { createWarden } from "hookwarden/warden";
import {
  bashTurn,
  noClient,
  runSession,
  type Session,
  textTurn,
} from "../../../../test/support/claude-client.ts";
import type { Block } from "../../../../test/support/messages-api.ts";
import { type PackHook, packFolder } from "./hook-pack.ts";

/** The real client of Claude Code, by way of its Agent SDK, against a stand-in for the model. */

if (noClient) console.warn(`skipped: the real client of Claude Code: ${noClient}`);

interface Run extends Session {
  /** Where the tool would leave a file. */
  readonly file: string;
}

type Way = (hook: PackHook, turns: (file: string) => readonly (readonly Block[])[]) => Promise<Run>;

const bySettings: Way = async (hook, turns) => {
  await using made = await packFolder(hook);
  const options = { ...hookDefaults, pack: made.pack, idleSeconds: 1 };
  const file = join(made.path, "left-behind");
  const settings = withHook("", claudeEntries(options));
  return { file, ...(await kept(file, runSession({ folder: made.path, turns: turns(file), settings }))) };
};

const inProcess: Way = async (hook, turns) => {
  await using made = await packFolder(hook);
  await using warden = await createWarden({ pack: made.pack });
  const file = join(made.path, "left-behind");
  const hooks = claudeHooks(warden);
  return { file, ...(await kept(file, runSession({ folder: made.path, turns: turns(file), hooks }))) };
};

/** Looks for the file before its folder goes away. */
async function kept(file: string, session: Promise<Session>): Promise<Session & { ran: boolean }> {
  const done = await session;
  return { ...done, ran: existsSync(file) };
}

const runs = (file: string) => [bashTurn(`echo secret-of-the-tool; touch '${file}'`), textTurn("ok")];
const didRun = (run: Run): boolean => (run as Run & { ran: boolean }).ran;
const pre = { on: ["PreToolUse"], matcher: "Bash" } as const;

describe.skipIf(noClient !== null).each([
  ["the hook in a settings file", bySettings],
  ["the hooks in process", inProcess],
] as const)("Claude Code with %s", (_, run) => {
  test("runs a tool that no hook stops", async () => {
    const session = await run({ ...pre, actions: ["deny"], does: "() => undefined" }, runs);
    expect(session.error).toBeNull();
    expect(didRun(session)).toBe(true);
    expect(session.results[0]).toContain("secret-of-the-tool");
  });

  test("does not run a tool that was denied, and gives the model the reason", async () => {
    const does = `() => ({ action: "deny", reason: "not on a Sunday" })`;
    const session = await run({ ...pre, actions: ["deny"], does }, runs);
    expect(didRun(session)).toBe(false);
    expect(session.results[0]).toContain("not on a Sunday");
  });

  test("runs what a hook made of the input", async () => {
    const does = `({ tool_input }) => ({ action: "modify_input", input: { ...tool_input, command: "echo rewritten" } })`;
    const session = await run({ ...pre, actions: ["modify_input"], does }, runs);
    expect(didRun(session)).toBe(false);
    expect(session.results[0]).toContain("rewritten");
    expect(session.results[0]).not.toContain("secret-of-the-tool");
  });

  test("shows the model what a hook made of the result", async () => {
    const does = `() => ({ action: "replace_result", result: "nothing to see" })`;
    const session = await run({ on: ["PostToolUse"], actions: ["replace_result"], does }, runs);
    expect(didRun(session)).toBe(true);
    expect(session.results[0]).toContain("nothing to see");
    expect(session.lastSeen.split("secret-of-the-tool")).toHaveLength(2);
  });

  test("withholds a result that was blocked", async () => {
    const does = `() => ({ action: "block", reason: "it holds a secret" })`;
    const session = await run({ on: ["PostToolUse"], actions: ["block"], does }, runs);
    expect(session.lastSeen).toContain("it holds a secret");
    // Once in the model's own call.
    expect(session.lastSeen.split("secret-of-the-tool")).toHaveLength(2);
  });

  test("hands context to the model", async () => {
    const does = `(event) => ({ action: "add_context", text: "context at " + event.hook_event_name })`;
    const on = ["SessionStart", "UserPromptSubmit", "PreToolUse"];
    const session = await run({ on, actions: ["add_context"], does }, runs);
    for (const event of on) expect(session.lastSeen).toContain(`context at ${event}`);
  });

  test("refuses a stop once, with feedback", async () => {
    const does = `(event) => event.stop_hook_active ? undefined : { action: "retry", feedback: "run the tests" }`;
    const session = await run({ on: ["Stop"], actions: ["retry"], does }, () => [
      textTurn("finished"),
      textTurn("really finished"),
    ]);
    expect(session.requests).toHaveLength(2);
    expect(session.lastSeen).toContain("run the tests");
  });

  test("does not send a prompt that was blocked", async () => {
    const does = `() => ({ action: "block", reason: "no prompts today" })`;
    const session = await run({ on: ["UserPromptSubmit"], actions: ["block"], does }, runs);
    expect(session.requests).toHaveLength(0);
  });

  // The client does not heed `continue: false` at the start of a session: the halt is held, and said at the prompt.
  test("ends a session that was halted at its start", async () => {
    const does = `() => ({ action: "halt", reason: "this machine is not allowed" })`;
    const session = await run({ on: ["SessionStart"], actions: ["halt"], does }, runs);
    expect(session.requests).toHaveLength(0);
  });

  test.each([
    ["crashes", `() => { throw new Error("oops"); }`],
    ["hangs", "() => { for (;;); }"],
    ["lies", `() => ({ action: "allow_everything" })`],
    ["does what it may not", `() => ({ action: "augment", text: "trust me" })`],
    ["eats the memory", `() => { const a = []; for (;;) a.push(new Array(1e5).fill(a.length)); }`],
  ])("does not run a tool whose hook %s", async (_, does) => {
    const session = await run({ ...pre, actions: ["deny"], does }, runs);
    expect(didRun(session)).toBe(false);
    expect(session.results[0]).toMatch(/hook `?one|hookwarden/);
  });

  test("shows no result whose hook crashes", async () => {
    const does = `() => { throw new Error("oops"); }`;
    const session = await run({ on: ["PostToolUse"], actions: ["replace_result"], does }, runs);
    expect(session.lastSeen.split("secret-of-the-tool")).toHaveLength(2);
  });
});

describe.skipIf(noClient !== null)("Claude Code with a settings file, where we fail", () => {
  const run = async (entry: (made: { pack: string }) => { readonly command?: string }) => {
    await using made = await packFolder({ ...pre, actions: ["deny"], does: "() => undefined" });
    const file = join(made.path, "left-behind");
    const options = { ...hookDefaults, pack: made.pack, idleSeconds: 1 };
    const entries = [...claudeEntries(options)]
      .filter(([event]) => event === "PreToolUse" || event === "PostToolUse")
      .map(([event, own]) => [event, { ...own, ...entry(made) }] as const);
    const settings = withHook("", new Map(entries));
    const session = await runSession({ folder: made.path, turns: runs(file), settings });
    return { ...session, ran: existsSync(file) };
  };

  test("a pack that is gone refuses every tool", async () => {
    const session = await run(({ pack }) => {
      void rm(pack, { recursive: true, force: true });
      return {};
    });
    expect(session.ran).toBe(false);
    expect(session.results[0]).toContain("hookwarden refuses this");
  });

  // Whatever ends the program but its own statuses (no memory, no Node, a signal) must not count as consent, also for
  // clients that do not know `onFailure`.
  test.each([
    ["no Node", "'/nonexistent/node' 'x' || exit 2"],
    [
      "no memory",
      `'${process.execPath}' --max-old-space-size=1 -e 'const a=[];for(;;)a.push([a])' || exit 2`,
    ],
  ])("%s refuses every tool", async (_, command) => {
    const session = await run(() => ({ command, onFailure: "continue" }));
    expect(session.ran).toBe(false);
  });
});
