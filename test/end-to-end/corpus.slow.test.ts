/**
 * The shipped policies over 510 recorded events of real agent runs, on both engines: the same decisions, no fault, and
 * nothing benign denied. The recording is not part of the package; HOOKWARDEN_CORPUS names it.
 */
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { loadPack } from "../../src/pack/index.ts";
import { createWarden } from "../../src/warden/index.ts";
import type { Decision } from "../../src/broker/decision.ts";

const corpus = process.env["HOOKWARDEN_CORPUS"];
const there = corpus !== undefined && existsSync(corpus);
if (!there) console.warn("skipped: HOOKWARDEN_CORPUS does not name a file of recorded events");

describe.skipIf(!there)("510 recorded events", () => {
  test("both engines decide alike, without a fault", { timeout: 300_000 }, async () => {
    const events = readFileSync(corpus!, "utf8").trim().split("\n");
    expect(events).toHaveLength(510);
    const pack = await loadPack(new URL("../../policies", import.meta.url).pathname);
    // The machine's other work must not decide: what is measured here is agreement.
    const patient = {
      ...pack,
      hooks: pack.hooks.map((hook) => ({ ...hook, limits: { ...hook.limits, wallMs: 5_000 } })),
      budgets: { ...pack.budgets, decisionMs: 30_000 },
    };
    const byEngine: Decision[][] = [];
    for (const engine of ["quickjs", "isolate"] as const) {
      await using warden = await createWarden({ engine, pack: patient });
      const decisions: Decision[] = [];
      for (const [index, event] of events.entries()) {
        decisions.push(await warden.dispatch(event, { decisionId: `corpus-${index}` }));
      }
      byEngine.push(decisions);
    }
    const [quickjs, isolate] = byEngine as [Decision[], Decision[]];
    const essence = ({ verdict, reason, changes, additions, decided_by }: Decision): unknown => ({
      verdict,
      reason,
      changes,
      additions,
      decided_by,
    });
    expect(isolate.map(essence)).toEqual(quickjs.map(essence));
    for (const decision of [...quickjs, ...isolate]) {
      expect(decision.trace.filter(({ fault }) => fault)).toEqual([]);
      expect(["continue", "ask"]).toContain(decision.verdict);
    }
  });
});
