import { describe, expect, it } from "vitest";
import { defaultLimits } from "@hookwarden/sandbox";
import { createQuickjsSandbox } from "@hookwarden/sandbox/quickjs";
import { forecast } from "../../src/measure/forecast.ts";
import { benchPack } from "../../src/measure/index.ts";
import type { Sample } from "../../src/measure/probe.ts";
import { percentilesOf } from "../../src/measure/percentiles.ts";
import { commands, tiny } from "../diff/packs.ts";

const sample = (inputBytes: number, steps: number, fault: string | null = null): Sample => ({
  fault,
  steps,
  durationUs: 10,
  memoryBytes: 0,
  inputBytes,
  outputBytes: 0,
});

describe("forecast", () => {
  it("follows a square to where the steps end", () => {
    const samples = [1_000, 2_000, 4_000].map((size) => sample(size, size ** 2 / 100));
    expect(forecast(samples, { ...defaultLimits, steps: 1_000_000 })).toEqual({
      limit: "steps",
      inputBytes: 10_000,
      basis: "fitted",
    });
  });

  it("names the input's own limit where nothing grows", () => {
    const samples = [1_000, 2_000, 4_000].map((size) => sample(size, 50));
    expect(forecast(samples, defaultLimits)).toEqual({
      limit: "inputBytes",
      inputBytes: defaultLimits.inputBytes,
      basis: "fitted",
    });
  });

  it("stays between the last good size and the first bad one", () => {
    const samples = [sample(1_000, 10_000), sample(2_000, 20_000), sample(4_000, 0, "steps-exceeded")];
    const found = forecast(samples, { ...defaultLimits, steps: 30_000 });
    expect(found).toEqual({ limit: "steps", inputBytes: 3_000, basis: "reached" });
  });
});

it("takes the nearest rank", () => {
  expect(percentilesOf([])).toBeNull();
  expect(percentilesOf(Array.from({ length: 200 }, (_, index) => 200 - index))).toEqual({
    p50: 100,
    p99: 198,
  });
});

it("measures a hook, and finds where its loop runs out of steps", { timeout: 60_000 }, async () => {
  const pack = await tiny(
    `export default ({ tool_input }) => {
  let sum = 0;
  for (let i = 0; i < tool_input.command.length; i++) for (let j = 0; j < 100; j++) sum += j;
  return sum < 0 ? { action: "deny", reason: "never" } : undefined;
};`,
    { limits: { steps: 100_000, wallMs: 5_000 } },
  );
  await using sandbox = await createQuickjsSandbox({});
  const events = commands("ls", "echo hello world").map(({ fields }) => fields);
  const [cost, ...rest] = await benchPack({ pack, events, sandbox });
  expect(rest).toEqual([]);
  expect(cost).toMatchObject({ hook: "guard", event: "PreToolUse", calls: 4, faults: 0 });
  expect(cost?.steps?.p99).toBeGreaterThan(cost?.steps?.p50 ?? Infinity);
  expect(cost?.forecast).toMatchObject({ limit: "steps", basis: "reached", field: "tool_input.command" });
  expect(cost?.forecast?.inputBytes).toBeLessThan(10_000);
});
