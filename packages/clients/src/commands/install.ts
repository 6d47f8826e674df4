import { realpath } from "node:fs/promises";
import { type Command, Option } from "commander";
import { type Cli, addExample, plural } from "hookwarden/cli";
import { HookwardenError } from "hookwarden/errors";
import { loadPack } from "hookwarden/pack";
import { clients } from "../clients/index.ts";
import {
  type ClientName,
  type FileChange,
  hookArguments,
  type HookOptions,
  OptionError,
  optionRows,
  planInstall,
  programs,
  readHookArguments,
} from "../index.ts";
import { describeGap, gapsOf } from "../translate/gaps.ts";
import { applyChanges } from "./apply.ts";
import { addChangeOptions, type ChangeOptions, clientsOf, placeOf } from "./options.ts";

interface InstallOptions extends ChangeOptions {
  readonly pack: string;
  readonly acceptGaps?: true;
}

export function define(command: Command, cli: Cli): void {
  command
    .argument("<client...>", "agent clients, such as `codex` or `claude-code`")
    .requiredOption("--pack <folder>", "folder of the pack that decides")
    .option("--accept-gaps", "install also where a client cannot carry out what a hook may do");
  for (const { flag, kind, choices, help } of optionRows) {
    if (flag === "client") continue;
    const value = kind === "off" ? "" : kind === "path" ? " <path>" : kind === "count" ? " <n>" : " <name>";
    const option = new Option(`--${flag}${value}`, help);
    command.addOption(choices ? option.choices([...choices]) : option);
  }
  addChangeOptions(command).action((names: string[], options: InstallOptions) =>
    install(names, options, cli),
  );
  addExample(
    command,
    "install claude-code --pack ./policies",
    "install codex gemini-cli --pack ./policies --scope project --yes",
  );
}

async function install(names: readonly string[], options: InstallOptions, cli: Cli): Promise<void> {
  const chosen = clientsOf(names);
  const program = programs().client;
  if (/[\\/]_npx[\\/]/.test(program)) {
    throw new HookwardenError(
      "usage",
      "the hook would point into the cache of npx, which npm cleans; " +
        "run `npm install --global hookwarden @hookwarden/clients` and then `hookwarden install`",
    );
  }
  cli.terminal.progress("loading the pack");
  // A hook that refuses everything because of a misprint is useless.
  const pack = await loadPack(options.pack);
  const folder = await realpath(options.pack);
  const changes: FileChange[] = [];
  const notes: string[] = [];
  const gaps: string[] = [];
  for (const client of chosen) {
    checkPlatform(client);
    for (const gap of gapsOf(pack, client)) gaps.push(`${client}: ${describeGap(gap)}`);
    const hook = readOptions(client, folder, options);
    const place = placeOf(client, options.scope);
    changes.push(...(await planInstall(hook, { node: process.execPath, client: program }, place)));
    const { note } = clients[client];
    if (note !== undefined) notes.push(`${client}: ${note}`);
  }
  if (gaps.length > 0 && !options.acceptGaps) {
    throw new HookwardenError(
      "policy-invalid",
      `${plural(gaps.length, "right")} of the pack cannot be carried out: ${gaps.join("; ")}. ` +
        "Add `--accept-gaps` to install all the same",
    );
  }
  await applyChanges(changes, options, cli, [...gaps.map((gap) => `not carried out: ${gap}`), ...notes]);
}

function checkPlatform(client: ClientName): void {
  if (process.platform !== "win32" || client === "claude-code") return;
  throw new HookwardenError("usage", `hooks of ${client} are supported on Linux and macOS only`);
}

/** The options of the hook, by way of its own arguments, so that what is written is what will be read. */
function readOptions(client: ClientName, pack: string, options: InstallOptions): HookOptions {
  const args = [pack, "--client", client];
  for (const { flag, kind } of optionRows) {
    if (flag === "client") continue;
    const value = kind === "off" ? options[flag.replace(/^no-/, "")] : options[flag];
    if (kind === "off" ? value === false : value !== undefined) {
      args.push(`--${flag}`, ...(kind === "off" ? [] : [String(value)]));
    }
  }
  try {
    const hook = readHookArguments(args, process.cwd());
    // Once more, as the client will: from another folder.
    return readHookArguments(hookArguments(hook), "/");
  } catch (error) {
    if (error instanceof OptionError) throw new HookwardenError("usage", error.message);
    throw error;
  }
}
