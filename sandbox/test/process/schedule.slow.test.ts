import { describe, expect, it } from "vitest";
import type { Outcome } from "../../src/contract.ts";
import { createProcessSandbox } from "../../src/process/index.ts";
import {
  callOf,
  children,
  fakeEngine,
  limitsWith,
  patient,
  programOf,
  said,
  sleep,
  until,
} from "./support.ts";

const options = { ...patient, engineModule: fakeEngine, processes: 1 };
const limits = limitsWith({ wallMs: 10_000 });
const call = (handler: string, argument = "", more = {}): ReturnType<typeof callOf> =>
  callOf(handler, [argument], { limits, ...more });

describe("the pool", () => {
  it("carries a call there and back as it is", async () => {
    await using sandbox = await createProcessSandbox(options);
    const sent = callOf("call", ['{"a": "é\u{1f600}\\ud800"}', "2"], {
      limits,
      time: -1.5,
      seed: [0, 1, 2 ** 32 - 1, 3],
      keep: "k",
    });
    const outcome = await sandbox.call(sent);
    expect(said(outcome)).toEqual(sent);
    expect(outcome).toMatchObject({ steps: 7, durationUs: 12.5, memoryBytes: 64, logs: [] });
    expect(sandbox.version).toBe("fake 1");
    const logs = [
      { level: "warn", text: "a\nb\u0000é" },
      { level: "debug", text: "" },
    ];
    expect((await sandbox.call(call("logs", JSON.stringify(logs)))).logs).toEqual(logs);
  });

  // Asleep, a child blocks while it reads; awake, it looks for the next call and then waits in its event loop.
  it.each([
    ["asleep", { spinUs: 0 }],
    ["awake", { spinUs: 100 }],
    ["awake for ever", { spinUs: 1_000_000 }],
    ["gathering", { gather: true }],
  ])("gives each of many calls its own answer, also where the engine takes its time: %s", async (_, how) => {
    await using sandbox = await createProcessSandbox({ ...options, ...how, processes: 2 });
    for (let round = 0; round < 3; round++) {
      const answers = await Promise.all(
        Array.from({ length: 500 }, (_, at) => sandbox.call(call(at % 50 ? "echo" : "later", String(at)))),
      );
      expect(answers.map(said)).toEqual(answers.map((_, at) => (at % 50 ? at : 1)));
      // Longer than anyone stays awake by default.
      await sleep(2);
      expect(said(await sandbox.call(call("echo", "1")))).toBe(1);
      await sleep(2);
      // Waking asks for nothing: it must not be taken for a call, nor end a child.
      for (let count = 0; count < 3; count++) sandbox.wake?.("t1");
      expect(said(await sandbox.call(call("echo", "2")))).toBe(2);
    }
  });

  it.each([0, 100])("carries large texts both ways, staying awake for %d µs", async (spinUs) => {
    await using sandbox = await createProcessSandbox({ ...options, spinUs });
    const text = JSON.stringify("é😀x".repeat(400_000));
    const large = limitsWith({ wallMs: 10_000, outputBytes: 4_194_304, inputBytes: 8_388_608 });
    const outcomes = await Promise.all(
      [1, 2, 3].map(() => sandbox.call(callOf("echo", [text], { limits: large }))),
    );
    for (const outcome of outcomes) expect(outcome.ok && outcome.output === text).toBe(true);
  });

  it("inspects, and makes children forget", async () => {
    await using sandbox = await createProcessSandbox(options);
    const program = programOf("good");
    expect(await sandbox.inspect(program, limits, "t1")).toEqual({ ok: true, handlers: ["a", "b"] });
    expect(await sandbox.inspect(programOf("bad"), limits, "t1")).toMatchObject({
      fault: { code: "load-failed" },
    });
    expect(await sandbox.inspect(programOf("many"), limits, "t1")).toMatchObject({
      fault: { code: "load-failed" },
    });
    await sandbox.call(call("echo", "1", { program }));
    sandbox.forget(program.key);
    expect(said(await sandbox.call(call("forgotten")))).toEqual([program.key]);
    expect(said(await sandbox.call(call("echo", "2", { program })))).toBe(2);
  });

  // A flood of calls, or of bytes, must not fill the parent's memory.
  it("answers `overloaded` when too many calls or bytes wait, and `input-too-large` for a larger event", async () => {
    await using sandbox = await createProcessSandbox({ ...options, queueLimit: 10, queueBytes: 1_000 });
    const codes = (outcomes: Outcome[]): unknown[] => outcomes.filter((outcome) => !outcome.ok).map(said);
    const many = await Promise.all(Array.from({ length: 25 }, () => sandbox.call(call("echo", "1"))));
    expect(codes(many)).toEqual(Array.from({ length: 15 }, () => "overloaded"));
    const heavy = await Promise.all([1, 2, 3].map(() => sandbox.call(call("echo", `"${"x".repeat(600)}"`))));
    expect(codes(heavy)).toEqual(["overloaded", "overloaded"]);
    const small = limitsWith({ inputBytes: 1_024 });
    expect(said(await sandbox.call(callOf("echo", ["é".repeat(513)], { limits: small })))).toBe(
      "input-too-large",
    );
    expect(said(await sandbox.call(call("echo", "1")))).toBe(1);
  });

  // Calls behind one that never ends wait for a limited time, even where no other child can be had.
  it("answers `overloaded` when no child gets free in time", async () => {
    await using sandbox = await createProcessSandbox({ ...options, spares: 0, pipeline: 1, queueMs: 100 });
    const busy = sandbox.call(call("spin", "600"));
    const waiting = await Promise.all([1, 2, 3].map(() => sandbox.call(call("echo", "1"))));
    expect(waiting.map(said)).toEqual(["overloaded", "overloaded", "overloaded"]);
    expect(said(await busy)).toBeTypeOf("number");
  });

  it("uses as many processes as it may, and no more", async () => {
    await using sandbox = await createProcessSandbox({ ...options, processes: 3, spares: 1 });
    const pids = new Set<unknown>();
    for (let round = 0; round < 100 && pids.size < 3; round++) {
      const outcomes = await Promise.all(Array.from({ length: 9 }, () => sandbox.call(call("spin", "3"))));
      for (const outcome of outcomes) pids.add(said(outcome));
      expect(children().length).toBeLessThanOrEqual(4);
    }
    expect(pids.size).toBeGreaterThanOrEqual(3);
  });

  // Calls behind a slow one are given to another child while it is still at it.
  it("does not leave calls behind a slow one", async () => {
    await using sandbox = await createProcessSandbox(options);
    await sandbox.call(call("echo", "0"));
    await until(() => children().length >= 2);
    await sleep(500);
    const begun = performance.now();
    const slow = sandbox.call(call("spin", "3000", { program: programOf() }));
    const quick = await Promise.all([1, 2, 3].map((at) => sandbox.call(call("echo", String(at)))));
    expect(quick.map(said)).toEqual([1, 2, 3]);
    expect(performance.now() - begun).toBeLessThan(2_500);
    expect(said(await slow)).toBeTypeOf("number");
  });

  // A call that was given to another child because of what is before it may come back to the child that it was taken
  // from; then that child is killed by what it had left there.
  it("answers every call, whatever mixture of quick, slow and killing ones of three tenants there is", async () => {
    await using sandbox = await createProcessSandbox({ ...options, graceMs: 20, spares: 2 });
    const short = limitsWith({ wallMs: 40 });
    let at = 0;
    const tenant = async (name: string, calls: number): Promise<unknown[]> => {
      const answers: unknown[] = [];
      const one = async (): Promise<void> => {
        while (at++ < calls) {
          const handler = at % 23 === 0 ? "hang" : at % 31 === 0 ? "exit" : at % 5 === 0 ? "spin" : "echo";
          const outcome = sandbox.call(
            callOf(handler, [String(at % 25)], { tenant: name, limits: short, program: programOf() }),
          );
          answers.push(said(await outcome));
        }
      };
      await Promise.all(Array.from({ length: 12 }, one));
      return answers;
    };
    const all = await Promise.all(["a", "b", "c"].map((name) => tenant(name, 400)));
    expect(all.flat()).toHaveLength(400);
    for (const answer of all.flat()) expect(["number", "string"]).toContain(typeof answer);
    expect(all.flat().filter((answer) => typeof answer === "number").length).toBeGreaterThan(200);
  });

  it("goes on without spares", async () => {
    await using sandbox = await createProcessSandbox({ ...options, spares: 0 });
    for (let round = 0; round < 3; round++) {
      expect(said(await sandbox.call(call("exit", "", { program: programOf() })))).toBe("crashed");
      expect(said(await sandbox.call(call("echo", "1")))).toBe(1);
    }
    // A program that has killed runs in a child of its own, which has to be started first.
    const killer = programOf();
    expect(said(await sandbox.call(call("exit", "", { program: killer })))).toBe("crashed");
    expect(said(await sandbox.call(call("echo", "2", { program: killer })))).toBe(2);
  });
});

