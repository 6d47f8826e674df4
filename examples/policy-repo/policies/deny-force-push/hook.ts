import { ask, deny, type PreToolUse } from "hookwarden/hook";

interface Config {
  readonly branches: readonly string[];
}

const force = /(?:^|\s)(?:--force(?:-with-lease)?(?:=\S*)?|-[a-eg-zA-Z]*f[a-zA-Z]*|\+\S+)(?=\s|$)/;

/** The parts of a command line that push with force. A plain reading: quotes and variables are not followed. */
function forcedPushes(command: string): readonly string[] {
  return command
    .split(/&&|\|\||[;|\n]/)
    .map((part) => part.trim())
    .filter((part) => /^git\s+(?:-\S+\s+)*push(?=\s|$)/.test(part) && force.test(part));
}

const hook: PreToolUse<never, Config> = (event, ctx) => {
  const command: unknown = event.tool_input?.["command"];
  if (typeof command !== "string") return undefined;
  for (const push of forcedPushes(command)) {
    const words = push.split(/[\s:+]+/);
    const branch = ctx.config.branches.find((name) => words.includes(name));
    if (branch !== undefined) return deny(`the branch \`${branch}\` is never pushed with force`);
    return ask("this push overwrites what others may have fetched");
  }
  return undefined;
};

export default hook;
