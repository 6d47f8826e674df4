import type { Position } from "../fault.ts";

/** Largest line or column that is believed. */
const maxPosition = 9_999_999;

/**
 * Finds the innermost frame of a program in the text of a stack, as either engine writes it: lines that end in
 * `file:line:column`, in brackets or not.
 *
 * The text is the guest's: it may have assigned `stack`, or named a function like a frame. So nothing is taken from it but
 * two numbers, and only from frames in the program's own file.
 *
 * @returns `null` if there is no such frame.
 */
export function positionIn(stack: string, file: string): Position | null {
  for (const frame of stack.split("\n")) {
    const found = /:(\d{1,7}):(\d{1,7})\)?$/.exec(frame);
    if (!found) continue;
    const before = frame.slice(0, found.index);
    if (!before.endsWith(` ${file}`) && !before.endsWith(`(${file}`)) continue;
    const position = { line: Number(found[1]), column: Number(found[2]) };
    if (isPosition(position)) return position;
  }
  return null;
}

/** Whether two numbers can be a place in a text. */
export function isPosition({ line, column }: Position): boolean {
  return line >= 1 && line <= maxPosition && column >= 1 && column <= maxPosition;
}
