import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { readEvent } from "../../src/broker/read-event.ts";
import { HookwardenError } from "../../src/errors/index.ts";
import { eventNames } from "../../src/catalogue/lookup.ts";
import { sampleEvent } from "../support/sample-events.ts";

const max = 10_000;
const read = (input: unknown): unknown => readEvent(input, max, 0).event;
const codeOf = (input: unknown): string => {
  try {
    readEvent(input, max, 0);
  } catch (error) {
    if (error instanceof HookwardenError) return error.code;
    throw error;
  }
  return "none";
};
const failing = (input: unknown): HookwardenError => {
  try {
    read(input);
  } catch (error) {
    return error as HookwardenError;
  }
  throw new Error("it was taken");
};
const event = sampleEvent("PreToolUse");
const text = JSON.stringify(event);

describe("an event", () => {
  test.each(eventNames)("%s is taken as an object, as text and as bytes", (name) => {
    const sample = sampleEvent(name, { time: "2026-01-01T00:00:00Z", extra: { a: [1, null, true] } });
    for (const input of [sample, JSON.stringify(sample), Buffer.from(JSON.stringify(sample))]) {
      expect(read(input)).toEqual(sample);
    }
  });

  test("gets a time where it has none, and keeps its own", () => {
    expect(readEvent(event, max, 1_700_000_000_000)).toMatchObject({
      clock: 1_700_000_000_000,
      event: { time: "2023-11-14T22:13:20.000Z" },
    });
    expect(readEvent({ ...event, time: "2026-01-01T01:00:00+01:00" }, max, 0)).toMatchObject({
      clock: Date.UTC(2026, 0, 1),
      event: { time: "2026-01-01T01:00:00+01:00" },
    });
  });

  test("is a copy: what the host does to its object later changes nothing", () => {
    const mine = structuredClone(event) as { tool_input: { command: string } };
    const taken = read(mine);
    mine.tool_input.command = "rm -rf /";
    expect(taken).toMatchObject({ tool_input: { command: "ls" } });
  });
});

describe("text that is refused", () => {
  test.each([
    ["no JSON", "{", "event-not-json"],
    ["empty", "", "event-not-json"],
    ["a duplicate key", '{"hook_event_name":"Stop","session_id":"a","session_id":"b"}', "event-not-json"],
    ["__proto__", '{"hook_event_name":"Stop","session_id":"a","__proto__":{}}', "event-not-json"],
    [
      "10,000 deep",
      `{"hook_event_name":"Stop","session_id":"a","x":${"[".repeat(10_000)}`,
      "event-too-large",
    ],
    ["200 deep", `{"x":${"[".repeat(200)}${"]".repeat(200)}}`, "event-not-json"],
    ["too large", JSON.stringify({ ...event, x: "y".repeat(max) }), "event-too-large"],
    ["an array", "[]", "event-invalid"],
    ["null", "null", "event-invalid"],
    ["no name", "{}", "event-invalid"],
    ["a name that is no text", '{"hook_event_name":1}', "event-invalid"],
    ["an unknown name", '{"hook_event_name":"PreTool","session_id":"a"}', "event-unknown"],
    ["a name of Object.prototype", '{"hook_event_name":"constructor","session_id":"a"}', "event-unknown"],
    ["a missing field", '{"hook_event_name":"PreToolUse","session_id":"a","tool_input":{}}', "event-invalid"],
    [
      "a field of the wrong type",
      '{"hook_event_name":"PreToolUse","session_id":"a","tool_name":"x","tool_input":[]}',
      "event-invalid",
    ],
    ["an empty session", '{"hook_event_name":"Stop","session_id":""}', "event-invalid"],
    [
      "a time that is none",
      '{"hook_event_name":"Stop","session_id":"a","time":"yesterday"}',
      "event-invalid",
    ],
    [
      "a day that does not exist",
      '{"hook_event_name":"Stop","session_id":"a","time":"2026-02-30T00:00:00Z"}',
      "event-invalid",
    ],
  ])("%s", (_, input, code) => {
    expect(codeOf(input)).toBe(code);
    expect(codeOf(Buffer.from(input))).toBe(code);
  });

  test("bytes that are not UTF-8", () => {
    expect(
      codeOf(
        Buffer.concat([Buffer.from('{"hook_event_name":"Stop","session_id":"'), Buffer.from([0xc3, 0x28])]),
      ),
    ).toBe("event-not-json");
  });

  test("says where and what, in one sentence, with the input escaped", () => {
    expect(failing({ ...event, tool_input: 3 })).toMatchObject({ place: { pointer: "/tool_input" } });
    expect(failing({ hook_event_name: "Stop" }).message).toContain("`session_id`");
    const name = failing({ hook_event_name: `x\u001b[2J\n\`${"y".repeat(500)}`, session_id: "a" });
    // oxlint-disable-next-line no-control-regex
    expect(name.message).not.toMatch(/[\u0000-\u001f]/);
    expect(name.message.length).toBeLessThan(200);
    expect(failing('{\n"a":\n}')).toMatchObject({ place: { line: 3, column: 1, pointer: "/a" } });
  });
});

