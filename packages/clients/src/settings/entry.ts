import { hookArguments, type HookOptions } from "../hook/hook-options.ts";
import { clients, type ClientName, type Json } from "../clients/index.ts";
import { hookCommand, type HookPrograms, mark } from "./command.ts";

/** One hook of a configuration file, as far as we write it. */
export type HookEntry = Json;

/** The label under which clients show the hook while it runs. */
const label = "hookwarden";

/**
 * After how many seconds the client gives up: far beyond our own deadline, because clients run a tool whose hook they
 * gave up.
 */
export function clientTimeout({ deadlineMs }: HookOptions): number {
  return Math.ceil(deadlineMs / 1_000) * 2 + 20;
}

/** What else an entry has, in each client's own units and words. */
const extras: { readonly [name in ClientName]?: (seconds: number) => Json } = {
  "claude-code": (timeout) => ({ timeout, onFailure: "block", statusMessage: label }),
  codex: (timeout) => ({ timeout, statusMessage: label }),
  "gemini-cli": (timeout) => ({ name: label, timeout: timeout * 1_000 }),
  "qwen-code": (timeout) => ({ name: label, timeout, failMode: "closed" }),
  droid: (timeout) => ({ timeout }),
};

export interface EntryOptions {
  /** On Windows an entry runs without a shell. Default: this machine's platform. */
  readonly platform?: NodeJS.Platform;
  /** The client's events that get a hook. Default: all of them. */
  readonly events?: readonly string[];
}

/** The hooks that a configuration file names: one entry for each event. */
export function hookEntries(
  options: HookOptions,
  programs: HookPrograms,
  { platform = process.platform, events = Object.keys(clients[options.client].events) }: EntryOptions = {},
): ReadonlyMap<string, HookEntry> {
  const extra = extras[options.client]?.(clientTimeout(options)) ?? {};
  const { node, client } = programs;
  const entries = events.map((event): [string, HookEntry] => [
    event,
    platform === "win32"
      ? { type: "command", command: node, args: [client, ...hookArguments(options)], ...extra }
      : { type: "command", command: hookCommand(options, event, programs), ...extra },
  ]);
  return new Map(entries);
}

/** Whether an entry of a configuration file is one that we wrote, by this or by another version. */
export function isOurs(entry: unknown): boolean {
  if (typeof entry !== "object" || entry === null) return false;
  const { type, statusMessage, command, args } = entry as Json;
  if (type !== "command" || typeof command !== "string") return false;
  if (command.includes(mark)) return true;
  const words = [command, ...(Array.isArray(args) ? args : [])].join(" ");
  return statusMessage === label && /agent-hook|hook[\\/]main/.test(words);
}
