import { homeOf, resolvePath } from "../paths.ts";
import { clean } from "./marks.ts";
import type { Reading } from "./types.ts";
import { Walker } from "./walk.ts";

/** Longest command line that is read whole, in UTF-16 code units. */
export const longestCommand = 32_768;

/**
 * Reads a command line as far as its text alone tells what it would start. A shell does more: what variables hold,
 * what programs print and what files contain is not known here, and marked so.
 */
export function readShell(command: string, cwd: string | undefined): Reading {
  const text = clean(command);
  const read = text.slice(0, longestCommand);
  const folder = cwd?.startsWith("/") ? resolvePath(cwd, "/") : ".";
  const walker = new Walker(folder, homeOf(folder));
  walker.readText(read);
  // A shell runs line by line: what stands before a mistake has run, and what stands after it may run in another shell.
  if (!walker.whole) for (const line of read.split("\n", 200)) walker.readText(line);
  if (text.length > longestCommand) walker.whole = false;
  return walker.reading(text);
}
