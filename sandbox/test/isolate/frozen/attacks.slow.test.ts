/**
 * Calls of programs that try to leave something for a later call: a value, an object, code that still runs. In a frozen
 * realm none may; the same programs in a kept context show that the instrument finds what is there.
 */
import { describe, expect, it } from "vitest";
import { createIsolateSandbox } from "../../../src/isolate/index.ts";
import { attempts } from "./attempts.ts";
import { leaksOf } from "./trial.ts";

describe("frozen realms under attack", () => {
  it("are attacked in more than 327 ways", () => {
    expect(attempts.length).toBeGreaterThan(327);
    expect(new Set(attempts.map(({ name }) => name)).size).toBe(attempts.length);
  });

  it("let no call see another one", { timeout: 120_000 }, async () => {
    await using sandbox = await createIsolateSandbox();
    expect(await leaksOf(sandbox, attempts)).toEqual([]);
  });

  it("differ from kept contexts, where most attempts succeed", { timeout: 120_000 }, async () => {
    await using sandbox = await createIsolateSandbox({ pristine: false });
    // Those that look through everything take long, and the others are enough to show the difference.
    const quick = attempts.filter(({ source }) => !source.includes("reachable()"));
    expect((await leaksOf(sandbox, quick)).length).toBeGreaterThan(120);
  });
});
