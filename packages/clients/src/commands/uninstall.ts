import type { Command } from "commander";
import { type Cli, addExample } from "hookwarden/cli";
import { type FileChange, planUninstall } from "../index.ts";
import { applyChanges } from "./apply.ts";
import { addChangeOptions, type ChangeOptions, clientsOf, placeOf } from "./options.ts";

export function define(command: Command, cli: Cli): void {
  command.argument("<client...>", "agent clients, such as `codex` or `claude-code`");
  addChangeOptions(command).action((names: string[], options: ChangeOptions) =>
    uninstall(names, options, cli),
  );
  addExample(command, "uninstall codex", "uninstall claude-code --scope project --dry-run");
}

async function uninstall(names: readonly string[], options: ChangeOptions, cli: Cli): Promise<void> {
  const changes: FileChange[] = [];
  for (const client of clientsOf(names)) {
    changes.push(...(await planUninstall(client, placeOf(client, options.scope))));
  }
  await applyChanges(changes, options, cli);
}
