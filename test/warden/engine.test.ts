import { describe, expect, test } from "vitest";
import type { Decision } from "../../src/broker/decision.ts";
import { loadPackFromFiles } from "../../src/pack/load.ts";
import { createWarden, type Warden } from "../../src/warden/index.ts";
import type { WardenOptions } from "../../src/warden/options.ts";
import { sampleEvent } from "../support/sample-events.ts";

const json = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));

interface Scripted {
  readonly script: string;
  readonly manifest: object;
}

/** A warden over hooks with real scripts, on a real engine. */
async function over(hooks: { [name: string]: Scripted }, options: Partial<WardenOptions>): Promise<Warden> {
  const files = new Map([["hookwarden.json", json({ apiVersion: 1, hooks: Object.keys(hooks) })]]);
  for (const [name, { script, manifest }] of Object.entries(hooks)) {
    const base = { apiVersion: 1, name, version: "1.0.0", entry: "hook.js", on: [{ event: "PreToolUse" }] };
    files.set(`${name}/hook.json`, json({ ...base, ...manifest }));
    files.set(`${name}/hook.js`, Buffer.from(script));
  }
  return createWarden({ ...options, pack: await loadPackFromFiles(files) });
}

const timeless = (decision: Decision): object => ({
  ...decision,
  duration_us: 0,
  trace: decision.trace.map((entry) => ({ ...entry, duration_us: 0, memory_bytes: 0 })),
});

/** The way from an event through a real engine and back; the rules have tests of their own without one. */
describe.each([{ isolation: "inline" }, { isolation: "process" }] as const)(
  "on quickjs, $isolation",
  (options) => {
    test("the same event and decision id give the same decision twice", async () => {
      const script =
        "export default (event, ctx) => ({ action: 'deny', reason: [Date.now(), Math.random(), ctx.time].join() });";
      await using warden = await over(
        { probe: { script, manifest: { reads: [], actions: ["deny"] } } },
        options,
      );
      for (const decisionId of ["mine", "019c0000-0000-7000-8000-000000000000"]) {
        const first = await warden.dispatch(sampleEvent("PreToolUse"), { decisionId });
        await new Promise((resolve) => setTimeout(resolve, 5));
        expect(timeless(await warden.dispatch(sampleEvent("PreToolUse"), { decisionId }))).toEqual(
          timeless(first),
        );
        expect(first.reason).toContain(first.decision_id === "mine" ? "1970-01-01T00:00:00.000Z" : "2026-");
      }
    });

    test("a hook sees what it reads, and nothing else", async () => {
      const script = "export default (event) => ({ action: 'notify', text: JSON.stringify(event) });";
      const manifest = { reads: ["tool_input.command"], actions: ["notify"] };
      await using warden = await over({ probe: { script, manifest } }, options);
      const event = sampleEvent("PreToolUse", {
        cwd: "/SECRET",
        extra: "SECRET",
        tool_input: { command: "ls", other: "SECRET" },
      });
      const { additions } = await warden.dispatch(event);
      expect(JSON.parse(additions.notices[0]!.text)).toEqual({
        hook_event_name: "PreToolUse",
        tool_input: { command: "ls" },
      });
    });

    test("state counts, session by session", async () => {
      const script =
        "export default (event, { state }) => ({ action: 'set_state', value: (state ?? 0) + 1 });";
      const manifest = { reads: [], actions: ["set_state"], state: { scope: "session", maxBytes: 100 } };
      await using warden = await over({ probe: { script, manifest } }, options);
      await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          warden.dispatch(sampleEvent("PreToolUse", { session_id: `s${index % 2}` })),
        ),
      );
      const { trace } = await warden.dispatch(sampleEvent("PreToolUse", { session_id: "s0" }));
      expect(trace[0]?.actions).toEqual([{ action: "set_state", value: 26 }]);
    });

    test("a hook that fails closes the gate, whichever way it fails", { timeout: 60_000 }, async () => {
      const cases: [string, string][] = [
        ["export default () => { throw new Error('x'); };", "threw"],
        ["throw new Error('x'); export default () => null;", "load-failed"],
        ["export const nothing = 1;", "load-failed"],
        ["export default () => { for (;;); };", "steps-exceeded"],
        ["export default () => new Promise(() => {});", "timeout"],
        ["export default () => 'allow';", "invalid-output"],
        ["export default () => ({ action: 'augment', text: 'x' });", "illegal-action"],
        ["export default () => ({ action: 'halt', reason: 'x' });", "ungranted-action"],
      ];
      const hooks = cases.map(([script], index): [string, Scripted] => [
        `hook-${index}`,
        {
          script,
          manifest: {
            on: [{ event: "PreToolUse", matcher: `Tool${index}` }],
            reads: [],
            actions: ["deny"],
            limits: { wallMs: 5_000 },
          },
        },
      ]);
      await using warden = await over(Object.fromEntries(hooks), options);
      for (const [index, [, code]] of cases.entries()) {
        const decision = await warden.dispatch(sampleEvent("PreToolUse", { tool_name: `Tool${index}` }));
        expect([decision.verdict, decision.decided_by, decision.trace[index]?.fault?.code]).toEqual([
          "deny",
          `hook-${index}`,
          code,
        ]);
      }
    });
  },
);
