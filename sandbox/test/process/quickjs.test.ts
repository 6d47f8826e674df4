import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Outcome, Sandbox } from "../../src/contract.ts";
import { createProcessSandbox } from "../../src/process/index.ts";
import { createQuickjsSandbox } from "../../src/quickjs/index.ts";
import { callOf, limitsWith, patient, programOf, said } from "./support.ts";

const limits = limitsWith({ wallMs: 5_000 });

/**
 * What two calls must agree on: not the time, not the memory, which is counted in pages, and not the steps of a call
 * that ran until its memory was full.
 */
function comparable(outcome: Outcome): unknown {
  const { durationUs, memoryBytes, steps, ...rest } = outcome;
  expect([typeof durationUs, typeof memoryBytes]).toEqual(["number", "number"]);
  return !rest.ok && rest.fault.code === "memory-exceeded" ? rest : { ...rest, steps };
}

describe("quickjs in a child", () => {
  let inline: Sandbox;
  let child: Sandbox;
  beforeAll(async () => {
    inline = await createQuickjsSandbox();
    child = await createProcessSandbox({ ...patient, processes: 1 });
  });
  afterAll(async () => {
    await inline[Symbol.asyncDispose]();
    await child[Symbol.asyncDispose]();
  });

  // The pipe must change nothing: not a byte of an answer, not a fault, not a step.
  it.each([
    ["an answer", "export default (event, ctx) => ({ event, ctx, n: 1.5e300, s: '\\u{1f600}\\n|\\ud800' })"],
    ["nothing", "export default () => {}"],
    ["a promise", "export default async (event) => { await null; return event.a }"],
    ["a function for this event", "export default { handler: (event) => event.a }"],
    ["no function for this event", "export default { other: () => 1 }"],
    ["the seed and the clock", "export default () => [Math.random(), Math.random(), Date.now()]"],
    ["logs", "export default () => { console.warn('a\\nb', { c: 1 }); console.log('é'); return 1 }"],
    ["a flood of logs", "export default () => { for (let i = 0; i < 1e4; i++) console.log(i); return 1 }"],
    ["an exception", "export default () => { throw new Error('no\\u001b[2J') }"],
    ["a syntax error", "export default ("],
    ["a throw at load", "throw 1; export default () => 1"],
    ["too many steps", "export default () => { for (;;); }"],
    ["too much memory", "export default () => { const a = []; for (;;) a.push(new Uint8Array(65536)); }"],
    ["too large an answer", "export default () => 'x'.repeat(3e5)"],
    ["a promise that never settles", "export default () => new Promise(() => {})"],
  ])("%s: is what it is inline", async (_, source) => {
    const program = programOf(source);
    const call = callOf("handler", ['{"a":[1,"é"]}', "{}"], { program, limits, time: 1_700_000_000_000 });
    const here = comparable(await inline.call(call));
    expect(comparable(await child.call(call))).toEqual(here);
    expect(comparable(await child.call(call))).toEqual(here);
    expect(await child.inspect(program, limits, "t1")).toEqual(await inline.inspect(program, limits, "t1"));
  });

  // V8's stack is smaller in the test's own process, so recursion ends earlier there: only the fault is the same.
  it("too deep a stack: is the same fault as inline", async () => {
    const program = programOf("const f = () => 1 + f(); export default f");
    const call = callOf("handler", ["{}", "{}"], { program, limits, time: 1_700_000_000_000 });
    const expected = { ok: false, fault: { code: "stack-exceeded", message: expect.any(String) } };
    expect(await inline.call(call)).toMatchObject(expected);
    expect(await child.call(call)).toMatchObject(expected);
  });

  // Built-ins that never ask whether they should stop: nothing inside of the process can end them.
  it.each([
    ["in a call", "export default () => new Array(2 ** 28).join()"],
    ["at load", "new Array(2 ** 28).join().length; export default () => 1"],
  ])(
    "a built-in that cannot be interrupted, %s: the process is killed, and the next call is answered",
    async (_, source) => {
      await using sandbox = await createProcessSandbox({ engine: "quickjs", processes: 1, startMs: 30_000 });
      const quick = limitsWith({ wallMs: 50, steps: 500_000_000 });
      const outcome = await sandbox.call(
        callOf("h", ["1", "{}"], { program: programOf(source), limits: quick }),
      );
      expect(["timeout", "memory-exceeded", "load-failed"]).toContain(said(outcome));
      const next = callOf("h", ["1", "{}"], {
        program: programOf("export default (event) => event + 1"),
        limits,
      });
      expect(said(await sandbox.call(next))).toBe(2);
    },
  );

  it("a call leaves nothing for the next one", async () => {
    const program = programOf(
      "let n = 0; export default () => { globalThis.g = (globalThis.g ?? 0) + 1; return [++n, g] }",
    );
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => child.call(callOf("h", ["1", "{}"], { program, limits }))),
    );
    for (const answer of answers) expect(said(answer)).toEqual([1, 1]);
  });
});
