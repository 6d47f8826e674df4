import { ask, deny, type PreToolUse } from "hookwarden/hook";

interface Config {
  readonly protected: readonly string[];
}

/** What takes something away, and what changes it. Options may come before the subcommand: `kubectl -n prod delete`. */
const removing = /\b(?:kubectl\b[^|;&]*\sdelete|helm\b[^|;&]*\s(?:uninstall|delete))\b/;
const changing =
  /\b(?:kubectl\b[^|;&]*\s(?:apply|patch|scale|rollout)|helm\b[^|;&]*\s(?:install|upgrade|rollback))\b/;

const hook: PreToolUse<unknown, Config> = (event, ctx) => {
  const command = String(event.tool_input?.command);
  const space = spaceOf(command, ctx.config.protected);
  if (space === undefined) return undefined;
  if (removing.test(command)) return deny(`the namespace ${space} is protected: nothing in it is deleted`);
  if (changing.test(command)) return ask(`this changes what runs in the protected namespace ${space}`);
  return undefined;
};

export default hook;

/** The protected namespace that a command names. */
function spaceOf(command: string, names: readonly string[]): string | undefined {
  const words = command.split(/[\s='";|&]+|(?<=\s-n)/);
  return names.find((name) => words.includes(name));
}
