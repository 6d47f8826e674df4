import { describe, expect, test } from "vitest";
import { PersistentInjections } from "../src/persistent-injections.ts";
import { asInput, fromInput, jsonView } from "../src/json-view.ts";
import { Mediator } from "../src/mediator.ts";
import { fakeWarden } from "../../../test/support/fake-warden.ts";

describe("a view for hooks", () => {
  test("is the JSON of a value, with bytes as a note that leads back to them", () => {
    const bytes = new Uint8Array([1, 2, 3]);
    const view = jsonView({ at: new Date(0), file: bytes, buffer: Buffer.from("ab"), gone: undefined });
    expect(view.value).toEqual({
      at: "1970-01-01T00:00:00.000Z",
      file: { $bytes: 3, $ref: expect.any(String) },
      buffer: { $bytes: 2, $ref: expect.any(String) },
    });
    expect(view.restore(view.value)).toMatchObject({ file: bytes });
  });

  // A model that writes such a note into its arguments must not get at bytes that it was not given.
  test("a note that was made up leads nowhere", () => {
    const view = jsonView({ file: new Uint8Array([1]), text: "x" });
    const forged = { file: { $ref: "0:0" }, other: { $ref: `${crypto.randomUUID()}:0` } };
    expect(view.restore(forged)).toEqual(forged);
    const shown = view.value as { file: { $ref: string } };
    const outside = { $ref: shown.file.$ref.replace(/:0$/, ":7") };
    expect(view.restore(outside)).toEqual(outside);
  });

  test("what has no JSON form is an error", () => {
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    expect(() => jsonView(cycle)).toThrow(/no JSON form/);
    expect(() => jsonView({ big: 1n })).toThrow(/no JSON form/);
  });

  test("keys that would change a prototype stay data", () => {
    const restored = jsonView({ b: new Uint8Array(1) }).restore(JSON.parse('{"__proto__":{"x":1}}')) as {
      x?: number;
    };
    expect(restored.x).toBeUndefined();
    expect(Object.hasOwn(restored, "__proto__")).toBe(true);
  });

  // Attack: hooks read U+FFFD where the tool gets half of a surrogate pair, which some take for another file's name.
  test("half of a surrogate pair reaches hooks and tools alike as U+FFFD", () => {
    const at = new Date(0);
    expect(jsonView("a\ud800").judged).toBe("a\ufffd");
    expect(jsonView({ path: "a\udfff", pair: "\u{1f600}" }).judged).toEqual({
      path: "a\ufffd",
      pair: "\u{1f600}",
    });
    const escaped = { at, text: "\\ud800" };
    expect(jsonView(escaped).judged).toBe(escaped);
    const bytes = new Uint8Array([1]);
    expect(jsonView({ path: "a\ud800", bytes }).judged).toEqual({ path: "a\ufffd", bytes });
  });

  test.each([[[1, 2]], ["text"], [7]])(
    "arguments that are no object travel as args, and back: %j",
    (value) => {
      expect(fromInput(value, asInput(value))).toEqual(value);
    },
  );
});

describe("injections messages", () => {
  const injections = (): PersistentInjections<string> => new PersistentInjections((message) => message);

  test("come back at their place as the conversation grows", () => {
    const one = injections();
    one.add(["a", "b"], ["x"]);
    one.add(["a", "b", "c"], ["y"]);
    expect(one.apply(["a", "b"])).toEqual(["a", "b", "x"]);
    expect(one.apply(["a", "b", "c", "d"])).toEqual(["a", "b", "x", "c", "y", "d"]);
  });

  test("stay away from another conversation", () => {
    const one = injections();
    one.add(["a", "b"], ["x"]);
    expect(one.apply(["a", "other", "c"])).toEqual(["a", "other", "c"]);
    expect(one.apply([])).toEqual([]);
  });
});

describe("a mediator", () => {
  test("rejects wrong options immediately", async () => {
    const { warden } = await fakeWarden([]);
    expect(() => new Mediator({ warden: {} as never })).toThrow(/`warden`/);
    expect(() => new Mediator({ warden, sessionId: "" })).toThrow(/`sessionId`/);
    expect(() => new Mediator({ warden, timeoutMs: 0 })).toThrow(/`timeoutMs`/);
  });

  test("passes on whose events they are, and reports failures", async () => {
    const failures: string[] = [];
    const { warden, sandbox } = await fakeWarden([{ name: "watcher", on: ["PreToolUse"], run: () => null }]);
    const mediator = new Mediator({
      warden,
      tenant: "acme",
      cwd: "/w",
      agentId: "a-1",
      agentType: "coder",
      onFailure: ({ code }) => void failures.push(code),
    });
    await mediator.decide("PreToolUse", { tool_name: "t", tool_input: {} });
    expect(sandbox.calls[0]?.tenant).toBe("acme");
    expect(JSON.parse(sandbox.calls[0]?.args[0] ?? "")).toMatchObject({
      cwd: "/w",
      agent_id: "a-1",
      agent_type: "coder",
    });
    await expect(mediator.decide("PreToolUse", { tool_name: "\u0000", tool_input: {} })).rejects.toThrow(
      /tool_name/,
    );
    expect(failures).toEqual(["event-invalid"]);
  });

  test("a listener that throws changes nothing", async () => {
    const { warden } = await fakeWarden([]);
    const mediator = new Mediator({
      warden,
      onDecision: () => {
        throw new Error("oops");
      },
    });
    const { verdict } = await mediator.decide("PreToolUse", { tool_name: "t", tool_input: {} });
    expect(verdict).toBe("continue");
  });
});
