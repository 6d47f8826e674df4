import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { claudeEvents } from "./claude-entries.ts";
import { claudeCode } from "hookwarden/dialects";
import { claudeHooks } from "../../src/claude-agent-sdk/index.ts";
import { noClient, runSession, textTurn } from "../../../../test/support/claude-client.ts";
import { fakeWarden } from "../../../../test/support/fake-warden.ts";
import { folder } from "../../../../test/cli/cli.ts";

/** Everything that Claude Code can tell, and every way in which something can run there, has a stated treatment. */

const page = readFileSync(new URL("../../../../docs/claude-code.md", import.meta.url), "utf8");

/** First and second column of a table under a heading. */
function tableUnder(heading: string): [string, string][] {
  const section = page.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
  return section
    .split("\n")
    .filter((line) => line.startsWith("| ") && !line.startsWith("| -"))
    .slice(1)
    .map(
      (line) =>
        line
          .split("|")
          .slice(1, 3)
          .map((cell) => cell.trim()) as [string, string],
    );
}

/** The events of Claude Code's Agent SDK 0.3.330, from its `HOOK_EVENTS`. */
const events =
  `PreToolUse PostToolUse PostToolUseFailure PostToolBatch Notification UserPromptSubmit UserPromptExpansion
  SessionStart SessionEnd Stop StopFailure SubagentStart SubagentStop PreCompact PostCompact PreModelSwitch
  PostModelSwitch PermissionRequest PermissionDenied Setup TeammateIdle TaskCreated TaskCompleted Elicitation
  ElicitationResult ConfigChange WorktreeCreate WorktreeRemove InstructionsLoaded CwdChanged FileChanged DirectoryAdded
  MessageDisplay`.split(/\s+/);

const stated = new Map(tableUnder("Events").map(([name, what]) => [name.replaceAll("`", ""), what]));

describe("the events of Claude Code", () => {
  test("all stand in the page, and no others", () => {
    expect([...stated.keys()].sort()).toEqual([...events].sort());
  });

  test.each(events)("%s is treated as the page says", (event) => {
    const what = stated.get(event) ?? "";
    if (claudeEvents.includes(event)) expect(what).toMatch(/^(decided|observed)/);
    else expect(what).toMatch(/^(passes untouched|never installed)/);
  });

  test.each(events)("%s is understood by the dialect", (event) => {
    const fields = { hook_event_name: event, session_id: "s" };
    expect(() => claudeCode.parse(fields)).not.toThrow();
    expect(claudeCode.parse(fields).row === null).toBe(!claudeEvents.includes(event));
  });

  // A hook there takes the place of what Claude Code does itself, so that an empty answer would break it.
  test("that replace a part of Claude Code are never hooked", () => {
    expect(claudeEvents.filter((event) => event.startsWith("Worktree"))).toEqual([]);
  });

  test("have a matcher each in process, without a pattern that could leave out a tool", async () => {
    const { warden } = await fakeWarden([{ name: "guard", run: () => null }]);
    const hooks = claudeHooks(warden);
    expect(Object.keys(hooks)).toEqual([...claudeEvents]);
    for (const matchers of Object.values(hooks)) {
      expect(matchers).toHaveLength(1);
      expect(Object.keys(matchers[0] ?? {}).sort()).toEqual(["hooks", "onFailure", "timeout"]);
      expect(matchers[0]?.onFailure).toBe("block");
    }
  });
});

describe("the ways in which something can run", () => {
  const ways = tableUnder("Coverage of tool calls");

  test("are each said to be covered, or not", () => {
    expect(ways.length).toBeGreaterThan(12);
    for (const [way, covered] of ways)
      expect([way, covered]).toEqual([way, expect.stringMatching(/^(yes|no|its|only)\b/)]);
  });
});

const tools: readonly (readonly [string, string, object])[] = [
  ["a built-in tool", "Bash", { command: "echo hi", description: "x" }],
  ["a tool that writes", "Write", { file_path: "/tmp/never", content: "x" }],
  ["a tool that reads", "Read", { file_path: "/etc/hostname" }],
  [
    "a tool that makes a subagent",
    "Task",
    { description: "d", prompt: "p", subagent_type: "general-purpose" },
  ],
  ["a tool that fetches", "WebFetch", { url: "http://127.0.0.1:9/", prompt: "x" }],
  ["a tool that searches the web", "WebSearch", { query: "anything" }],
  ["a tool that keeps tasks", "TaskCreate", { subject: "s", description: "d", activeForm: "s" }],
  ["a tool that plans work", "CronCreate", { cron: "* * * * *", prompt: "x" }],
  ["a skill", "Skill", { skill: "simplify" }],
  [
    "a workflow",
    "Workflow",
    { script: "export const meta = { name: 'x', description: 'y', phases: [] };\nreturn 1;" },
  ],
  ["a monitor", "Monitor", { command: "echo hi", description: "x" }],
];

describe.skipIf(noClient !== null)("with the real client", () => {
  test.each(tools)("%s is denied before it runs", async (_, name, input) => {
    await using made = await folder();
    const { warden } = await fakeWarden([
      { name: "guard", run: () => ({ action: "deny", reason: "no tools today" }) },
    ]);
    const session = await runSession({
      folder: made.path,
      hooks: claudeHooks(warden),
      allowedTools: [name],
      turns: [[{ type: "tool_use", id: "toolu_1", name, input }], textTurn("ok")],
    });
    expect(session.results[0]).toContain("no tools today");
  });
});
