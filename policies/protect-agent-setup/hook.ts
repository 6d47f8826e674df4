import type { PreToolUse } from "hookwarden/hook";
import { type Invocation, invocationsOf, textOf } from "../lib/commands.ts";
import { decide, type Finding, quoted, short, tooLarge } from "../lib/findings.ts";
import { gitCall } from "../lib/git.ts";
import { globMatches } from "../lib/paths.ts";
import { changesFile } from "../lib/tools.ts";
import { folders, layouts } from "./layouts.ts";

interface Config {
  readonly more?: readonly string[];
  readonly except?: readonly string[];
  readonly action?: Finding["verdict"];
}

const hook: PreToolUse<unknown, Config | undefined> = (event, ctx) => {
  const { more = [], except = [], action = "deny" } = ctx.config ?? {};
  const { paths, shell } = event.facts;
  const findings: Finding[] = [];
  for (const { path, access, command } of paths.ok ? paths.paths : []) {
    // What an unknown program does with a file is taken for a change; a tool says by its name what it does.
    const changes =
      access === "write" ||
      access === "delete" ||
      (access === "any" && (command !== null || changesFile("any", event.tool_name)));
    const text = textOf(path);
    if (changes && isGuarded(text, more) && !isListed(except, text)) {
      findings.push({
        verdict: action,
        reason: `it changes ${short(text)}, which is part of what guards the agent`,
      });
    }
  }
  findings.push(...tooLarge(shell));
  for (const invocation of invocationsOf(shell)) {
    const reason = disarmed(invocation);
    if (reason !== undefined)
      findings.push({
        verdict: action,
        reason: `${quoted(invocation)} ${reason}`,
      });
  }
  return decide(findings);
};

export default hook;

function isGuarded(path: string, more: readonly string[]): boolean {
  const low = `/${path.toLowerCase().replaceAll("\\", "/")}`.replace(/\/{2,}/g, "/");
  return layouts.some((layout) => layout.test(low)) || folders.test(low) || isListed(more, path);
}

function isListed(list: readonly string[], path: string): boolean {
  return list.some((glob) => globMatches(glob.replaceAll("**", "*").toLowerCase(), path.toLowerCase()));
}

/** Why a command takes guards away without touching their files; `undefined` where it does not. */
function disarmed(invocation: Invocation): string | undefined {
  const { name, args, variables } = invocation;
  const line = [name, ...args].join(" ");
  const git = gitCall(invocation);
  if (git !== undefined) {
    if (
      args.some((arg) => /^core\.(?:(?:hookspath|fsmonitor)(?:=|$)|sshcommand(?:$|=(?!ssh )))/i.test(arg)) &&
      !/ --(?:get|list)\b/.test(line)
    ) {
      return "changes which hooks and programs Git runs";
    }
    if (/^(?:commit|push|merge|rebase)$/.test(git.command) && git.args.includes("--no-verify"))
      return "leaves Git's hooks out";
    if (variables.some(([variable, value]) => variable === "HUSKY" && value === "0"))
      return "leaves Git's hooks out";
  }
  if (/^(?:pkill|killall|kill|systemctl|service|launchctl)$/.test(name) && /hookwarden/i.test(line))
    return "stops the guard";
  if (
    /^(?:claude|codex|gemini|qwen|copilot|droid) (?:config set|mcp (?:add|remove)|plugin (?:install|enable|disable|uninstall)|hooks? (?:disable|remove)|--dangerously)/.test(
      line,
    )
  ) {
    return "changes the settings of an agent client";
  }
  return undefined;
}
