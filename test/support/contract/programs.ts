import { expect } from "vitest";
import { defaultLimits } from "@hookwarden/sandbox";
import type { Part } from "./harness.ts";

/** How programs are loaded, and which of their functions are called with what. */
export function programs({ test }: Part): void {
  test("calls a function, or the own function of the handler's name", async ({ value }) => {
    expect(await value("export default function () { return 1; }")).toBe(1);
    expect(await value("const hook = () => 2; export { hook as default };")).toBe(2);
    expect(await value("export default { PreToolUse: () => 3, Stop: () => 4 };", { handler: "Stop" })).toBe(
      4,
    );
    expect(await value("export default { async Stop() { return 5; } };", { handler: "Stop" })).toBe(5);
    expect(await value("export default { get Stop() { return () => 6; } };", { handler: "Stop" })).toBe(6);
    expect(
      await value("export default Object.freeze({ __proto__: null, Stop: () => 7 });", { handler: "Stop" }),
    ).toBe(7);
    expect(await value("export const other = 1; export default new Proxy(() => 8, {});")).toBe(8);
    expect(await value("await Promise.resolve(); export default await (async () => () => 9)();")).toBe(9);
  });

  test("knows no handler that is not an own function", async ({ fault }) => {
    for (const handler of [
      "Stop",
      "constructor",
      "toString",
      "__proto__",
      "hasOwnProperty",
      "",
      "PreToolUse ",
      "pretooluse",
    ]) {
      expect(await fault("export default { PreToolUse: () => 1, Other: 1 };", { handler }), handler).toBe(
        "load-failed",
      );
    }
    expect(await fault("export default { PreToolUse: { call: () => 1 } };")).toBe("load-failed");
    expect(await fault("class Hook { PreToolUse() {} } export default new Hook();")).toBe("load-failed");
    expect(
      await fault("export default Object.create({ PreToolUse() {} }, { Stop: { value: () => 1 } });"),
    ).toBe("load-failed");
  });

  test("fails to load what is no module with a default export", async ({ call }) => {
    for (const source of [
      "",
      "export const PreToolUse = () => 1;",
      "export default null;",
      "export default undefined;",
      "export default 'text';",
      "export default 1;",
      "export default {};",
      "export default { Stop: 1 };",
      "export default [() => 1];",
      "module.exports = () => 1;",
      "export default function (",
      "export default () => 1; export default () => 2;",
      "with ({}) {} export default () => 1;",
      "await new Promise(() => {}); export default () => 1;",
      "export default () => 1; await new Promise(() => {});",
      "throw new Error('at load'); export default () => 1;",
      "export default () => 1; throw null;",
      "await Promise.reject(new Error('later')); export default () => 1;",
      "null.x; export default function () {}",
      "import fs from 'fs'; export default () => 1;",
      "import 'node:fs'; export default () => 1;",
      "import './hook.js'; export default () => 1;",
      "import * as self from 'hook.js'; export default () => 1;",
      "import json from './a.json' with { type: 'json' }; export default () => 1;",
      "export * from 'fs'; export default () => 1;",
      "export { default } from 'node:process';",
      "import 'data:text/javascript,1'; export default () => 1;",
      "export { missing as default };",
      "export default new Proxy({}, { ownKeys() { throw new Error('x'); } });",
      "export default Object.defineProperty({}, 'Stop', { enumerable: true, get() { throw 1; } });",
      "throw { get message() { throw 1; }, get stack() { throw 2; } }; export default () => 1;",
    ]) {
      const outcome = await call(source);
      expect(outcome, source).toMatchObject({ ok: false, fault: { code: "load-failed" } });
      expect(outcome.ok ? "" : outcome.fault.message, source).toMatch(/^[^\n]{1,1000}$/);
      // And once more: what is remembered of the failure is the same.
      expect(await call(source), source).toMatchObject({ ok: false, fault: { code: "load-failed" } });
    }
  });

  test("ends a program that does not end while it is loaded", async ({ fault }) => {
    for (const source of [
      "for (;;); export default () => 1;",
      "for (;;) await null; export default () => 1;",
      "export default new Proxy({}, { ownKeys() { for (;;); } });",
    ]) {
      expect(["timeout", "steps-exceeded"]).toContain(await fault(source, { limits: { wallMs: 100 } }));
    }
    expect(
      await fault("const a = []; for (;;) a.push({}, [], 'x' + a.length); export default () => 1;"),
    ).toBe("memory-exceeded");
  });

  test("finds out what a program exports without calling it", async ({ sandbox }) => {
    const inspect = (source: string) =>
      sandbox.inspect({ key: `inspect ${source}`, name: "hook.js", source }, defaultLimits, "tenant");
    expect(await inspect("export default () => 1;")).toEqual({ ok: true, handlers: null });
    const object =
      "export default { Stop() {}, other: 1, PreToolUse: async () => 1, [Symbol.iterator]() {} };";
    expect(await inspect(object)).toEqual({ ok: true, handlers: ["Stop", "PreToolUse"] });
    expect(await inspect(object)).toEqual({ ok: true, handlers: ["Stop", "PreToolUse"] });
    expect(await inspect("export default 1;")).toMatchObject({ ok: false, fault: { code: "load-failed" } });
    expect(await inspect("export default {")).toMatchObject({ ok: false, fault: { code: "load-failed" } });
    const many =
      "export default Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => ['handler'.repeat(12) + i, () => 1]));";
    expect(await inspect(many)).toMatchObject({ ok: false, fault: { code: "load-failed" } });
  });

  test("forgets a program", async ({ sandbox, value }) => {
    const source = "export default () => 'forgotten and loaded anew';";
    const first = await value(source);
    sandbox.forget(source);
    sandbox.forget("never seen");
    expect(await value(source)).toBe(first);
  });

  test("calls without a receiver, and with the arguments that were given", async ({ value }) => {
    const source = `export default {
      Stop(...args) { return [typeof this, args.length, args]; },
      PreToolUse: function () { return [this === undefined, arguments.length]; },
    };`;
    expect(await value(source)).toEqual([true, 2]);
    expect(await value(source, { handler: "Stop", args: ['{"a":[1]}', "null"] })).toEqual([
      "undefined",
      2,
      [{ a: [1] }, null],
    ]);
    expect(await value(source, { handler: "Stop", args: [] })).toEqual(["undefined", 0, []]);
    expect(await value(source, { handler: "Stop", args: ["1", "2", "3"] })).toEqual([
      "undefined",
      3,
      [1, 2, 3],
    ]);
  });

  test("gives arguments that are plain values of the guest's own world", async ({ value }) => {
    const source = `export default (event, context) => [
      Object.getPrototypeOf(event) === Object.prototype,
      Object.getPrototypeOf(event.list) === Array.prototype,
      event.list instanceof Array,
      Object.keys(event),
      Object.getOwnPropertyDescriptor(event, "__proto__")?.value,
      event.constructor === Object,
      (event.list.push(1), context.x = 1, event.list.length),
    ];`;
    const args = ['{"list":[],"__proto__":{"polluted":true}}', "{}"];
    const expected = [true, true, true, ["list", "__proto__"], { polluted: true }, true, 1];
    expect(await value(source, { args })).toEqual(expected);
    expect(await value(source, { args })).toEqual(expected);
  });

  test("takes programs of every kind of text", async ({ value, call }) => {
    expect(await value("export default () => 'ünïcödé 😀 \u2028';")).toBe("ünïcödé 😀 \u2028");
    expect(await value(`export default () => "${"x".repeat(300_000)}".length;`)).toBe(300_000);
    expect(
      await value("// \u202e comment\nexport default () => 1; //# sourceMappingURL=file:///etc/passwd"),
    ).toBe(1);
    expect(await value("#!/usr/bin/env node\nexport default () => 1;")).toBe(1);
    expect(
      await value("export default () => 1;\n//# sourceURL=other.js\n<!-- no comment".replace(/\n<.*/, "")),
    ).toBe(1);
    const strict = await call("export default () => { undeclared = 1; };");
    expect(strict).toMatchObject({ ok: false, fault: { code: "threw" } });
  });
}
