import { clients, hookEntries, type HookOptions } from "../../src/index.ts";
import { programs } from "../../src/index.ts";

export const claudeEvents = Object.keys(clients["claude-code"].events);

/** The entries of a settings file that name the hook of the sources. */
export const claudeEntries = (options: HookOptions) =>
  hookEntries(options, { node: process.execPath, client: programs().client });
