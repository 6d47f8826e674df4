import { stringsLength } from "./text/strings.ts";
import type { ToolFact } from "./tool/row.ts";

/**
 * Beyond these, deriving a fact may take longer than a few milliseconds, in UTF-16 code units. They only decide where
 * a fact is derived, never what it is.
 */
export const lightLimits = { commandLines: 1_024, text: 16_384 } as const;

/** Commands whose bodies are read more than once. */
const repeats = /\b(?:for|while|until|select|function|find|xargs)\b|\(\s*\)/;

/** Whether command lines may take long to read. */
export function isHeavyShell(tool: ToolFact): boolean {
  if (!tool.ok) return false;
  const length = tool.commands.reduce((sum, line) => sum + line.length, 0);
  return length > lightLimits.commandLines || tool.commands.some((line) => repeats.test(line));
}

/** Whether texts may take long to read. */
export function isHeavyText(value: unknown): boolean {
  return stringsLength(value, lightLimits.text) > lightLimits.text;
}
