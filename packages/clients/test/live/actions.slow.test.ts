import { describe, expect, test } from "vitest";
import { type ClientName, clientNames, clients } from "../../src/clients/index.ts";
import type { PackHook } from "../claude-code/hook-pack.ts";
import { binaryOf, live } from "./installed-clients.ts";
import { type LiveSession, liveSession, secret } from "./live-client.ts";

/** The real clients, one at a time: `HOOKWARDEN_LIVE_CLIENTS=1` and `HOOKWARDEN_LIVE_CACHE` name them. */

if (!live)
  console.warn(
    "skipped: the real clients: HOOKWARDEN_LIVE_CLIENTS is not 1, or there is no HOOKWARDEN_LIVE_CACHE",
  );

const timeout = 180_000;
const only = process.env["HOOKWARDEN_LIVE_ONLY"]?.split(",");
const chosen = clientNames.filter((name) => only === undefined || only.includes(name));

const run = (client: ClientName, hook: PackHook): Promise<LiveSession> =>
  liveSession({ client, binary: binaryOf(client), hook });

const rowAt = (client: ClientName, event: string) =>
  Object.values(clients[client].events).find((row) => row.event === event);

/** Whether the table says that a client carries an answer; Claude Code has its own dialect, and carries all of these. */
const carries = (client: ClientName, event: string, answer: "input" | "result" | "stop"): boolean =>
  client === "claude-code" || rowAt(client, event)?.answers[answer] !== undefined;

const shown = ({ conversations }: LiveSession): string =>
  JSON.stringify(conversations.map(({ results }) => results));

describe.skipIf(!live).each(chosen)("%s", { timeout }, (client) => {
  test("runs a tool that no hook stops", async () => {
    const session = await run(client, { on: ["PreToolUse"], actions: ["deny"], does: "() => undefined" });
    expect(session.ran).toBe(true);
    expect(shown(session)).toContain(secret);
  });

  test("does not run a tool that was denied, halted, or would need a person", async () => {
    for (const action of ["deny", "halt", "ask"]) {
      // The real client asks a person only in a terminal.
      const does = `() => ({ action: "${action}", reason: "not on a Sunday" })`;
      const session = await run(client, { on: ["PreToolUse"], actions: [action], does });
      expect([action, session.ran]).toEqual([action, false]);
    }
  });

  test.runIf(carries(client, "PreToolUse", "input"))("runs a rewritten command", async () => {
    const does = `({ tool_input }) => ({ action: "modify_input", input: { ...tool_input, ...(tool_input.cmd ? { cmd: "echo rewritten" } : { command: "echo rewritten" }) } })`;
    const session = await run(client, { on: ["PreToolUse"], actions: ["modify_input"], does });
    expect(session.ran).toBe(false);
    expect(shown(session)).toContain("rewritten");
  });

  test.runIf(carries(client, "PostToolUse", "result"))("shows the model a replaced result", async () => {
    const does = `() => ({ action: "replace_result", result: "nothing to see" })`;
    const session = await run(client, { on: ["PostToolUse"], actions: ["replace_result"], does });
    expect(session.ran).toBe(true);
    expect(shown(session)).toContain("nothing to see");
    expect(shown(session)).not.toContain(secret);
  });

  test("withholds a result that was blocked", async () => {
    const does = `() => ({ action: "block", reason: "it holds a secret" })`;
    const session = await run(client, { on: ["PostToolUse"], actions: ["block"], does });
    expect(session.ran).toBe(true);
    expect(shown(session)).not.toContain(secret);
  });

  test.runIf(carries(client, "UserPromptSubmit", "stop"))(
    "does not send a prompt that was blocked",
    async () => {
      const does = `() => ({ action: "block", reason: "no prompts today" })`;
      const session = await run(client, { on: ["UserPromptSubmit"], actions: ["block"], does });
      expect(session.prompts).not.toContain("touch a file");
    },
  );
});
