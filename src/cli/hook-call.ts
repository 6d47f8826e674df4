/** Words behind `hookwarden claude-code` that are no pack. */
const commands: ReadonlySet<string> = new Set(["install", "uninstall", "help", "--help", "-h"]);

/**
 * Whether Claude Code calls a hook. It lets a tool run where a hook ends with a status of a usage error, so that such a
 * call does not go through the parser of commands, whatever is wrong with it.
 */
export function isHookCall([command, next]: readonly string[]): boolean {
  return command === "claude-code" && !commands.has(next ?? "");
}
