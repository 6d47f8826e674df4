import { describe, expect, test } from "vitest";
import type { ActionName } from "../../src/catalogue/actions.ts";
import { decideOnce, fakeWarden } from "../support/fake-warden.ts";
import { sampleEvent } from "../support/sample-events.ts";

/** What a host's own way to speak of events changes. */
describe("rules of the host", () => {
  test("an action that the host cannot carry out is illegal", async () => {
    const rules = { carries: new Map([["PreToolUse", new Set<ActionName>(["continue", "deny"])]] as const) };
    const hooks = [{ name: "a", run: () => ({ action: "skip", reason: "x" }) }];
    const decision = await decideOnce(hooks, sampleEvent("PreToolUse"), {}, { rules });
    expect(decision.trace[0]).toMatchObject({
      refused: [{ code: "illegal-action", message: expect.stringContaining("for this host") }],
    });
    const other = await decideOnce(
      [{ ...hooks[0]!, run: () => ({ action: "deny", reason: "x" }) }],
      sampleEvent("PreToolUse"),
      {},
      { rules },
    );
    expect(other.verdict).toBe("deny");
  });

  test("where the host is lenient, a refused action is left out and the rest stands", async () => {
    const rules = { lenient: new Map([["PostToolUse", new Set<ActionName>(["deny"])]] as const) };
    const run = () => [
      { action: "deny", reason: "too late" },
      { action: "augment", text: "kept" },
    ];
    const decision = await decideOnce(
      [{ name: "a", on: ["PostToolUse"], run }],
      sampleEvent("PostToolUse"),
      {},
      { rules },
    );
    expect(decision).toMatchObject({
      verdict: "continue",
      additions: { augment: { text: "kept" } },
      trace: [
        {
          outcome: "honoured",
          fault: null,
          actions: [{ action: "augment" }],
          refused: [{ action: "deny", code: "illegal-action" }],
        },
      ],
    });
    const alone = await decideOnce(
      [{ name: "a", on: ["PostToolUse"], run: () => ({ action: "deny", reason: "too late" }) }],
      sampleEvent("PostToolUse"),
      {},
      { rules },
    );
    expect(alone).toMatchObject({ verdict: "continue", trace: [{ outcome: "refused", fault: null }] });
    const misshapen = await decideOnce(
      [{ name: "a", on: ["PostToolUse"], run: () => "x" }],
      sampleEvent("PostToolUse"),
      {},
      { rules },
    );
    const unlisted = await decideOnce(
      [{ name: "a", on: ["PostToolUse"], run: () => ({ action: "skip", reason: "too late" }) }],
      sampleEvent("PostToolUse"),
      {},
      { rules },
    );
    expect(unlisted).toMatchObject({ verdict: "block", trace: [{ fault: { code: "illegal-action" } }] });
    expect(misshapen).toMatchObject({ verdict: "block", trace: [{ fault: { code: "invalid-output" } }] });
  });

  test("can come with a dispatch, and count for that one only", async () => {
    const { warden } = await fakeWarden([{ name: "a", run: () => ({ action: "skip", reason: "x" }) }]);
    const rules = { carries: new Map([["PreToolUse", new Set<ActionName>(["deny"])]] as const) };
    expect((await warden.dispatch(sampleEvent("PreToolUse"), { rules })).verdict).toBe("deny");
    expect((await warden.dispatch(sampleEvent("PreToolUse"))).verdict).toBe("skip");
  });

  test("its failure policy counts where neither manifest nor pack says one", async () => {
    const boom = () => {
      throw new Error("x");
    };
    const event = sampleEvent("PreToolUse");
    const open = { rules: { onFailure: new Map([["PreToolUse", "open"]] as const) } };
    expect((await decideOnce([{ name: "a", run: boom }], event, {}, open)).verdict).toBe("continue");
    expect((await decideOnce([{ name: "a", run: boom, onFailure: "closed" }], event, {}, open)).verdict).toBe(
      "deny",
    );
    const closed = {
      rules: {
        onFailure: new Map([
          ["PreToolUse", "closed"],
          ["Stop", "closed"],
        ] as const),
      },
    };
    expect((await decideOnce([{ name: "a", run: boom, asked: ["notify"] }], event, {}, closed)).verdict).toBe(
      "deny",
    );
    const stop = sampleEvent("Stop");
    expect((await decideOnce([{ name: "a", run: boom, on: ["Stop"] }], stop, {}, closed)).verdict).toBe(
      "continue",
    );
  });
});
