import { appendFileSync, readFileSync, truncateSync } from "node:fs";
import { expect, test } from "vitest";
import { HookwardenError } from "../../src/errors/index.ts";
import type { LogOptions } from "../../src/log/index.ts";
import { fakeWarden } from "../support/fake-warden.ts";
import { guard, parseLines, testFile, toolEvent, verifyText } from "./support.ts";

/** A destination that can be stopped and broken. */
class Destination {
  readonly lines: string[] = [];
  broken = false;
  calls = 0;
  private gate: Promise<void> = Promise.resolve();
  private open: () => void = () => undefined;

  readonly to = async (line: string): Promise<void> => {
    this.calls++;
    await this.gate;
    if (this.broken) throw new Error("disk full");
    this.lines.push(line);
  };

  stop(): void {
    this.gate = new Promise((done) => (this.open = done));
  }

  go(): void {
    this.open();
  }

  get text(): string {
    return `${this.lines.join("\n")}\n`;
  }
}

async function warden(options: Partial<LogOptions>, destination = new Destination()) {
  const made = await fakeWarden([guard], {}, { log: { to: destination.to, ...options } });
  return { ...made, destination };
}

/** Whether a promise is still open after everything that is ready has run. */
async function pending(promise: Promise<unknown>): Promise<boolean> {
  const open = Symbol("open");
  const settled = promise.catch(() => undefined);
  for (let turn = 0; turn < 5; turn++) await new Promise((done) => setImmediate(done));
  return (await Promise.race([settled, Promise.resolve(open)])) === open;
}

test("a full queue makes decisions wait, and none is lost", async () => {
  const { warden: one, destination } = await warden({ maxQueued: 5 });
  destination.stop();
  const decisions = Array.from({ length: 20 }, () => one.dispatch(toolEvent()));
  const last = decisions.at(-1) as Promise<unknown>;
  expect(await pending(last)).toBe(true);
  destination.go();
  await Promise.all(decisions);
  await one[Symbol.asyncDispose]();
  expect(await verifyText(destination.text)).toMatchObject({ problem: null, decisions: 20, closed: true });
});

test("a hook does not even run where the log has no room for its decision", async () => {
  const { warden: one, sandbox, destination } = await warden({ maxQueued: 3, onFull: "closed" });
  destination.stop();
  const results = await Promise.race([
    Promise.allSettled(Array.from({ length: 10 }, () => one.dispatch(toolEvent()))),
    new Promise<null>((done) => setTimeout(done, 50, null)),
  ]);
  expect(results).toBeNull();
  expect(sandbox.calls.length).toBeLessThanOrEqual(3);
  destination.go();
  await one[Symbol.asyncDispose]();
  expect(parseLines(destination.text).filter(({ kind }) => kind === "decision")).toHaveLength(
    sandbox.calls.length,
  );
});

test("a log that fails closed answers no decision without its record", async () => {
  const { warden: one, destination } = await warden({ onFull: "closed" });
  const first = await one.dispatch(toolEvent());
  expect(destination.text).toContain(first.decision_id);
  destination.broken = true;
  const notices: unknown[] = [];
  one.on("log", (notice) => notices.push(notice));
  const failed = await one.dispatch(toolEvent()).catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(HookwardenError);
  expect(failed).toMatchObject({
    code: "log-failed",
    message: "the decision log cannot be written: disk full",
  });
  // The next one is not begun at all.
  await expect(one.dispatch(toolEvent())).rejects.toMatchObject({ code: "log-failed" });
  expect(notices).toMatchObject([{ ok: false, error: { message: "disk full" } }]);
  destination.broken = false;
  await expect.poll(() => notices.length, { timeout: 10_000 }).toBe(2);
  expect(notices[1]).toEqual({ ok: true });
  await one.dispatch(toolEvent());
  await one[Symbol.asyncDispose]();
  // What could not be written then was written later.
  expect(await verifyText(destination.text)).toMatchObject({ problem: null, decisions: 3, closed: true });
});

test("a log that waits keeps what cannot be written, and writes it when it can", async () => {
  const { warden: one, destination } = await warden({});
  destination.broken = true;
  await Promise.all(Array.from({ length: 30 }, () => one.dispatch(toolEvent())));
  await expect.poll(() => destination.calls).toBeGreaterThan(0);
  expect(destination.lines).toHaveLength(0);
  destination.broken = false;
  await one[Symbol.asyncDispose]();
  expect(await verifyText(destination.text)).toMatchObject({ problem: null, decisions: 30, closed: true });
});

