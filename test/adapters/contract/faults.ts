import { describe, expect, test, vi } from "vitest";
import { faults, noFault } from "../faults.ts";
import type { Adapter, Reply, Tool } from "./adapter.ts";

const ran = vi.fn<() => void>();
const read: Tool = {
  name: "read",
  execute() {
    ran();
    return "the secret result";
  },
};
const replies: readonly Reply[] = [
  { calls: [{ name: "read", input: { path: "a" }, id: "c-read" }] },
  "the secret answer",
];

/** A fault at one seam: what must not have happened, or not be seen. */
const seams = [
  { event: "UserPromptSubmit", requests: 0, runs: 0 },
  { event: "PreModelRequest", requests: 0, runs: 0 },
  { event: "PostModelResponse", requests: 1, runs: 0 },
  { event: "PreToolUse", requests: 2, runs: 0 },
  { event: "PostToolUse", requests: 2, runs: 1 },
] as const;

/** Without a decision nothing happens, whatever the fault. */
export function faultContract(adapter: Adapter): void {
  describe.each(adapter.modes)("a fault in %s", (mode) => {
    describe.each(faults)("$name", ({ make }) => {
      test.each(seams)("at $event keeps the step from happening", async ({ event, requests, runs }) => {
        ran.mockClear();
        await using made = await make(event);
        const { warden } = made;
        const options = { timeoutMs: 60 };
        const outcome = await adapter.run(mode, { warden, replies, tools: [read], options });
        expect(ran.mock.calls.length).toBeLessThanOrEqual(runs);
        expect(outcome.requests).toBeLessThanOrEqual(requests);
        expect(outcome.shown + outcome.asked(1)).not.toContain("the secret result");
        if (event === "PostModelResponse")
          expect(outcome.shown + outcome.text).not.toMatch(/secret answer|"the s/);
      });
    });

    test("there is none: the same run does all of it", async () => {
      ran.mockClear();
      await using made = await noFault();
      const { text, shown } = await adapter.run(mode, { warden: made.warden, replies, tools: [read] });
      expect([text, ran.mock.calls.length]).toEqual(["the secret answer", 1]);
      expect(shown).toContain("the secret result");
    });
  });
}
