import { clients, type ClientName } from "../clients/index.ts";
import { hookArguments, type HookOptions } from "../hook/hook-options.ts";
import { refusalAnswer } from "../hook/refusal.ts";

/** Marks every command and file that we write, so that it can be found again whatever version wrote it. */
export const mark = ": hookwarden;";

/** What a person reads when the hook program itself is missing or was killed. */
export function lockedOut(client: ClientName): string {
  return (
    `hookwarden refuses this: its hook program failed or is missing. Install hookwarden again, or run ` +
    `\`npx hookwarden uninstall ${client}\`, or remove the entries that contain \`${mark}\` from the hooks of ${client}`
  );
}

export interface HookPrograms {
  /** Path of the Node that runs the hook. */
  readonly node: string;
  /** Path of the hook's program. */
  readonly client: string;
}

/**
 * The command line of one hook for `/bin/sh`.
 *
 * Clients run a tool whose hook ended by itself, was killed, or has printed half an answer. So the answer is printed
 * only when the program ended with 0; in any other case the command prints a refusal, or a sentence with status 2,
 * which every client takes for a refusal before a tool runs.
 */
export function hookCommand(options: HookOptions, event: string, { node, client }: HookPrograms): string {
  const table = clients[options.client];
  const row = table.events[event];
  const words = [
    node,
    client,
    ...hookArguments(options),
    ...(table.namesEvent === false ? ["--event", event] : []),
  ];
  const sentence = lockedOut(options.client);
  const otherwise =
    row?.fallback === "answer"
      ? `printf '%s\\n' ${quoted(JSON.stringify(refusalAnswer(options.client, { hook_event_name: event }, sentence)))}`
      : `{ echo ${quoted(sentence)} >&2; exit 2; }`;
  const call = words.map(quoted).join(" ");
  // Claude Code also reads an answer beside status 2.
  const script =
    options.client === "claude-code"
      ? `${mark} ${call} || ${otherwise}`
      : `${mark} o=$(${call}) && printf '%s\\n' "$o" || ${otherwise}`;
  // The person's shell may be one with another syntax.
  return `/bin/sh -c ${quoted(script)}`;
}

/** In single quotes, only the quote itself means anything to a shell. */
export function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
