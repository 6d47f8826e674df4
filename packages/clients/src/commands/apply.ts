import { createInterface } from "node:readline/promises";
import { type Cli, safeJson, type Terminal } from "hookwarden/cli";
import { HookwardenError } from "hookwarden/errors";
import { applyChange, changedLines, type ChangedLine, type FileChange, isChange } from "../index.ts";
import type { ChangeOptions } from "./options.ts";

/**
 * Shows changes of files, asks for confirmation, and writes them.
 *
 * @param notes lines for a person, after what was written.
 */
export async function applyChanges(
  all: readonly FileChange[],
  options: ChangeOptions,
  { terminal }: Cli,
  notes: readonly string[] = [],
): Promise<void> {
  const changes = all.filter(isChange);
  const pretty = options.format === "pretty";
  if (pretty) {
    for (const { file } of all.filter((one) => !isChange(one))) {
      await terminal.line(`${file.path}: nothing to change`);
    }
    for (const change of changes) await show(terminal, change);
  }
  const writes = changes.length > 0 && !options.dryRun && (options.yes || (await confirmed(terminal)));
  if (writes) for (const change of changes) await applyChange(change);
  if (!pretty) {
    const files = all.map((change) => ({
      file: change.file.path,
      changed: isChange(change),
      written: writes && isChange(change),
      lines: linesOf(change),
    }));
    return terminal.line(safeJson({ files, notes }));
  }
  if (changes.length === 0) return;
  if (!writes) return terminal.line("Nothing was written.");
  for (const { file, after } of changes) {
    await terminal.line(`${file.path}: ${after === null ? "removed" : "written"}`);
  }
  for (const note of notes) await terminal.line(note);
}

function linesOf({ file, after }: FileChange): ChangedLine[] {
  return changedLines(file.text, after ?? "");
}

async function show(terminal: Terminal, change: FileChange): Promise<void> {
  await terminal.line(terminal.style("bold", change.file.path));
  for (const { kind, text } of linesOf(change)) {
    if (kind === "gap") await terminal.line(terminal.style("dim", "  …"));
    else if (kind === "same") await terminal.line(terminal.style("dim", `  ${text}`));
    else if (kind === "gone") await terminal.line(terminal.style("red", `- ${text}`));
    else await terminal.line(terminal.style("green", `+ ${text}`));
  }
}

async function confirmed(terminal: Terminal): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    throw new HookwardenError(
      "usage",
      "there is no terminal to confirm the change; use `--yes` or `--dry-run`",
    );
  }
  const reader = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const answer = await reader.question("Write this? [y/N] ", { signal: terminal.signal });
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    reader.close();
  }
}
