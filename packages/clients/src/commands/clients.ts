import type { Command } from "commander";
import { addExample, addFormat, type Cli, type FormatOption, safeJson, visible } from "hookwarden/cli";
import { type FoundClient, findClients } from "../settings/find-clients.ts";
import { describeSwitch } from "../settings/switches.ts";

export function define(command: Command, cli: Cli): void {
  addFormat(command).action((options: FormatOption) => run(options, cli));
  addExample(command, "clients --format json");
}

async function run(options: FormatOption, { terminal }: Cli): Promise<void> {
  const found = await findClients(process.cwd());
  if (options.format === "json") return terminal.line(safeJson({ clients: found }));
  for (const client of found) await show(client, terminal);
}

async function show(
  { name, title, path, version, places, off }: FoundClient,
  terminal: Cli["terminal"],
): Promise<void> {
  const where = path === null ? "not installed" : `${version ?? "unknown version"}, ${path}`;
  await terminal.line(`${terminal.style("bold", title)} (${name}): ${where}`);
  for (const { scope, path: file, state, hooks } of places) {
    if (state === "absent") continue;
    await terminal.line(`  ${scope}: ${file}${state === "unreadable" ? " (cannot be read)" : ""}`);
    for (const { event, command, ours } of hooks) {
      await terminal.line(`    ${visible(event)}: ${ours ? "hookwarden" : visible(command)}`);
    }
  }
  for (const one of off) await terminal.line(terminal.style("red", `  ${visible(describeSwitch(one))}`));
}