describe("objects of a careless host", () => {
  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  let deep: unknown = 1;
  for (let index = 0; index < 10_000; index++) deep = [deep];
  test.each([
    ["a cycle", cycle],
    ["10,000 deep", deep],
    [
      "a throwing getter",
      Object.defineProperty({}, "x", {
        enumerable: true,
        get: () => {
          throw new Error("SECRET");
        },
      }),
    ],
    ["toJSON", { toJSON: () => ({}) }],
    ["a date", new Date(0)],
    ["a map", new Map()],
    ["an error", new Error("x")],
    [
      "a class",
      new (class Mine {
        a = 1;
      })(),
    ],
    ["a function", () => 1],
    ["a symbol", Symbol("x")],
    ["a bigint", 1n],
    ["NaN", Number.NaN],
    ["infinity", Infinity],
    ["undefined in an array", [undefined]],
    ["a hole", Array(2)],
    ["__proto__ as own key", JSON.parse('{"__proto__":{"polluted":1}}')],
    ["a key with a lone surrogate", { "\ud800": 1 }],
    [
      "a revoked proxy",
      (() => {
        const { proxy, revoke } = Proxy.revocable({}, {});
        revoke();
        return proxy;
      })(),
    ],
  ])("%s is `event-invalid`, with its place", (_, value) => {
    const error = failing({ ...event, extra: [value] });
    expect(error.code).toBe("event-invalid");
    expect(error.place.pointer).toMatch(/^\/extra\/0/);
    expect(error.message).not.toContain("SECRET");
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test.each([null, undefined, 3, true, [], new Date()])("%s is no event", (value) => {
    expect(codeOf(value)).toBe("event-invalid");
  });

  test("lone surrogates are replaced, in an object as in a text", () => {
    const odd = { ...event, session_id: "a\ud800", tool_input: { command: "\udfff" } };
    for (const input of [odd, JSON.stringify(odd)]) {
      expect(read(input)).toMatchObject({ session_id: "a\ufffd", tool_input: { command: "\ufffd" } });
    }
  });

  test("what JSON leaves out is left out, and plain data of another realm is taken", () => {
    expect(read({ ...event, gone: undefined })).not.toHaveProperty("gone");
    expect(read({ ...event, extra: runInNewContext("({ a: [1] })") as object })).toMatchObject({
      extra: { a: [1] },
    });
  });

  test("a getter is read once, and what it gave is what counts", () => {
    let reads = 0;
    const tricky = Object.defineProperty({ ...event }, "tool_input", {
      enumerable: true,
      get: () => ({ command: `call ${++reads}` }),
    });
    expect(read(tricky)).toMatchObject({ tool_input: { command: "call 1" } });
    expect(reads).toBe(1);
  });

  test.each([
    ["text", { x: "y".repeat(max) }],
    ["text that grows when it is written", { x: "\u0001".repeat(max / 5) }],
    ["wide characters", { x: "中".repeat(max / 2) }],
    ["an array of nothing much", { x: Array(max).fill(1) }],
    ["a sparse array", { x: Array(2 ** 32 - 1) }],
    ["keys", { x: Object.fromEntries(Array.from({ length: max / 4 }, (_, index) => [`key${index}`, 1])) }],
  ])("too much %s is `event-too-large`", (_, extra) => {
    expect(codeOf({ ...event, ...extra })).toBe("event-too-large");
  });

  test("the size limit is exact", () => {
    const size = Buffer.byteLength(JSON.stringify({ ...event, x: "" }));
    expect(codeOf({ ...event, x: "é".repeat((max - size) / 2) })).toBe("none");
    expect(codeOf({ ...event, x: "é".repeat((max - size) / 2 + 1) })).toBe("event-too-large");
    expect(codeOf(text.replace("{", `{${" ".repeat(max - text.length)}`))).toBe("none");
    expect(codeOf(text.replace("{", `{${" ".repeat(max - text.length + 1)}`))).toBe("event-too-large");
  });
});
