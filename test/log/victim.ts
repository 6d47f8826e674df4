/** A process to be killed: decides events, logs the decisions, and prints which it has answered. */
import { writeSync } from "node:fs";
import { createWarden } from "../../src/warden/index.ts";
import type { LogOptions } from "../../src/log/index.ts";
import { fakePack } from "../support/fake-pack.ts";
import { FakeSandbox } from "../support/fake-sandbox.ts";

const [log, options, count] = process.argv.slice(2) as [string, string, string];
const sandbox = new FakeSandbox();
const pack = fakePack(sandbox, [
  {
    name: "guard",
    run: (event) =>
      event.tool_input.command.length % 3 === 0 ? { action: "deny", reason: event.tool_input.command } : null,
  },
]);
await using warden = await createWarden({
  sandbox,
  pack,
  log: { to: log, ...(JSON.parse(options) as Partial<LogOptions>) },
});
let sent = 0;
async function work(): Promise<void> {
  while (sent < Number(count)) {
    const command = "x".repeat(sent++ % 300);
    const decision = await warden.dispatch({
      hook_event_name: "PreToolUse",
      session_id: "s",
      tool_name: "Bash",
      tool_input: { command },
    });
    // Written synchronously: what is buffered when the process dies does not count as answered.
    writeSync(1, `${decision.decision_id}\n`);
  }
}
await Promise.all(Array.from({ length: 8 }, work));
