import type { Command } from "commander";
import { addExample, addFormat, type Cli, type FormatOption, safeJson, visible } from "hookwarden/cli";
import { HookwardenError } from "hookwarden/errors";
import { type Examination, examine } from "../doctor/examine.ts";
import { findClients } from "../settings/find-clients.ts";
import { clientsOf } from "./options.ts";

/** Exit status where a call ran that should have been refused. */
const gapFound = 1;

interface DoctorOptions extends FormatOption {
  readonly faults: boolean;
}

export function define(command: Command, cli: Cli): void {
  command
    .argument("[client...]", "agent clients; default: all that are in `PATH`")
    .option("--no-faults", "do not test what happens when hookwarden fails");
  addFormat(command).action((names: string[], options: DoctorOptions) => doctor(names, options, cli));
  addExample(command, "doctor codex", "doctor --no-faults --format json");
}

async function doctor(names: readonly string[], options: DoctorOptions, cli: Cli): Promise<void> {
  if (process.platform === "win32") {
    throw new HookwardenError("usage", "`doctor` runs on Linux and macOS only");
  }
  const { terminal } = cli;
  const wanted = clientsOf(names);
  const found = (await findClients(process.cwd())).filter(
    ({ name, path }) => path !== null && (wanted.length === 0 || wanted.includes(name)),
  );
  const missing = wanted.filter((name) => !found.some((one) => one.name === name));
  if (missing.length > 0 || found.length === 0) {
    const what = missing.length > 0 ? missing.join(", ") : "none of the supported clients";
    throw new HookwardenError("usage", `${what}: not found in \`PATH\``);
  }
  const all: Examination[] = [];
  for (const { name, path, version } of found) {
    const examination = await examine({
      client: name,
      binary: path as string,
      version,
      cwd: process.cwd(),
      withFaults: options.faults,
      onProgress: (what) => terminal.progress(`${name}: ${what}`),
    });
    all.push(examination);
    if (options.format === "pretty") await show(examination, terminal);
  }
  if (options.format === "json") await terminal.line(safeJson({ clients: all }));
  if (all.some(({ problems }) => problems.length > 0)) cli.exitCode = gapFound;
}

async function show(found: Examination, terminal: Cli["terminal"]): Promise<void> {
  const { title, version, paths, tools, faults, knownGaps, problems, warnings } = found;
  await terminal.line(terminal.style("bold", `${title} ${version ?? ""}`));
  for (const { path, outcome, tool } of paths) {
    await terminal.line(`  ${path}${tool === null ? "" : ` (${visible(tool)})`}: ${outcome}`);
  }
  const met = tools.filter(({ outcome }) => outcome === "denied");
  await terminal.line(`  every tool: ${met.length} of ${tools.length} met a hook`);
  for (const { tool, outcome } of tools) {
    if (outcome !== "denied") await terminal.line(`    ${visible(tool)}: ${outcome}`);
  }
  for (const { fault, outcome } of faults) {
    await terminal.line(`  when hookwarden fails, ${fault}: ${outcome}`);
  }
  for (const gap of knownGaps) await terminal.line(`  fires no hook: ${gap}`);
  for (const warning of warnings) await terminal.line(terminal.style("yellow", `  ${visible(warning)}`));
  for (const problem of problems) await terminal.line(terminal.style("red", `  ${visible(problem)}`));
  if (problems.length === 0) await terminal.line(terminal.style("green", "  every call met a hook"));
}
