import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LoadedPack } from "../../src/pack/index.ts";
import { loadPack } from "./built.ts";

/** The decision that every case makes: deny a destructive command, let the rest pass. */
export const hookBody = `(event) => {
  if (/\\brm\\s+-rf\\b/.test(event.tool_input.command)) return { action: "deny", reason: "destructive" };
  return { action: "continue" };
}`;

const filler = "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt. ";

/** A PreToolUse event of about so many bytes. */
export function eventOf(
  bytes: number,
  command = 'git status && npm test -- --grep "sandbox"',
): Record<string, unknown> {
  const event = {
    hook_event_name: "PreToolUse",
    session_id: "3f1c2b9e-7a51-4a7e-9a40-0f7c6d1c2a11",
    cwd: "/home/user/work/project",
    permission_mode: "default",
    tool_name: "Bash",
    tool_input: { command, description: "", timeout: 120_000, env: { CI: "1", NODE_ENV: "test" } },
    tool_use_id: "toolu_01ABCDEFGHJKMNPQRSTVWXYZ",
  };
  const missing = Math.max(0, bytes - JSON.stringify(event).length);
  event.tool_input.description = filler.repeat(Math.ceil(missing / filler.length)).slice(0, missing);
  return event;
}

interface PackOptions {
  /** How many hooks their condition lets match; without it, none has a condition. */
  readonly routed?: number;
  readonly reads?: readonly string[];
}

/** Loads a pack of `count` hooks that all match; each is a program of its own. */
export async function packOf(
  count: number,
  { routed, reads = ["tool_input"] }: PackOptions = {},
): Promise<LoadedPack> {
  const root = mkdtempSync(join(tmpdir(), "hookwarden-bench-"));
  const names = Array.from({ length: count }, (_, index) => `hook-${index}`);
  for (const [index, name] of names.entries()) {
    mkdirSync(join(root, name));
    writeFileSync(
      join(root, name, "hook.js"),
      `export default ${hookBody.replace("destructive", `destructive ${index}`)};\n`,
    );
    writeFileSync(
      join(root, name, "hook.json"),
      JSON.stringify({
        apiVersion: 1,
        name,
        version: "1.0.0",
        entry: "hook.js",
        on: [{ event: "PreToolUse", matcher: "Bash", ...conditionOf(index, routed) }],
        reads,
        actions: ["deny"],
      }),
    );
  }
  writeFileSync(join(root, "hookwarden.json"), JSON.stringify({ apiVersion: 1, hooks: names }));
  return loadPack(root);
}

function conditionOf(index: number, routed: number | undefined): object {
  if (routed === undefined) return {};
  return {
    when: { path: "facts.shell.commands.*.name", equals: index < routed ? "git" : `program-${index}` },
  };
}
