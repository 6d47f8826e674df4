/**
 * Records what the real client of Claude Code sends to its hooks, without anything of this machine:
 *
 *     HOOKWARDEN_CLAUDE_SDK=<folder> node packages/clients/test/claude-code/record-hook-inputs.ts
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { claudeCode } from "hookwarden/dialects";
import { folder } from "../../../../test/cli/cli.ts";
import {
  bashTurn,
  noClient,
  runSession,
  type SessionOptions,
  textTurn,
} from "../../../../test/support/claude-client.ts";
import type { Block } from "../../../../test/support/messages-api.ts";

const target = fileURLToPath(new URL("fixtures/hook-inputs.jsonl", import.meta.url));
if (noClient) throw new Error(noClient);

/** Events that the client has beside those of the dialect, but for those whose hooks take over a part of its work. */
const others = [
  "PostToolBatch",
  "UserPromptExpansion",
  "InstructionsLoaded",
  "Setup",
  "TaskCreated",
  "CwdChanged",
];

const tool = (name: string, input: object, id: string): Block[] => [{ type: "tool_use", id, name, input }];

async function record(
  options: (folder: string) => Omit<SessionOptions, "folder" | "settings">,
): Promise<string[]> {
  await using made = await folder();
  const file = join(made.path, "inputs.jsonl");
  const command = `cat >> '${file}'; echo >> '${file}'; echo '{}'`;
  const hook = { hooks: [{ type: "command", command, timeout: 30 }] };
  const events = [...claudeCode.rows.keys(), ...others];
  const settings = JSON.stringify({ hooks: Object.fromEntries(events.map((event) => [event, [hook]])) });
  await runSession({ ...options(made.path), folder: made.path, settings });
  const text = await readFile(file, "utf8");
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => scrubbed(line, made.path));
}

/** Everything that names a machine, a session or a moment gets one name for all. */
function scrubbed(line: string, path: string): string {
  const text = line
    .replaceAll(path, "/home/user")
    .replaceAll(path.replaceAll(/[^A-Za-z0-9]/g, "-"), "-home-user")
    .replaceAll(/\/tmp\/claude-\d+/g, "/tmp/claude")
    .replaceAll(
      /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g,
      "00000000-0000-4000-8000-000000000000",
    )
    .replaceAll(/\ba[0-9a-f]{16}\b/g, "a0000000000000000")
    .replaceAll(/"duration_ms":\d+/g, '"duration_ms":5');
  return JSON.stringify(JSON.parse(text));
}

const sessions = [
  await record((at) => ({
    allowedTools: ["Bash", "Write", "Read", "Edit", "Task", "Glob"],
    turns: [
      bashTurn("echo hello"),
      tool("Write", { file_path: join(at, "project/a.txt"), content: "one\ntwo\n" }, "toolu_2"),
      tool("Read", { file_path: join(at, "project/a.txt") }, "toolu_3"),
      tool(
        "Edit",
        { file_path: join(at, "project/a.txt"), old_string: "two", new_string: "three" },
        "toolu_4",
      ),
      bashTurn("exit 3", "toolu_5"),
      textTurn("finished"),
    ],
  })),
  // The subagent asks the same model, so that its turns stand between those of the main agent.
  await record(() => ({
    allowedTools: ["Bash", "Task"],
    turns: [
      tool(
        "Task",
        { description: "look", prompt: "look around", subagent_type: "general-purpose" },
        "toolu_1",
      ),
      bashTurn("echo inside", "toolu_2"),
      textTurn("looked"),
      textTurn("finished"),
    ],
  })),
  await record(() => ({ allowedTools: [], turns: [bashTurn("touch not-allowed"), textTurn("finished")] })),
  await record(() => ({
    prompt: "/compact keep the names",
    turns: [textTurn("<summary>all of it</summary>")],
  })),
];
const lines = [...new Set(sessions.flat())];
await writeFile(target, lines.map((line) => `${line}\n`).join(""));
const names = lines.map((line) => (JSON.parse(line) as { hook_event_name: string }).hook_event_name);
console.log(`${lines.length} inputs: ${[...new Set(names)].join(", ")}`);
