import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { breakerLimits } from "../../src/warden/breaker.ts";
import { createWarden } from "../../src/warden/index.ts";

const event = { hook_event_name: "PreToolUse", session_id: "s", tool_name: "Bash", tool_input: {} };

test(
  "rel-007 a hook that ends its process each time is found out in real processes, and another hook goes on beside it",
  { timeout: 60_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "hookwarden-lifecycle-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const hookOf = (name: string, wallMs: number, source: string): void => {
      mkdirSync(join(folder, name));
      writeFileSync(
        join(folder, name, "hook.json"),
        JSON.stringify({
          apiVersion: 1,
          name,
          version: "1.0.0",
          entry: "hook.js",
          on: [{ event: "PreToolUse" }],
          reads: [],
          actions: ["deny", "notify"],
          limits: { wallMs },
        }),
      );
      writeFileSync(join(folder, name, "hook.js"), source);
    };
    writeFileSync(
      join(folder, "hookwarden.json"),
      JSON.stringify({ apiVersion: 1, hooks: ["other", "killer"] }),
    );
    hookOf("other", 5_000, 'export default () => ({ action: "notify", text: "here" });');
    // A built-in that does not look up while it works: nothing but the end of the process stops it.
    hookOf("killer", 60, "export default () => new Array(2 ** 28).join('x');");
    await using warden = await createWarden({ pack: folder });
    const messages: string[] = [];
    for (let index = 0; index < breakerLimits.failures + 3; index++) {
      const { verdict, trace } = await warden.dispatch(event);
      expect(verdict).toBe("deny");
      expect(trace[0]).toMatchObject({ hook: "other", outcome: "honoured" });
      messages.push(String(trace[1]?.fault?.message));
    }
    // How many of them fall into the pause depends on how long a process takes to start here.
    expect(messages.slice(0, breakerLimits.failures).some((message) => message.startsWith("not run: "))).toBe(
      false,
    );
    expect(messages[breakerLimits.failures]).toMatch(
      /^not run: it has ended its process or not loaded in time 5 times in a row/,
    );
  },
);
