import { describe, expect, test } from "vitest";
import { type BrokerEvent, EventView } from "../../src/broker/event.ts";
import { ProjectorPool } from "../../src/broker/project.ts";

const event = {
  hook_event_name: "PreToolUse",
  session_id: "s1",
  time: "2026-01-01T00:00:00.000Z",
  cwd: "/home/me",
  tool_name: "Bash",
  tool_input: { command: "ls", other: "SECRET", deep: { list: [{ a: 1, b: 2 }, "x", [3]] } },
  transcript_path: "/SECRET",
} as BrokerEvent;

const see = (reads: readonly string[], from: object = event): unknown =>
  JSON.parse(new ProjectorPool().compile("PreToolUse", reads)(new EventView(from as BrokerEvent)));

describe("a projection", () => {
  test.each([
    [[], { hook_event_name: "PreToolUse" }],
    [["hook_event_name"], { hook_event_name: "PreToolUse" }],
    [["tool_input.command"], { hook_event_name: "PreToolUse", tool_input: { command: "ls" } }],
    [["tool_name", "session_id"], { hook_event_name: "PreToolUse", tool_name: "Bash", session_id: "s1" }],
    [
      ["tool_input.deep.list.0.a"],
      { hook_event_name: "PreToolUse", tool_input: { deep: { list: [{ a: 1 }] } } },
    ],
    [
      ["tool_input.deep.list.2"],
      { hook_event_name: "PreToolUse", tool_input: { deep: { list: [null, null, [3]] } } },
    ],
    [["tool_input.deep.list.length"], { hook_event_name: "PreToolUse" }],
    [["tool_input.deep.list.9"], { hook_event_name: "PreToolUse" }],
    [["tool_input.command.length"], { hook_event_name: "PreToolUse" }],
    [["tool_input.nothing", "nothing"], { hook_event_name: "PreToolUse" }],
    [["transcript_path"], { hook_event_name: "PreToolUse", transcript_path: "/SECRET" }],
    [
      ["constructor", "__proto__", "tool_input.toString", "tool_input.__proto__"],
      { hook_event_name: "PreToolUse" },
    ],
  ])("of %j", (reads, expected) => {
    expect(see(reads)).toEqual(expected);
  });

  test("of `*` is all catalogue fields, and no extra field", () => {
    const { transcript_path: _, ...rest } = event;
    expect(see(["*"])).toEqual(rest);
    expect(see(["*", "transcript_path"])).toEqual(event);
  });

  test("a whole field swallows its parts, whichever comes first", () => {
    for (const reads of [
      ["tool_input", "tool_input.command"],
      ["tool_input.command", "tool_input"],
      ["tool_input.command", "*"],
    ]) {
      expect(see(reads)).toMatchObject({ tool_input: event.tool_input });
    }
  });

  test("never looks through a prototype", () => {
    const inherited = Object.create({ cwd: "/SECRET", tool_input: { command: "SECRET" } }) as object;
    Object.assign(inherited, { hook_event_name: "PreToolUse" });
    expect(see(["*", "tool_input.command"], inherited)).toEqual({ hook_event_name: "PreToolUse" });
  });

  test("of values of any shape is left out where the path does not fit", () => {
    for (const tool_input of [null, "text", 3, true, [], ["x"]]) {
      expect(see(["tool_input.command"], { hook_event_name: "PreToolUse", tool_input })).toEqual({
        hook_event_name: "PreToolUse",
      });
    }
  });
});

describe("texts", () => {
  test("of the same projection are made once for a state of the event", () => {
    const pool = new ProjectorPool();
    const one = pool.compile("PreToolUse", ["tool_name", "tool_input.command"]);
    expect(pool.compile("PreToolUse", ["tool_input.command", "tool_name", "tool_input.command"])).toBe(one);
    expect(pool.compile("PostToolUse", ["tool_name", "tool_input.command"])).not.toBe(one);
    expect(pool.compile("PreToolUse", ["tool_name"])).not.toBe(one);
    const view = new EventView(event);
    const before = one(view);
    view.set("tool_input", { command: "new" });
    expect(before).toContain('"ls"');
    expect(one(view)).toContain('"new"');
    expect(event.tool_input).toMatchObject({ command: "ls" });
  });
});
