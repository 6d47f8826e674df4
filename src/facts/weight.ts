import { stringsLength } from "./text/strings.ts";
import type { ShellFact } from "./shell/row.ts";
import { deriveShell } from "./shell/shell.ts";
import type { ToolFact } from "./tool/row.ts";

/**
 * Beyond these, deriving a fact may take longer than a few milliseconds: command lines and texts in UTF-16 code units,
 * `nodes` as in the limits of `facts.shell`, words and operators of a command line, and what opens a nested one: each
 * level is read with all levels in it. They only decide where a fact is derived, never what it is.
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
  if (count(text, /\S+|\n/g) > lightLimits.words || count(text, /[$<>]\(|\$\{|`/g) > lightLimits.nested)
    return null;
  const fact = deriveShell(fields, tool, lightLimits.nodes);
  return !fact.ok && fact.why === "too-many" ? null : fact;
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

/** Whether texts may take long to read. */
export function isHeavyText(value: unknown): boolean {
  return stringsLength(value, lightLimits.text) > lightLimits.text;
}
