/**
 * What the shipped policies say to an agent of the Claude Agent SDK. The SDK itself is not needed here: its hooks are
 * called as it would call them.
 *
 *     npm run build && node examples/claude-agent-sdk.ts
 */
import { createWarden } from "hookwarden";
import { claudeHooks } from "@hookwarden/clients/claude-agent-sdk";

const here = (path: string): string => new URL(path, import.meta.url).pathname;

await using warden = await createWarden({ pack: here("../policies") });

// With the SDK: query({ prompt, options: { hooks: claudeHooks(warden) } })
const hooks = claudeHooks(warden, { onError: (error) => console.error(error) });

const { signal } = new AbortController();
for (const command of ["git status", "rm -rf /"]) {
  const event = {
    hook_event_name: "PreToolUse",
    session_id: "example",
    tool_name: "Bash",
    tool_input: { command },
    tool_use_id: "toolu_1",
  };
  const answer = await hooks.PreToolUse[0]?.hooks[0]?.(event, "toolu_1", { signal });
  console.log(command);
  console.log(JSON.stringify(answer, null, 2));
}
