import { describe, expect, it } from "vitest";
import type { HookCost } from "@hookwarden/testing/measure";
import { bash, folder, lines, pack } from "./cli.ts";
import { cli } from "./in-process.ts";

const files = {
  ...pack,
  // A busy machine must not make a difference.
  "no-rm/hook.json": { ...pack["no-rm/hook.json"], limits: { wallMs: 5_000 } },
  // Costs more with every character that it is given.
  "no-rm/hook.js": `export default (event) => {
  const text = String(event.tool_input.command);
  let odd = 0;
  for (let a = 0; a < text.length; a++) for (let b = 0; b < a; b++) if (text[a] === text[b]) odd++;
  return text.includes("rm") ? { action: "deny", reason: "it deletes things, " + odd } : undefined;
};
`,
  "events.jsonl": lines(
    bash("ls -la"),
    bash("rm -rf build"),
    { hook_event_name: "PostToolUse", session_id: "s", tool_name: "Bash", tool_response: "ok" },
    bash("x".repeat(200)),
  ),
};
const args = ["bench", ".", "--events", "events.jsonl", "--rounds", "2", "--isolation", "inline"];

describe("bench", { timeout: 60_000 }, () => {
  it("reports for each hook and event what it costs, and where its input would reach a limit", async () => {
    await using dir = await folder(files);
    const { code, out, err } = await cli([...args, "--format", "json"], { cwd: dir.path });
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const { costs: rows } = JSON.parse(out) as { costs: readonly HookCost[] };
    expect(rows.map(({ hook, event }) => `${hook} ${event}`).toSorted()).toEqual([
      "mark PostToolUse",
      "no-rm PreToolUse",
    ]);
    const guard = rows.find(({ hook }) => hook === "no-rm");
    expect(guard?.calls).toBeGreaterThanOrEqual(3);
    // The long command costs far more steps than the short ones.
    expect(guard?.steps?.p99).toBeGreaterThan((guard?.steps?.p50 ?? 0) * 10);
    expect(guard?.us?.p99).toBeGreaterThanOrEqual(guard?.us?.p50 ?? Infinity);
    // A square of the input's length meets the limits long before the input's own.
    expect(guard?.forecast?.inputBytes).toBeGreaterThan(300);
    expect(guard?.forecast?.inputBytes).toBeLessThan(100_000);
  });

  it("prints it for people too, without the forecast where it is not wanted", async () => {
    await using dir = await folder(files);
    const { code, out } = await cli([...args, "--no-forecast"], { cwd: dir.path });
    expect(code).toBe(0);
    expect(out).toMatch(/^HOOK, EVENT +CALLS +STEPS +p99 +µs +p99 +KiB$/m);
    expect(out).toMatch(/^no-rm +\d+ +\d+/m);
    expect(out).toContain("PreToolUse; answers 0 to ");
    expect(out).not.toContain("reached at");
    for (const line of out.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  });

  it("exits 65 where an event cannot be read, and 64 where there are none to read", async () => {
    await using dir = await folder({ ...files, "events.jsonl": `${JSON.stringify(bash("ls"))}\n{"a":` });
    expect(await cli(args, { cwd: dir.path })).toMatchObject({
      code: 65,
      err: expect.stringContaining("events.jsonl:2") as string,
    });
    expect((await cli(["bench", "."], { cwd: dir.path })).code).toBe(64);
  });
});
