import { expect, test } from "vitest";
import { summarizeHooks } from "../../src/cli/hook-summary.ts";
import { decideOnce } from "../support/fake-warden.ts";
import { sampleEvent } from "../support/sample-events.ts";

// The first mistakes of every author: the message says what came back and what is wanted, and people read it once.
test.each([
  ["deny", "a string"],
  [false, "`false`"],
  [7, "a number"],
  [[["deny"]], "an array in an array"],
  [[null], "`null` in an array"],
  [{ verdict: "deny" }, "an object without `action`"],
])("a hook that returns %j", async (returned, named) => {
  const hook = { name: "guard", asked: ["deny" as const], run: () => returned };
  const decision = await decideOnce([hook], sampleEvent("PreToolUse"));
  const message = `the hook returned ${named}; return an action such as \`deny("…")\`, or nothing`;
  expect(decision.trace[0]?.fault).toEqual({ code: "invalid-output", message });
  expect(summarizeHooks(decision).map(({ text }) => text)).toEqual([
    `fault, fails closed: invalid-output: ${message}`,
  ]);
});
