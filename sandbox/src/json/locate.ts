import { type JsonPosition, pointerPart } from "./error.ts";

const newline = 0x0a;
const quotation = 0x22;

/**
 * Line, column and JSON pointer of an offset in a text that is JSON up to there. Runs only after a refusal, so that
 * reading has no overhead; takes time linear in the offset and never recurses.
 */
export function locate(text: string, offset: number): JsonPosition {
  let line = 1;
  let lineStart = 0;
  /** One entry for each open array (its index) or object (its key; `null` while it is not known). */
  const open: (number | string | null)[] = [];
  let keyStart = -1;
  for (let at = 0; at < offset; at++) {
    const code = text.charCodeAt(at);
    if (code === newline) {
      line++;
      lineStart = at + 1;
    } else if (code === quotation) {
      const end = stringEnd(text, at, offset);
      if (end < 0) break;
      if (keyStart === at) {
        open[open.length - 1] = JSON.parse(text.slice(at, end + 1)) as string;
        keyStart = -1;
      }
      at = end;
    } else if (code === 0x5b) {
      open.push(0);
    } else if (code === 0x7b) {
      open.push(null);
      keyStart = nextCharacter(text, at + 1);
    } else if (code === 0x5d || code === 0x7d) {
      open.pop();
    } else if (code === 0x2c) {
      const top = open.at(-1);
      if (typeof top === "number") open[open.length - 1] = top + 1;
      else {
        open[open.length - 1] = null;
        keyStart = nextCharacter(text, at + 1);
      }
    }
  }
  return {
    offset,
    line,
    column: offset - lineStart + 1,
    pointer: open.map((part) => (part === null ? "" : pointerPart(part))).join(""),
  };
}

/** Where the string that starts at `start` ends, or -1 where that is not before `limit`. */
function stringEnd(text: string, start: number, limit: number): number {
  for (let at = start + 1; at < limit; at++) {
    const code = text.charCodeAt(at);
    if (code === quotation) return at;
    if (code === 0x5c) at++;
  }
  return -1;
}

function nextCharacter(text: string, start: number): number {
  let at = start;
  while (at < text.length && " \t\r\n".includes(text.charAt(at))) at++;
  return at;
}
