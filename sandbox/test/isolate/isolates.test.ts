import { afterEach, describe, expect, it, vi } from "vitest";
import { EngineMissingError } from "../../src/engine-missing.ts";
import { createIsolateSandbox } from "../../src/isolate/index.ts";
import { harnessOf } from "../../../test/support/contract/harness.ts";

const counter =
  "let n = 0; export default () => { globalThis.g = (globalThis.g ?? 0) + 1; return [++n, globalThis.g]; };";

describe("the isolate engine", () => {
  afterEach(() => {
    vi.restoreAllMocks();
    vi.doUnmock("isolated-vm");
    vi.resetModules();
  });

  it("says how to install what it needs", async () => {
    vi.resetModules();
    vi.doMock("isolated-vm", () => {
      throw new Error("Cannot find package 'isolated-vm'");
    });
    const engine = await import("../../src/isolate/index.ts");
    await expect(engine.createIsolateSandbox()).rejects.toMatchObject({
      name: "EngineMissingError",
      engine: "isolate",
      message: expect.stringContaining("npm install isolated-vm") as string,
    });
  });

  it("refuses a process in which it would crash", async () => {
    const flags = process.execArgv;
    try {
      process.execArgv = flags.filter((flag) => flag !== "--no-node-snapshot");
      await expect(createIsolateSandbox()).rejects.toThrow(EngineMissingError);
      await expect(createIsolateSandbox()).rejects.toThrow("--no-node-snapshot");
    } finally {
      process.execArgv = flags;
    }
  });

  it("runs no getter of the guest after the clock has been disarmed", async () => {
    await using sandbox = await createIsolateSandbox();
    const { call, value } = harnessOf(sandbox);
    const trap = "{ get message() { for (;;); }, get stack() { for (;;); }, get name() { for (;;); } }";
    expect(await value(`export default () => { Promise.reject(${trap}); return 1; };`)).toBe(1);
    expect(await value(`Promise.reject(${trap}); export default () => 2;`)).toBe(2);
    expect(
      await value(
        `export default async () => { (async () => { throw ${trap}; })(); await null; return 3; };`,
      ),
    ).toBe(3);
    for (const source of [
      `throw ${trap}; export default () => 1;`,
      `await Promise.reject(${trap}); export default () => 1;`,
      `Promise.reject(${trap}); throw ${trap}; export default () => 1;`,
      `const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); throw proxy; export default () => 1;`,
    ]) {
      // Where the host asks what was thrown, the getter loops within the time of the load.
      const outcome = await call(source, { budgetMs: 100 });
      expect(["load-failed", "timeout"], source).toContain(outcome.ok ? "answer" : outcome.fault.code);
    }
  });

  it("replaces isolates before what they keep adds up, and answers the same all along", async () => {
    await using sandbox = await createIsolateSandbox({ maxContexts: 20 });
    const { value } = harnessOf(sandbox);
    for (let i = 0; i < 150; i++) {
      expect(await value(counter)).toEqual([1, 1]);
      if (i % 3 === 0) sandbox.tidy();
    }
  });

  it("frees its contexts", async () => {
    await using sandbox = await createIsolateSandbox({ maxContexts: 1_000_000 });
    const { call } = harnessOf(sandbox);
    // A context takes some 250 KB; 12 MiB would be full after 50.
    for (let i = 0; i < 300; i++) {
      const source = i % 10 === 0 ? `export default () => ${i}; // another program` : counter;
      const outcome = await call(i % 7 === 0 ? "export default 1;" : source);
      expect(outcome.ok ? "" : outcome.fault.code).toBe(i % 7 === 0 ? "load-failed" : "");
      if (i % 2) sandbox.tidy();
    }
  });

  it("gives every call a context of its own, loaded ahead or not", async () => {
    await using sandbox = await createIsolateSandbox();
    const { value, call } = harnessOf(sandbox);
    const other = `${counter} // another`;
    for (let round = 0; round < 12; round++) {
      for (const source of [counter, counter, other, counter]) {
        expect(await value(source)).toEqual([1, 1]);
        if (round % 2) sandbox.tidy();
        if (round % 3 === 0) sandbox.tidy();
      }
      expect(await value(counter, { limits: { logBytes: round } })).toEqual([1, 1]);
      sandbox.tidy();
      if (round % 4 === 0) sandbox.forget(counter);
      expect(await value(counter, { tenant: `tenant ${round % 3}` })).toEqual([1, 1]);
      if (round === 5) await call("export default () => { for (;;); };", { limits: { wallMs: 20 } });
    }
  });

  it("gives a context that was loaded ahead the clock, the seed and the arguments of its call", async () => {
    await using sandbox = await createIsolateSandbox();
    const { value } = harnessOf(sandbox);
    const source =
      "const atLoad = [Date.now()]; export default (event) => [atLoad[0], Date.now(), Math.random(), event];";
    const first = await value(source, { time: 7, seed: [1, 2, 3, 4], args: ["1", "{}"] });
    sandbox.tidy();
    expect(await value(source, { time: 7, seed: [1, 2, 3, 4], args: ["1", "{}"] })).toEqual(first);
    sandbox.tidy();
    expect(await value(source, { time: 8, seed: [1, 2, 3, 4], args: ["2", "{}"] })).toEqual([
      0,
      8,
      (first as number[])[2],
      2,
    ]);
  });

  it("keeps so many isolates and contexts, and no more", async () => {
    await using sandbox = await createIsolateSandbox({ pristine: false, maxInstances: 2, maxKept: 3 });
    const { value } = harnessOf(sandbox);
    for (let i = 0; i < 8; i++) {
      expect(await value(counter, { tenant: `tenant ${i}`, keep: "a" })).toEqual([1, 1]);
    }
    expect(await value(counter, { tenant: "tenant 7", keep: "a" })).toEqual([2, 2]);
    for (const keep of ["b", "c", "d"]) await value(counter, { tenant: "tenant 7", keep });
    expect(await value(counter, { tenant: "tenant 7", keep: "a" })).toEqual([1, 1]);
    expect(await value(counter, { tenant: "tenant 7", keep: "d" })).toEqual([2, 2]);
  });

  it("has no thing of isolated-vm within reach of a guest", async () => {
    await using sandbox = await createIsolateSandbox();
    const { value } = harnessOf(sandbox);
    // The marks of its classes, and objects that do not come from the guest's own world.
    const source = `
      const marks = ["applySync", "applyIgnored", "derefInto", "copyInto", "compileScriptSync", "createContextSync", "evalClosureSync", "release"];
      export default function (event, context) {
        const seen = new Set();
        const queue = [globalThis, event, context, import.meta, new Error("x"), (() => { try { null.x; } catch (error) { return error; } })()];
          for (const key of Reflect.ownKeys(Object.getPrototypeOf(globalThis))) queue.push(globalThis[key]);
        const odd = [];
        while (queue.length) {
          const object = queue.pop();
          if ((typeof object !== "object" && typeof object !== "function") || object === null || seen.has(object)) continue;
          seen.add(object);
          for (const key of Reflect.ownKeys(object)) {
            if (marks.includes(key)) odd.push(key);
            const { value, get, set } = Reflect.getOwnPropertyDescriptor(object, key);
            queue.push(value, get, set);
          }
          queue.push(Object.getPrototypeOf(object));
          if (typeof object === "function" && object !== Function.prototype && !(object instanceof Function)) odd.push(String(object));
        }
        return [seen.size > 500, odd];
      }`;
    expect(await value(source)).toEqual([true, []]);
  });
});