test("closing a warden whose log cannot be written says what is lost", async () => {
  const { warden: one, sandbox, destination } = await warden({});
  destination.broken = true;
  await one.dispatch(toolEvent());
  await expect(one[Symbol.asyncDispose]()).rejects.toMatchObject({ code: "log-failed" });
  expect(sandbox.disposed).toBe(false);
});

test("a decision that waits for room when the warden is closed is refused", async () => {
  const { warden: one, destination } = await warden({ maxQueued: 2 });
  destination.stop();
  const decisions = Array.from({ length: 6 }, () => one.dispatch(toolEvent()));
  const settled = Promise.allSettled(decisions);
  await pending(settled);
  const closed = one[Symbol.asyncDispose]();
  await pending(closed);
  destination.go();
  const results = await settled;
  await closed;
  const answered = results.filter(({ status }) => status === "fulfilled").length;
  expect(await verifyText(destination.text)).toMatchObject({
    problem: null,
    decisions: answered,
    closed: true,
  });
});

test("with `each`, a decision is answered when its record is on the disk", async () => {
  const log = testFile();
  const { warden: one } = await fakeWarden([guard], {}, { log: { to: log, flush: "each" } });
  const decisions = await Promise.all(Array.from({ length: 10 }, () => one.dispatch(toolEvent())));
  const text = readFileSync(log, "utf8");
  for (const { decision_id } of decisions) expect(text).toContain(decision_id);
  await one[Symbol.asyncDispose]();
});

test("two processes that write to one file are noticed before the chain forks", async () => {
  const log = testFile();
  const options = { log: { to: log, onFull: "closed" as const } };
  const { warden: one } = await fakeWarden([guard], {}, options);
  await one.dispatch(toolEvent());
  const { warden: two } = await fakeWarden([guard], {}, options);
  await two.dispatch(toolEvent());
  await expect(one.dispatch(toolEvent())).rejects.toMatchObject({
    code: "log-failed",
    message:
      "the decision log cannot be written: another process writes to the log file; every log needs a file of its own",
  });
  await expect(one[Symbol.asyncDispose]()).rejects.toMatchObject({ code: "log-failed" });
  await two.dispatch(toolEvent());
  await two[Symbol.asyncDispose]();
  expect(await verifyText(readFileSync(log))).toMatchObject({ problem: null, decisions: 3, closed: true });
});

test("a log that somebody cuts while it is written is noticed", async () => {
  const log = testFile();
  const { warden: one } = await fakeWarden([guard], {}, { log: { to: log, onFull: "closed" } });
  await one.dispatch(toolEvent());
  truncateSync(log, 10);
  await expect(one.dispatch(toolEvent())).rejects.toThrow(
    "the log file has become shorter than what was written to it",
  );
  await expect(one[Symbol.asyncDispose]()).rejects.toMatchObject({ code: "log-failed" });
});

test("a log goes on when the file is again as it was left", async () => {
  const log = testFile();
  const { warden: one } = await fakeWarden([guard], {}, { log: { to: log, onFull: "closed" } });
  await one.dispatch(toolEvent());
  appendFileSync(log, "x");
  await expect(one.dispatch(toolEvent())).rejects.toMatchObject({ code: "log-failed" });
  truncateSync(log, readFileSync(log).length - 1);
  await expect
    .poll(
      () =>
        one.dispatch(toolEvent()).then(
          () => true,
          () => false,
        ),
      { timeout: 10_000 },
    )
    .toBe(true);
  await one[Symbol.asyncDispose]();
  expect((await verifyText(readFileSync(log))).problem).toBeNull();
});

test("options that make no sense are refused before anything is opened", async () => {
  const bad: LogOptions[] = [
    { to: "" },
    { to: 5 as never },
    { to: "x", onFull: "drop" as never },
    { to: "x", flush: "never" as never },
    { to: "x", flush: { everyMs: 0 } },
    { to: "x", flush: { everyMs: 2 ** 31 } },
    { to: "x", maxQueued: 0 },
    { to: "x", mask: ["tool_input"] },
    { to: "x", mask: ["/a~2"] },
    { to: "x", mask: ["/hook_event_name"] },
    { to: "x", mask: ["/*"] },
  ];
  for (const log of bad) {
    await expect(fakeWarden([guard], {}, { log })).rejects.toMatchObject({ code: "option-invalid" });
  }
});
