import { describe, expect, test } from "vitest";
import { makeDecisionId, timeOfId } from "../../src/broker/decision-id.ts";
import { digestWords, seedFor } from "../../src/broker/seed.ts";
import type { Decision } from "../../src/broker/decision.ts";
import { fakeWarden } from "../support/fake-warden.ts";
import { sampleEvent } from "../support/sample-events.ts";

/** The parts that a clock may change. */
const timeless = (decision: Decision): object => ({
  ...decision,
  duration_us: 0,
  trace: decision.trace.map((entry) => ({ ...entry, duration_us: 0, memory_bytes: 0 })),
});

describe("decision ids", () => {
  test("are UUIDs of version 7 that carry their time and sort by it", () => {
    const id = makeDecisionId(1_700_000_000_123);
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(timeOfId(id)).toBe(1_700_000_000_123);
    expect(makeDecisionId(1_700_000_000_124) > id).toBe(true);
  });

  test("decision ids do not repeat", () => {
    expect(new Set(Array.from({ length: 20_000 }, () => makeDecisionId(1)))).toHaveProperty("size", 20_000);
  });

  test("ids that are not version 7 have no time", () => {
    expect(timeOfId("d1")).toBe(0);
    expect(timeOfId("123e4567-e89b-42d3-a456-426614174000")).toBe(0);
  });
});

describe("the same event and decision id", () => {
  const clockwork = {
    name: "clockwork",
    run: (event: unknown, context: unknown, call: { time: number; seed: readonly number[] }) => ({
      action: "deny",
      reason: JSON.stringify([event, context, call.time, call.seed]),
    }),
  };

  test("give the same decision twice, time and chance included, also from another warden", async () => {
    const [one, two] = [await fakeWarden([clockwork]), await fakeWarden([clockwork])];
    const ask = async ({ warden }: typeof one, decisionId: string) => {
      return { ...timeless(await warden.dispatch(sampleEvent("PreToolUse"), { decisionId })), pack: "" };
    };
    for (const id of ["d1", makeDecisionId(Date.now())]) {
      const first = await ask(one, id);
      await new Promise((resolve) => setTimeout(resolve, 5));
      expect(await ask(one, id)).toEqual(first);
      expect(await ask(two, id)).toEqual(first);
    }
    expect(await ask(one, "d2")).not.toEqual(await ask(one, "d1"));
  });

  test("take their time from the event, then the options, then the id, then 1970", async () => {
    const { warden, sandbox } = await fakeWarden([clockwork]);
    const event = sampleEvent("PreToolUse");
    const id = makeDecisionId(1_700_000_000_000);
    await warden.dispatch({ ...event, time: "2026-01-01T00:00:00Z" }, { decisionId: id, time: 1 });
    await warden.dispatch(event, { decisionId: id, time: new Date(5_000) });
    await warden.dispatch(event, { decisionId: id });
    await warden.dispatch(event, { decisionId: "mine" });
    expect(sandbox.calls.map(({ time }) => time)).toEqual([
      Date.UTC(2026, 0, 1),
      5_000,
      1_700_000_000_000,
      0,
    ]);
    expect(JSON.parse(sandbox.calls[1]!.args[1]!)).toMatchObject({ time: "1970-01-01T00:00:05.000Z" });
    const before = Date.now();
    await warden.dispatch(event);
    expect(sandbox.calls[4]!.time).toBeGreaterThanOrEqual(before);
  });
});

describe("seeds", () => {
  test("are made as documented, so that another implementation can make them", () => {
    expect(digestWords("")).toEqual([0xe3b0c442, 0x98fc1c14, 0x9afbf4c8, 0x996fb924]);
    // The finaliser of MurmurHash3, by its published constants.
    expect(seedFor([1, 0, 0, 0], [0, 0, 0, 0])).toEqual([0x514e28b7, 0, 0, 0]);
  });

  test("seeds differ by decision and by hook", () => {
    const seeds = ["a", "b", "c"].flatMap((id) =>
      ["x", "y"].map((hook) => seedFor(digestWords(id), digestWords(hook)).join()),
    );
    expect(new Set(seeds).size).toBe(6);
  });
});
