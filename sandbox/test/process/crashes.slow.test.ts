import { monitorEventLoopDelay } from "node:perf_hooks";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Sandbox } from "../../src/contract.ts";
import { createProcessSandbox } from "../../src/process/index.ts";
import { callOf, children, fakeEngine, limitsWith, patient, programOf, said } from "./support.ts";

const options = { ...patient, engineModule: fakeEngine, processes: 1 };
const anyNumber: unknown = expect.any(Number);
const long = limitsWith({ wallMs: 5_000 });

describe("an engine that breaks its process", () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await createProcessSandbox(options);
  });
  afterAll(() => sandbox[Symbol.asyncDispose]());

  it.each([
    // A defect of the engine that a guest has found: an exception out of the call, in time or late, or into nowhere.
    ["throw", "exit code 70"],
    ["reject", "exit code 70"],
    ["stray", "exit code 1"],
    // The event loop runs dry while an answer is awaited.
    ["never", "exit code 70"],
    // The engine ends its process: by order, by an assertion.
    ["exit", "exit code 3"],
    ["abort", "signal SIGABRT"],
  ])("%s: the call is `crashed`, and the next one is answered", async (handler, how) => {
    const outcome = await sandbox.call(callOf(handler, [], { program: programOf(), limits: long }));
    expect(outcome).toMatchObject({ ok: false, fault: { code: "crashed" } });
    expect(!outcome.ok && outcome.fault.message).toContain(how);
    expect(said(await sandbox.call(callOf("echo", ["1"], { limits: long })))).toBe(1);
  });

  // The guest fills the heap of V8, which then writes a report and aborts.
  it("heap: the call is `memory-exceeded`", async () => {
    await using small = await createProcessSandbox({ ...options, heapMb: 32, rssMarginBytes: 2 ** 31 });
    const limits = limitsWith({ wallMs: 10_000 });
    expect(said(await small.call(callOf("heap", [], { limits })))).toBe("memory-exceeded");
    expect(said(await small.call(callOf("echo", ["1"], { limits })))).toBe(1);
  });

  // Memory outside of the heap, which no limit of V8's counts: only the size of the process shows it.
  it.runIf(process.platform === "linux")("grow: the process is killed before it has 600 MB", async () => {
    const limits = limitsWith({ wallMs: 10_000 });
    const begun = performance.now();
    const outcome = await sandbox.call(callOf("grow", ["600"], { program: programOf(), limits }));
    expect(said(outcome)).toBe("memory-exceeded");
    expect(performance.now() - begun).toBeLessThan(9_000);
  });

  // A leak is no call's fault: the process is replaced when it has answered, and no call notices.
  it.runIf(process.platform === "linux")(
    "keep: a process that has grown call by call is replaced",
    async () => {
      await using leaky = await createProcessSandbox({
        ...options,
        rssMarginBytes: 2 ** 31,
        rssRetireBytes: 250 << 20,
      });
      const pids = new Set<unknown>();
      for (let at = 0; at < 20; at++)
        pids.add(said(await leaky.call(callOf("keep", ["40"], { limits: long }))));
      expect(pids.size).toBeGreaterThan(1);
      for (const pid of pids) expect(pid).toBeTypeOf("number");
    },
  );

  // A pipe that is not read blocks its writer, and one that is kept whole fills the reader's memory.
  it("stderr: ten megabytes are drained, and the call is answered", async () => {
    expect(said(await sandbox.call(callOf("stderr", ["10000000"], { limits: long })))).toBe("flooded");
  });

  // An engine that ignores its limit must not make the parent take the answer for a lie of a healthy child.
  it("large: an answer over its limit is refused by the parent", async () => {
    const outcome = await sandbox.call(callOf("large", ["300000"], { program: programOf(), limits: long }));
    expect(said(outcome)).toBe("crashed");
  });
});

