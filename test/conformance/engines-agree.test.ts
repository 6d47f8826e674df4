import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { defaultLimits, type Outcome, type Sandbox, createSandbox } from "@hookwarden/sandbox";
import { CrossCheckedSandbox, type Divergence } from "../../src/warden/cross-check.ts";
import { eventJson, hookSource } from "./generated-hook.ts";
import { propertyRuns } from "../support/property-runs.ts";

/**
 * Both engines, real, each in its child processes: a hook that decides one way on one and another way on the other would
 * let its author choose the verdict by the engine. Differences that are legitimate are listed in
 * `sandbox/src/guest/divergences.ts`; what the generator makes stays clear of them.
 */
let sandbox: CrossCheckedSandbox;
const divergences: Divergence[] = [];

beforeAll(async () => {
  const first: Sandbox = await createSandbox({ engine: "quickjs", isolation: "inline" });
  const second = await createSandbox({ engine: "isolate", processes: 1 });
  sandbox = new CrossCheckedSandbox(first, second, 1, (one) => divergences.push(one));
});
afterAll(() => sandbox[Symbol.asyncDispose]());

const ctx =
  '{"config":{},"hook":"generated","tenant":"t","time":"2026-01-01T00:00:00.000Z","state":{"seen":2}}';
// Time enough that a busy machine makes no difference.
const limits = { ...defaultLimits, wallMs: 5_000 };
let programs = 0;
let answers = 0;

test("generated hooks get the same answer from both engines", { timeout: 240_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      hookSource,
      fc.array(eventJson, { minLength: 1, maxLength: 3 }),
      async (source, events) => {
        const program = { key: `generated-${++programs}`, name: "generated", source };
        for (const event of events) {
          const outcome: Outcome = await sandbox.call({
            program,
            tenant: "t",
            handler: "PreToolUse",
            args: [event, ctx],
            time: 1_767_225_600_000,
            seed: [0, 2, 3, 4],
            limits,
          });
          await sandbox.settled();
          if (outcome.ok) answers++;
          const found = divergences.splice(0);
          sandbox.forget(program.key);
          expect(found, `${source}\n${event}`).toEqual([]);
        }
      },
    ),
    { numRuns: propertyRuns(30) },
  );
  // Programs that do not even load would agree about nothing.
  expect(answers).toBeGreaterThan(programs * 0.8);
});
