import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Journey } from "./journey.ts";

/** What Claude Code writes to the hook program before it runs a command. */
const payload = (journey: Journey, command: string): string =>
  JSON.stringify({
    session_id: "3f0c9f5e-7b0e-4c39-9d0c-6d6ad7a1f5d2",
    transcript_path: join(journey.folder, "transcript.jsonl"),
    cwd: journey.folder,
    permission_mode: "default",
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command, description: "Run a command" },
    tool_use_id: "toolu_01",
  });

interface Settings {
  readonly hooks: {
    readonly PreToolUse: readonly { readonly hooks: readonly { readonly command: string }[] }[];
  };
}

/** A user of Claude Code: the shipped policies, installed by one command, refuse a command and let another one pass. */
export async function agentUser(): Promise<void> {
  await using journey = new Journey();
  journey.run("npm init -y");
  journey.run("npm install hookwarden @hookwarden/clients @hookwarden/policies");
  const pack = "node_modules/@hookwarden/policies";
  journey.run(`npx hookwarden install claude-code --pack ${pack} --accept-gaps --idle 10 --yes`);
  const settings = JSON.parse(
    readFileSync(join(journey.folder, ".claude/settings.json"), "utf8"),
  ) as Settings;
  const [hook] = settings.hooks.PreToolUse.flatMap(({ hooks }) => hooks);
  if (!hook) throw new Error("no hook was installed");
  journey.write("hook.sh", `${hook.command}\n`);
  // The first one starts the daemon, which exits when it is idle.
  const denied = '"permissionDecision":"deny"';
  journey.run("sh hook.sh", { input: payload(journey, "rm -rf /"), text: denied });
  journey.run("sh hook.sh", { input: payload(journey, "rm -rf /"), text: denied });
  if (journey.run("sh hook.sh", { input: payload(journey, "ls -l") }).includes(denied))
    throw new Error("`ls -l` is refused");
  journey.run("npx hookwarden uninstall claude-code --yes");
}
