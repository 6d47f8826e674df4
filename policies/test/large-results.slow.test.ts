import { expect, test } from "vitest";
import { createWarden } from "hookwarden/warden";
import { policiesFolder } from "./harness.ts";

const line = "The build of module 42 took 3.5 seconds on host db.example.org, and nothing failed.\n";
const code = `const name = process.env["NAME"] ?? "";\n`;
// Made at run time, so that no scanner takes it for a key.
const token = `ghp_${["a8Kq2LmZ9xT4", "vB7nR1cW5yH3", "jF6dS0pQeU8i"].join("")}`;

test(
  "a result of nearly 4 MiB is judged by the shipped pack, not refused by an earlier limit",
  { timeout: 120_000 },
  async () => {
    await using warden = await createWarden({ pack: policiesFolder, isolation: "inline" });
    const decision = await warden.dispatch({
      session_id: "large",
      hook_event_name: "PostToolUse",
      tool_name: "WebFetch",
      tool_input: { url: "https://example.org/" },
      cwd: "/workspace",
      tool_response: `${token}\n${line.repeat(Math.floor(4_000_000 / line.length))}`,
    });
    expect(decision.trace.flatMap(({ fault }) => (fault ? [fault] : []))).toEqual([]);
    expect(decision.verdict).toBe("continue");
    expect(JSON.stringify(decision.changes)).toContain("[redacted: GitHub token]");
    expect(JSON.stringify(decision.changes)).not.toContain(token);
  },
);

test.each([
  ["a file", "Write", { file_path: "a.ts", content: code.repeat(Math.floor(4_000_000 / code.length)) }, null],
  [
    "a command line",
    "Bash",
    { command: code.repeat(Math.floor(4_000_000 / code.length)) },
    "the command line is too large to be read",
  ],
])(
  "%s of nearly 4 MiB that a tool is given is judged by the shipped pack",
  { timeout: 120_000 },
  async (_, tool, input, reason) => {
    await using warden = await createWarden({ pack: policiesFolder, isolation: "inline" });
    const decision = await warden.dispatch({
      session_id: "large",
      hook_event_name: "PreToolUse",
      tool_name: tool,
      tool_input: input,
      cwd: "/workspace",
    });
    expect(decision.trace.flatMap(({ hook, fault }) => (fault ? [{ hook, fault }] : []))).toEqual([]);
    expect(decision.verdict).toBe(reason === null ? "continue" : "ask");
    if (reason !== null) expect(decision.reason).toContain(reason);
  },
);
