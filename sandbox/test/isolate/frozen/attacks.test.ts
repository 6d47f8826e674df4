/**
 * Calls of programs that try to leave something for a later call: a value, an object, code that still runs. All of them
 * are in attacks.slow.test.ts; here is every sixth, and what needs no attack.
 */
import { describe, expect, it } from "vitest";
import { createIsolateSandbox } from "../../../src/isolate/index.ts";
import { attempts } from "./attempts.ts";
import { leaksOf } from "./trial.ts";

describe("a frozen realm", () => {
  it("lets no call see another one", async () => {
    await using sandbox = await createIsolateSandbox();
    expect(
      await leaksOf(
        sandbox,
        attempts.filter((_, index) => index % 6 === 0),
      ),
    ).toEqual([]);
  });
});