describe("a call that hangs", () => {
  it("is a `timeout`; the parent's loop stays free, and calls behind it are answered by another child", async () => {
    await using sandbox = await createProcessSandbox({ ...options, graceMs: 100 });
    await sandbox.call(callOf("echo", ["0"], { limits: long }));
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    const limits = limitsWith({ wallMs: 200 });
    const hung = sandbox.call(callOf("hang", [], { program: programOf(), limits }));
    const behind = Array.from({ length: 20 }, (_, at) =>
      sandbox.call(callOf("echo", [String(at)], { limits: long })),
    );
    const answers = await Promise.all([...behind, hung]);
    delay.disable();
    expect(answers.map(said)).toEqual([...Array.from({ length: 20 }, (_, at) => at), "timeout"]);
    // The median: single delays are the machine's.
    expect(delay.percentile(50) / 1e6).toBeLessThan(50);
  });

  it("while it loads has a deadline of its own, and is a `timeout`", async () => {
    await using sandbox = await createProcessSandbox({ ...options, graceMs: 100 });
    const outcome = await sandbox.call(callOf("echo", ["1"], { program: programOf("hang") }));
    expect(outcome).toMatchObject({
      ok: false,
      fault: { code: "timeout" },
      killed: true,
      loadTimedOut: true,
    });
    expect(!outcome.ok && outcome.fault.message).toBe(
      "took longer than 2000 ms to load, which is the limit of loading, and its process was killed",
    );
  });

  // A module that hangs in a built-in can only be killed: it costs a process once, not with every decision.
  it("while it loads is killed when the caller's time is over, and is not loaded again for a while", async () => {
    await using sandbox = await createProcessSandbox({ ...options, graceMs: 100 });
    const program = programOf("hang");
    const call = (): unknown => sandbox.call(callOf("echo", ["1"], { program, budgetMs: 300 }));
    expect(await call()).toMatchObject({
      fault: {
        message: expect.stringMatching(/to load than the 300 ms .* and its process was killed$/) as string,
      },
      killed: true,
      loadTimedOut: true,
    });
    const again = await call();
    expect(again).toMatchObject({
      fault: { code: "timeout", message: expect.stringContaining("not loaded again") as string },
      loadTimedOut: true,
    });
    expect(again).not.toHaveProperty("killed");
  });

  // An engine that loads for every call: the short limit of the call is none of the load's.
  it("is not what a call does whose program takes longer to load than the call may run", async () => {
    await using sandbox = await createProcessSandbox({ ...options, graceMs: 200 });
    const program = programOf("every call 500 ms");
    const limits = limitsWith({ wallMs: 50 });
    for (let at = 0; at < 3; at++)
      expect(said(await sandbox.call(callOf("echo", [String(at)], { program, limits })))).toBe(at);
    // What follows the load is bounded by the call's own limit, and named by it.
    const outcome = await sandbox.call(callOf("hang", [], { program, limits }));
    expect(outcome).toMatchObject({ ok: false, fault: { code: "timeout" }, killed: true });
    expect(!outcome.ok && outcome.fault.message).toContain("`limits.wallMs` (50 ms)");
    expect(outcome).not.toHaveProperty("loadTimedOut");
  });

  // A hook that kills its child each time must not take its neighbours' calls with it, nor make them wait.
  it("again and again does not cost its neighbours an answer", async () => {
    await using sandbox = await createProcessSandbox({ ...options, graceMs: 50, queueMs: 60_000 });
    const limits = limitsWith({ wallMs: 30 });
    const killer = programOf();
    const hung = Array.from({ length: 6 }, () =>
      sandbox.call(callOf("hang", [], { program: killer, limits })),
    );
    const good = Array.from({ length: 60 }, (_, at) =>
      sandbox.call(callOf("echo", [String(at)], { limits: long })),
    );
    expect((await Promise.all(good)).map(said)).toEqual(good.map((_, at) => at));
    expect(new Set((await Promise.all(hung)).map(said))).toEqual(new Set(["timeout"]));
  });
});

describe("kill -9 from outside", () => {
  // Somebody kills random children while 64 calls are in flight: each call is answered, once, with its own answer or
  // with `crashed`, and never with the answer of another one.
  it(
    "under 64 calls in flight, 40 times: every call is answered exactly once",
    { timeout: 120_000 },
    async () => {
      await using sandbox = await createProcessSandbox({ ...options, processes: 2 });
      const mine = new Set(children());
      let next = 0;
      let crashed = 0;
      for (let round = 0; round < 40; round++) {
        const answers = new Map<number, unknown>();
        const calls = Array.from({ length: 64 }, async () => {
          const number = next++;
          const outcome = await sandbox.call(
            callOf(number % 3 ? "echo" : "spin", [String(number % 3 ? number : 1)], { limits: long }),
          );
          expect(answers.has(number)).toBe(false);
          answers.set(number, said(outcome));
          if (!outcome.ok) crashed++;
          // Its own answer (of those that spin, a process's number), or the fault of the child that was killed.
          const own = number % 3 ? number : anyNumber;
          expect(said(outcome)).toEqual(outcome.ok ? own : "crashed");
        });
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 10));
        const pids = children();
        const victim = pids[Math.floor(Math.random() * pids.length)];
        if (victim !== undefined) process.kill(victim, "SIGKILL");
        await Promise.all(calls);
        expect(answers.size).toBe(64);
      }
      expect(mine.size).toBeGreaterThan(0);
      // A kill costs the call that was running, not those behind it.
      expect(crashed).toBeLessThanOrEqual(40);
    },
  );

  it("of a child at rest costs nothing", async () => {
    await using sandbox = await createProcessSandbox(options);
    const pid = said(await sandbox.call(callOf("pid", [], { limits: long }))) as number;
    process.kill(pid, "SIGKILL");
    await new Promise((resolve) => setTimeout(resolve, 200));
    const next = said(await sandbox.call(callOf("pid", [], { limits: long })));
    expect(next).toBeTypeOf("number");
    expect(next).not.toBe(pid);
  });
});
