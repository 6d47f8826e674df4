#!/usr/bin/env node
/**
 * A small agent client with the configuration and the wire format of Qwen Code, for tests of `doctor`: it asks the model,
 * calls the hooks before tools, and runs the tools. `FAKE_CLIENT_SKIPS` in `~/.fake-client` names a tool that fires no hook.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

if (process.argv.includes("--version")) {
  console.log("0.0.1");
  process.exit(0);
}

type Json = { readonly [field: string]: any };
const home = process.env["HOME"] as string;
const settings = JSON.parse(readFileSync(join(home, ".qwen/settings.json"), "utf8")) as Json;
const own = join(process.argv[1] as string, "../skips");
const skipped = existsSync(own) ? readFileSync(own, "utf8").trim() : null;

const field = { type: "string" };
const tools: { readonly [name: string]: { readonly fields: Json; readonly run: (input: Json) => string } } = {
  run_shell_command: {
    fields: { command: field },
    run: ({ command }) => execFileSync("/bin/sh", ["-c", command], { encoding: "utf8" }),
  },
  write_file: {
    fields: { file_path: field, content: field },
    run: ({ file_path, content }) => (writeFileSync(file_path, content), "written"),
  },
};

/** The reason why a hook denies a call; `null` if none does. */
function denial(tool_name: string, tool_input: Json): string | null {
  if (tool_name === skipped) return null;
  const groups = (settings["hooks"]?.PreToolUse ?? []) as Json[];
  for (const { command } of groups.flatMap((group) => group["hooks"] as Json[])) {
    const input = JSON.stringify({
      session_id: "s",
      hook_event_name: "PreToolUse",
      cwd: process.cwd(),
      tool_name,
      tool_input,
    });
    const { status, stdout, stderr } = spawnSync("/bin/sh", ["-c", command], { input, encoding: "utf8" });
    if (status === 2) return stderr;
    const output = status === 0 ? (JSON.parse(stdout) as Json)["hookSpecificOutput"] : undefined;
    if (output?.permissionDecision === "deny") return output.permissionDecisionReason;
  }
  return null;
}

const messages: Json[] = [{ role: "user", content: process.argv.at(-1) }];
for (;;) {
  const response = await fetch(`${process.env["OPENAI_BASE_URL"]}/chat/completions`, {
    method: "POST",
    body: JSON.stringify({
      messages,
      tools: Object.entries(tools).map(([name, { fields }]) => ({
        type: "function",
        function: {
          name,
          parameters: { type: "object", properties: fields, required: Object.keys(fields) },
        },
      })),
    }),
  });
  const { message } = ((await response.json()) as Json)["choices"][0];
  messages.push(message);
  if (!message.tool_calls) break;
  for (const { id, function: called } of message.tool_calls as Json[]) {
    const input = JSON.parse(called.arguments) as Json;
    const content = denial(called.name, input) ?? tools[called.name]?.run(input) ?? "not found";
    messages.push({ role: "tool", tool_call_id: id, content });
  }
}
