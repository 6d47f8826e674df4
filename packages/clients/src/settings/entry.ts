import { hookArguments, type HookOptions } from "../hook/hook-options.ts";

/** Marks what we have written, so that it can be found and taken away; Claude Code shows it while the hook runs. */
const mark = "hookwarden";

/** One hook of a settings file, as far as we write it. */
export interface HookEntry {
  readonly type: "command";
  readonly command: string;
  readonly args?: readonly string[];
  readonly timeout: number;
  readonly onFailure: "block";
  readonly statusMessage: string;
}

/**
 * The hook that a settings file names.
 *
 * The status 2 at the end of the command is for whatever ends the program in another way, such as a lack of memory:
 * versions of Claude Code that do not know `onFailure` would let the tool run then. The time after which Claude Code
 * gives up is far beyond our own deadline, because what it gives up on it lets run.
 *
 * @param node path of the Node that runs the hook.
 * @param client path of the hook's program.
 */
export function hookEntry(
  options: HookOptions,
  node: string,
  client: string,
  platform: NodeJS.Platform = process.platform,
): HookEntry {
  const words = [node, client, ...hookArguments(options)];
  const rest = {
    timeout: Math.ceil(options.deadlineMs / 1_000) * 2 + 20,
    onFailure: "block",
    statusMessage: mark,
  } as const;
  // There the shell may be one of several, with quoting of their own.
  if (platform === "win32") return { type: "command", command: node, args: words.slice(1), ...rest };
  return { type: "command", command: `${words.map(quoted).join(" ")} || exit 2`, ...rest };
}

/** Whether an entry of a settings file is one that we wrote, by this or by another version. */
export function isOurs(entry: unknown): boolean {
  if (typeof entry !== "object" || entry === null) return false;
  const { type, statusMessage, command, args } = entry as { readonly [field: string]: unknown };
  if (type !== "command" || statusMessage !== mark || typeof command !== "string") return false;
  const words = [command, ...(Array.isArray(args) ? args : [])].join(" ");
  return /agent-hook|hook\/main/.test(words);
}

/** In single quotes nothing means anything to a shell but the quote itself. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
