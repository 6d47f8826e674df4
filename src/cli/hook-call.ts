import { existsSync } from "node:fs";
import { didYouMean, HookwardenError } from "../errors/index.ts";

/** Words after `hookwarden claude-code` that are not a pack. */
const commands: ReadonlySet<string> = new Set(["install", "uninstall", "help", "--help", "-h"]);

/**
 * Whether Claude Code calls a hook. It lets a tool run where a hook ends with a status of a usage error, so that such a
 * call does not go through the parser of commands, whatever is wrong with it.
 */
export function isHookCall([command, next]: readonly string[]): boolean {
  return command === "claude-code" && !commands.has(next ?? "");
}

/**
 * Refuses a word that is neither a command nor a folder. Packs are named by paths in settings, so this is a person's
 * misspelt command.
 *
 * @throws {HookwardenError} `usage`
 */
export function checkPack(word: string | undefined): void {
  if (word === undefined || !/^[a-z][a-z-]*$/.test(word) || existsSync(word)) return;
  const names = ["install", "uninstall"];
  const hint = didYouMean(word, names);
  const message = `\`claude-code\` has no command \`${word}\`, and there is no pack folder of that name${hint}`;
  throw new HookwardenError("usage", message, {}, { fix: "See `hookwarden claude-code --help`." });
}
