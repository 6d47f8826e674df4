import { stringsLength } from "./text/strings.ts";
import type { ShellFact } from "./shell/row.ts";
import { deriveShell } from "./shell/shell.ts";
import type { ToolFact } from "./tool/row.ts";

/**
 * Beyond these, deriving a fact may take longer than a millisecond or two: command lines and texts in UTF-16 code units,
 * `nodes` as in the limits of `facts.shell`. They only decide where a fact is derived, never what it is.
 */
export const lightLimits = { commandLines: 1_024, nodes: 500, text: 16_384 } as const;

/** Derives `facts.shell` if that takes a moment only; otherwise `null`. */
export function deriveLightShell(
  fields: { readonly [field: string]: unknown },
  tool: ToolFact,
): ShellFact | null {
  const length = tool.ok ? tool.commands.reduce((sum, line) => sum + line.length, 0) : 0;
  if (length > lightLimits.commandLines) return null;
  const fact = deriveShell(fields, tool, lightLimits.nodes);
  return !fact.ok && fact.why === "too-many" ? null : fact;
}

/** Whether texts may take long to read. */
export function isHeavyText(value: unknown): boolean {
  return stringsLength(value, lightLimits.text) > lightLimits.text;
}
