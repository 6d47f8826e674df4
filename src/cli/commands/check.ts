import type { Command } from "commander";
import { placeText } from "../../errors.ts";
import { checkPack, type CheckReport } from "../../review/check/index.ts";
import { createSandbox } from "../../warden/sandboxes.ts";
import type { Cli } from "../cli.ts";
import { plural } from "../decision-table.ts";
import { safeJson } from "../inert.ts";
import { addEngine, addExample, addFormat, type EngineOptions, type FormatOption } from "../options.ts";
import { paragraph } from "../table.ts";
import type { Terminal } from "../terminal.ts";

/** Exit status where something was found. */
const found = 1;

export function define(command: Command, cli: Cli): void {
  command
    .argument("<pack>", "folder of the pack")
    .action(async (folder: string, options: FormatOption & EngineOptions) => {
      const { terminal } = cli;
      const { engine, isolation } = options;
      terminal.progress("checking manifests, scripts and cases");
      await using sandbox = await createSandbox({ pack: folder, engine, isolation }, () => undefined);
      const report = await checkPack(folder, sandbox);
      if (options.format === "json") await terminal.line(safeJson(report, 2));
      else await print(report, terminal);
      if (report.findings.length > 0) cli.exitCode = found;
    });
  addExample(addEngine(addFormat(command)), "check ./policies", "check ./policies --format json");
}

async function print({ hooks, findings }: CheckReport, terminal: Terminal): Promise<void> {
  for (const { code, place, message, fix } of findings) {
    const at = placeText(place);
    await terminal.line(paragraph(terminal, 0, { text: code, style: "yellow" }));
    if (at) await terminal.line(paragraph(terminal, 2, { text: at, style: "dim" }));
    await terminal.line(
      `${paragraph(terminal, 2, `${message}${message.endsWith("?") ? "" : "."} ${fix}`)}\n`,
    );
  }
  const good = findings.length === 0;
  const text = `${plural(hooks.length, "hook")} checked: ${good ? "nothing found" : plural(findings.length, "finding")}`;
  await terminal.line(paragraph(terminal, 0, { text, style: good ? "green" : "red" }));
}
