import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Sandbox } from "../../src/contract.ts";
import { createProcessSandbox } from "../../src/process/index.ts";
import { callOf, liar, limitsWith, patient, programOf, said } from "./support.ts";

// Each child here has been taken over: an engine was broken, and its process says whatever hurts the parent most.
// Whatever it is, the call gets one fault, the child dies, and the next call is answered by another child.

const brokenFrames = {
  // A taken-over child answers for a call of another hook, or for one that has been answered.
  "wrong id": "an answer to another call",
  "id of an earlier call": "an answer to another call",
  // It speaks no protocol at all, or never ends a line: the parent must not collect what it sends.
  "no frame": "a broken header",
  "no newline": "a header without an end",
  "an empty line": "a broken header",
  // Sizes that make a careless parent allocate, or read a number as another one than was checked.
  "a length of 4 GiB": "larger than its limit",
  "one byte over the limit": "larger than its limit",
  "a length of 30 digits": "a broken number",
  "a negative length": "a broken number",
  "a fraction as length": "a broken header",
  "an exponent as length": "a broken header",
  "a hexadecimal length": "a broken header",
  "a length with a leading zero": "a broken number",
  "a length with a sign": "a broken number",
  "no length": "a broken number",
  "NaN as steps": "a broken number",
  "negative memory": "a broken number",
  "one field too many": "too many fields",
  "one field too few": "a broken number",
  "a carriage return": "a broken header",
  // Frames that are right elsewhere.
  "an unknown kind": "an unknown kind",
  "an inspection for a call": "an unknown kind",
  "a second greeting": "an unknown kind",
  "a body for null": "an unknown kind",
  // A body that is shorter than it says swallows the next answer, a longer one smuggles a frame in.
  "a shorter body than it says": "does not end where it says",
  "a longer body than it says": "does not end where it says",
  // Text that a decoder would silently change, so that what was checked is not what is used.
  "a body that is not UTF-8": "not UTF-8",
  // Faults that do not exist, that reach for a prototype, or that only the broker may name.
  "an unknown fault": "an unknown fault",
  "a fault named __proto__": "an unknown fault",
  "a fault of the broker": "an unknown fault",
  "a fault without a message": "an unknown fault",
  "a message of a megabyte": "a message that is too long",
  // Console output that is no console output, or that fills the parent's memory.
  "logs of an unknown level": "broken logs",
  "logs without a size": "broken logs",
  "logs larger than they are": "more logs than",
  "more logs than the limit": "more logs than",
  "a log line over the limit": "more logs than",
  "a million empty log lines": "broken logs",
  // Loading has a deadline of its own: a child that could restart it would have no deadline.
  "two loads": "a load out of order",
  "the end of a load that never began": "a load out of order",
  "a load after the load": "a load out of order",
  "a load with a body": "an unknown kind",
  "a load with logs": "logs of a call that has not been answered",
  "a failed load that is none": "another fault",
  // A frame in single bytes: each costs the parent a turn of its loop.
  crumbs: "crumbs",
  // It goes on without an output.
  "the end of its output": "the end of its answers",
};

const liarOptions = { ...patient, childModule: liar, processes: 1 };

describe("a child that lies", () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await createProcessSandbox(liarOptions);
  });
  afterAll(() => sandbox[Symbol.asyncDispose]());

  it.each(Object.entries(brokenFrames))(
    "%s: the call is `crashed`, and the next one is answered",
    async (lie, why) => {
      const program = programOf();
      const limits = limitsWith({ outputBytes: 8_192, wallMs: 2_000 });
      expect(await sandbox.call(callOf(lie, [], { program, limits }))).toMatchObject({
        ok: false,
        fault: { code: "crashed", message: expect.stringContaining(why) as string },
      });
      expect(said(await sandbox.call(callOf("ok", [], { limits })))).toBe(true);
    },
  );

  // The second answer comes when nothing is asked, or in the place of the next call's.
  it.each(["two answers", "an answer without a request"])(
    "%s: no call gets an answer that is not its own",
    async (lie) => {
      expect(said(await sandbox.call(callOf(lie, [], { program: programOf() })))).toBe(true);
      const after = await Promise.all([1, 2, 3].map(() => sandbox.call(callOf("ok"))));
      expect(after.map(said).filter((answer) => answer === true).length).toBeGreaterThanOrEqual(2);
    },
  );

  // A message with escapes would rewrite the operator's terminal, one with a newline would forge a line of a log.
  it("a terminal's escapes: they are text in the message", async () => {
    const outcome = await sandbox.call(callOf("a terminal's escapes"));
    expect(outcome).toMatchObject({
      ok: false,
      fault: { code: "threw", message: "\\u001b[2J\\u000aforged!" },
    });
  });

  // The reader of the answer parses it, with limits of depth and keys: the pool must not try it.
  it("brackets up to the limit: they are passed on as text", async () => {
    const outcome = await sandbox.call(callOf("brackets up to the limit"));
    expect(outcome.ok && outcome.output).toBe("[".repeat(limitsWith({}).outputBytes));
  });

  it.each([
    "a broken inspection",
    "an inspection that is no JSON",
    "an inspection over the limit",
    "a load at an inspection",
  ])("%s: the inspection is `crashed`", async (lie) => {
    const inspection = await sandbox.inspect(programOf("", lie), limitsWith({}), "t1");
    expect(inspection).toMatchObject({ ok: false, fault: { code: "crashed" } });
    expect(said(await sandbox.call(callOf("ok")))).toBe(true);
  });
});

describe("a child that gives no answer", () => {
  // One byte a second, no byte at all, a process that stops itself, and one that will not be asked to end: only a
  // deadline of the parent's own and a signal that cannot be caught help.
  it.each(["one byte a second", "silence", "a load without end", "stopped by itself", "deaf to SIGTERM"])(
    "%s: the call is a `timeout`, and the next one is answered",
    async (lie) => {
      await using sandbox = await createProcessSandbox({ ...liarOptions, graceMs: 200 });
      const limits = limitsWith({ wallMs: 100 });
      const begun = performance.now();
      expect(said(await sandbox.call(callOf(lie, [], { limits })))).toBe("timeout");
      expect(performance.now() - begun).toBeLessThan(3_300);
      expect(said(await sandbox.call(callOf("ok", [], { limits: limitsWith({ wallMs: 5_000 }) })))).toBe(
        true,
      );
    },
  );
});