describe("one tenant for each process", () => {
  const own = { ...options, tenantsPerProcess: "one" as const };
  const pidOf = async (sandbox: { call(call: never): unknown }, tenant: string): Promise<unknown> =>
    said((await sandbox.call(call("pid", "", { tenant }) as never)) as Outcome);

  // Memory that one tenant's hook has broken must never hold another one's events.
  it("a process never serves two tenants", async () => {
    await using sandbox = await createProcessSandbox({ ...own, processes: 2 });
    const tenants = new Map<unknown, Set<string>>();
    for (let round = 0; round < 6; round++) {
      await Promise.all(
        ["a", "b", "c", "d"].map(async (tenant) => {
          const pid = await pidOf(sandbox, tenant);
          expect(pid).toBeTypeOf("number");
          tenants.set(pid, (tenants.get(pid) ?? new Set()).add(tenant));
        }),
      );
    }
    expect(tenants.size).toBeGreaterThanOrEqual(4);
    for (const served of tenants.values()) expect(served.size).toBe(1);
  });

  it("a process stays with its tenant while no other tenant needs its place", async () => {
    await using sandbox = await createProcessSandbox({ ...own, processes: 2 });
    const first = [await pidOf(sandbox, "a"), await pidOf(sandbox, "b")];
    expect(first[0]).not.toBe(first[1]);
    for (let round = 0; round < 5; round++) {
      expect([await pidOf(sandbox, "a"), await pidOf(sandbox, "b")]).toEqual(first);
    }
  });

  // A tenant that floods must not keep another one out for as long as it likes.
  it("a tenant gets its turn while another one floods", async () => {
    await using sandbox = await createProcessSandbox({ ...own, processes: 1, queueMs: 20_000 });
    const flooding = new AbortController();
    const flood = Array.from({ length: 50 }, async () => {
      while (!flooding.signal.aborted) {
        await sandbox.call(call("spin", "1", { tenant: "flood" }));
        // Refusals come at once: without this the loop of the test would never get to its end.
        await new Promise(setImmediate);
      }
    });
    try {
      await sleep(100);
      for (let round = 0; round < 2; round++) expect(await pidOf(sandbox, "quiet")).toBeTypeOf("number");
    } finally {
      flooding.abort();
    }
    await Promise.all(flood);
  });

  it("isolate always has it", async () => {
    await using sandbox = await createProcessSandbox({
      ...options,
      engine: "isolate",
      tenantsPerProcess: "shared",
      processes: 2,
    });
    expect(await pidOf(sandbox, "a")).not.toBe(await pidOf(sandbox, "b"));
  });
});
