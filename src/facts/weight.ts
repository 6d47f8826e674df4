import { stringsLength } from "./text/strings.ts";
import { openingsIn } from "./shell/text.ts";
import type { ShellFact } from "./shell/row.ts";
import { deriveShell } from "./shell/shell.ts";
import type { ToolFact } from "./tool/row.ts";

/**
 * Beyond these, deriving a fact may take longer than a few milliseconds: command lines and texts in UTF-16 code units,
 * words and lines of command lines, openings of nested ones (each level is read again with all levels inside it), and
 * `nodes` as in the limits of `facts.shell`. They only decide where a fact is derived, never what it is.
 */
export const lightLimits = {
  commandLines: 2_048,
  words: 256,
  nested: 12,
  nodes: 500,
  text: 16_384,
} as const;

/** Derives `facts.shell` if that takes a moment only; otherwise `null`. */
export function deriveLightShell(
  fields: { readonly [field: string]: unknown },
  tool: ToolFact,
): ShellFact | null {
  const text = tool.ok ? tool.commands.join("\n") : "";
  if (text.length > lightLimits.commandLines) return null;
  const words = text.match(/\S+|\n/g)?.length ?? 0;
  if (words > lightLimits.words || openingsIn(text) > lightLimits.nested) return null;
  const fact = deriveShell(fields, tool, lightLimits.nodes);
  return !fact.ok && fact.why === "too-many" ? null : fact;
}

/** Whether texts may take long to read. */
export function isHeavyText(value: unknown): boolean {
  return stringsLength(value, lightLimits.text) > lightLimits.text;
}
