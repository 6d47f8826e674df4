import type { Command } from "commander";
import { placeText } from "../../errors/index.ts";
import { checkPack, type CheckReport, type Finding } from "../../check/index.ts";
import { createSandbox } from "../../warden/index.ts";
import type { Cli } from "../cli.ts";
import { plural } from "../decision-table.ts";
import { safeJson } from "../sanitize-text.ts";
import { addEngine, addExample, addFormat, type EngineOptions, type FormatOption } from "../options.ts";
import { paragraph } from "../table.ts";
import type { Terminal } from "../terminal.ts";

/** Exit status where something was found. */
const found = 1;

interface CheckOptions extends FormatOption, EngineOptions {
  readonly strict?: boolean;
}

export function define(command: Command, cli: Cli): void {
  command
    .argument("<pack>", "folder of the pack")
    .option("--strict", "treat warnings as errors")
    .action(async (folder: string, options: CheckOptions) => {
      const { terminal } = cli;
      const { engine, isolation, strict = false } = options;
      terminal.progress("checking manifests, scripts, types and cases");
      await using sandbox = await createSandbox({ pack: folder, engine, isolation }, () => undefined);
      const report = await checkPack(folder, sandbox, isolation ? { isolation } : {});
      if (options.format === "json") await terminal.line(safeJson(report, 2));
      else await print(report, terminal);
      for (const note of report.notes) terminal.note(note);
      const fails = report.findings.some(
        ({ severity }) => severity === "error" || (strict && severity === "warning"),
      );
      if (fails) cli.exitCode = found;
    });
  addExample(addEngine(addFormat(command)), "check ./policies", "check ./policies --strict --format json");
}

const styles = { error: "red", warning: "yellow", info: "dim" } as const;

async function print({ hooks, findings, allowed }: CheckReport, terminal: Terminal): Promise<void> {
  for (const { code, severity, place, message, fix } of findings) {
    const at = placeText(place);
    await terminal.line(paragraph(terminal, 0, { text: `${severity} ${code}`, style: styles[severity] }));
    if (at) await terminal.line(paragraph(terminal, 2, { text: at, style: "dim" }));
    await terminal.line(
      `${paragraph(terminal, 2, `${message}${message.endsWith("?") ? "" : "."} ${fix}`)}\n`,
    );
  }
  for (const { code, file, line, reason } of allowed) {
    await terminal.line(paragraph(terminal, 0, { text: `allowed ${code}`, style: "dim" }));
    await terminal.line(paragraph(terminal, 2, { text: `${file}:${line}: ${reason}`, style: "dim" }));
  }
  const text = `${plural(hooks.length, "hook")} checked: ${counts(findings)}`;
  const bad = findings.some(({ severity }) => severity !== "info");
  await terminal.line(paragraph(terminal, 0, { text, style: bad ? "red" : "green" }));
}

function counts(findings: readonly Finding[]): string {
  if (findings.length === 0) return "nothing found";
  const kinds = ["error", "warning", "info"] as const;
  return kinds
    .map((kind) => [kind, findings.filter(({ severity }) => severity === kind).length] as const)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => (kind === "info" ? `${count} for information` : plural(count, kind)))
    .join(", ");
}
