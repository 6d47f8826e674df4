import { clients, type ClientName } from "../clients/index.ts";
import type { HookOptions } from "../hook/hook-options.ts";
import { hookCommand, type HookPrograms, mark } from "./command.ts";
import { clientTimeout } from "./entry.ts";
import { openCodePlugin } from "./opencode-plugin.ts";

/** Files that belong to us whole, for clients that read each hook from a file of its own. By name, with their mode. */
export function ownFiles(
  options: HookOptions,
  programs: HookPrograms,
  events: readonly string[],
): ReadonlyMap<string, { readonly text: string; readonly mode: number }> {
  const make = makers[options.client];
  return new Map(
    Object.entries(make?.(options, programs, events) ?? {}).map(([name, text]) => [
      name,
      { text, mode: 0o755 },
    ]),
  );
}

/** Names of the files that a client's hooks take. */
export function ownFileNames(client: ClientName): readonly string[] {
  if (client === "cline") return Object.keys(clients.cline.events).map((event) => `${event}.sh`);
  return client === "opencode" ? ["hookwarden.js"] : client === "copilot-cli" ? ["hookwarden.json"] : [];
}

/** Whether the text of such a file was written by us. */
export function isOurFile(text: string): boolean {
  return text.includes(mark);
}

const makers: {
  readonly [name in ClientName]?: (
    options: HookOptions,
    programs: HookPrograms,
    events: readonly string[],
  ) => { readonly [file: string]: string };
} = {
  "copilot-cli": (options, programs, events) => {
    const hooks = events.map((event) => [
      event,
      [
        {
          type: "command",
          bash: hookCommand(options, event, programs),
          timeoutSec: clientTimeout(options),
        },
      ],
    ]);
    const file = { version: 1, hooks: Object.fromEntries(hooks) as object };
    return { "hookwarden.json": `${JSON.stringify(file, null, 2)}\n` };
  },

  cline: (options, programs, events) =>
    Object.fromEntries(
      events.map((event) => [
        `${event}.sh`,
        `#!/bin/sh\n# Written by \`hookwarden install cline\`; remove it with \`hookwarden uninstall cline\`.\n` +
          `exec ${hookCommand(options, event, programs)}\n`,
      ]),
    ),

  opencode: (options, programs, events) => ({ "hookwarden.js": openCodePlugin(options, programs, events) }),
};
