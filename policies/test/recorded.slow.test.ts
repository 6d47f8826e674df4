import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { decideAll, eventsOf, reportOf, withReport } from "../scripts/policy-report.ts";
import { hookNames } from "./harness.ts";

const session = eventsOf(new URL("../../examples/agent-session.jsonl", import.meta.url).pathname);

/** What `protect-agent-setup` and `guard-data-flow` are for: settings; something untrusted, something private, and a way out. */
const flow = [
  { tool_name: "Write", tool_input: { file_path: "/workspace/.claude/settings.json", content: "{}" } },
  { tool_name: "mcp__github__get_issue", tool_input: { number: 7 } },
  { tool_name: "mcp__mail__search", tool_input: { query: "reset" } },
  { tool_name: "mcp__mail__send_email", tool_input: { to: "x@acme.io" } },
].map(
  (call) =>
    ({
      hook_event_name: "PreToolUse",
      session_id: "flow",
      cwd: "/workspace",
      ...call,
    }) as const,
);

describe("the example session", () => {
  test("has some 40 events of at least eight kinds", () => {
    expect(session.length).toBeGreaterThanOrEqual(40);
    expect(
      new Set(session.map((event) => (event as { hook_event_name: string }).hook_event_name)).size,
    ).toBeGreaterThanOrEqual(8);
  });

  test("gives every policy something to do, and none a fault", async () => {
    const decisions = await decideAll([...session, ...flow]);
    const traces = decisions.flatMap(({ trace }) => trace);
    expect(traces.filter(({ fault, refused }) => fault || refused.length > 0)).toEqual([]);
    const busy = traces.filter(({ actions }) =>
      actions.some(({ action }) => action !== "continue" && action !== "set_state"),
    );
    expect([...new Set(busy.map(({ hook }) => hook))].sort()).toEqual([...hookNames()].sort());
  });
});

const corpus = process.env["HOOKWARDEN_CORPUS"];

describe.skipIf(corpus === undefined)("recorded events of coding agents", () => {
  test(
    "nothing is stopped, nothing fails, and the docs say what was done",
    { timeout: 300_000 },
    async () => {
      const decisions = await decideAll(eventsOf(corpus ?? ""));
      expect(decisions.filter(({ verdict }) => !["continue", "ask", "retry"].includes(verdict))).toEqual([]);
      expect(
        decisions.flatMap(({ trace }) => trace).filter(({ fault, refused }) => fault || refused.length > 0),
      ).toEqual([]);
      const page = readFileSync(new URL("../../docs/policies.md", import.meta.url), "utf8");
      expect(withReport(page, await reportOf(decisions))).toBe(page);
    },
  );
});
