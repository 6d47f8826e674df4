import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { wardenMembers } from "../src/warden/check-options.ts";
import { createWarden } from "../src/warden/index.ts";
import { fakePack } from "./support/fake-pack.ts";
import { fakeWarden } from "./support/fake-warden.ts";
import { FakeSandbox } from "./support/fake-sandbox.ts";
import { propertyRuns } from "./support/property-runs.ts";

// `requireReviews: …` asks for a review, and would get a warden that serves whatever it finds.
describe("an option that does not exist is refused, and the one that was meant is named", () => {
  const sandbox = new FakeSandbox();
  const pack = fakePack(sandbox, []);
  const create = (more: object): Promise<unknown> => createWarden({ pack, sandbox, ...more });

  test.each([
    [{ requireReviews: { records: [], trust: "x" } }, "requireReviews", "requireReview", "/requireReviews"],
    [{ requirereview: undefined }, "requirereview", "requireReview", "/requirereview"],
    [{ maxEventByte: 1 }, "maxEventByte", "maxEventBytes", "/maxEventByte"],
    [{ requireReview: { record: [], trust: {} } }, "record", "records", "/requireReview/record"],
    [{ processes: { heapMB: 64 } }, "heapMB", "heapMb", "/processes/heapMB"],
    [{ log: { to: "x", masks: [] } }, "masks", "mask", "/log/masks"],
    [{ log: { to: "x", flush: { everMs: 1 } } }, "everMs", "everyMs", "/log/flush/everMs"],
    [{ load: { nodeModule: [] } }, "nodeModule", "nodeModules", "/load/nodeModule"],
    [{ rules: { onFailures: new Map() } }, "onFailures", "onFailure", "/rules/onFailures"],
  ])("%j", async (more, given, meant, pointer) => {
    await expect(create(more)).rejects.toMatchObject({
      code: "option-invalid",
      message: expect.stringMatching(new RegExp(`\`${given}\`.*did you mean \`${meant}\``)) as string,
      place: { pointer },
    });
  });

  test("whatever its name is", async () => {
    const names = new Set(Object.keys(wardenMembers));
    const name = fc.string({ minLength: 1 }).filter((one) => !names.has(one) && one !== "__proto__");
    await fc.assert(
      fc.asyncProperty(name, async (one) => {
        await expect(create({ [one]: true })).rejects.toMatchObject({ code: "option-invalid" });
      }),
      { numRuns: propertyRuns(20), seed: 14 },
    );
  });

  test.each([null, true, [], { records: [] }, { trust: {} }, { records: "a.json", trust: {} }])(
    "a review that is asked for as %j is no review that is not asked for",
    async (requireReview) => {
      await expect(create({ requireReview })).rejects.toMatchObject({ code: "option-invalid" });
    },
  );

  test("of a dispatch too", async () => {
    const { warden } = await fakeWarden([]);
    const event = { hook_event_name: "PreToolUse", session_id: "s", tool_name: "t", tool_input: {} };
    await expect(warden.dispatch(event, { tenants: "acme" } as object)).rejects.toMatchObject({
      code: "option-invalid",
      message: expect.stringContaining("did you mean `tenant`") as string,
    });
    await warden[Symbol.asyncDispose]();
  });
});
