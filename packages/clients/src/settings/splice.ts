import { applyEdits, createScanner, type Edit, type Node } from "jsonc-parser";

/**
 * Puts values into JSON with comments and takes them out, and touches nothing that stands around them: neither
 * comments, nor how the neighbours are laid out.
 */

/** Adds a value at the end of an array, or a member at the end of an object. */
export function appended(text: string, container: Node, value: unknown, name?: string): string {
  const { unit, eol } = formOf(text);
  const depth = depthOf(container);
  const lines = JSON.stringify(value, null, unit).split("\n");
  if (name !== undefined) lines[0] = `${JSON.stringify(name)}: ${lines[0]}`;
  const body = lines.map((line) => eol + unit.repeat(depth + 1) + line).join("");
  const close = container.offset + container.length - 1;
  const last = container.children?.at(-1);
  const from = last ? endOf(last) : container.offset + 1;
  const rest = text.slice(from, close);
  const at = from + rest.trimEnd().length;
  const edits: Edit[] = [];
  if (last && commaIn(text, from, close) === null) edits.push({ offset: from, length: 0, content: "," });
  // An empty pair of brackets has no line of its own for the closing one.
  const closing = last || /[\r\n]/.test(rest) ? "" : eol + unit.repeat(depth);
  edits.push({ offset: at, length: closing === "" ? 0 : close - at, content: body + closing });
  return applyEdits(text, edits);
}

/** Takes a value out of an array, or a member out of an object, with its comma. */
export function removed(text: string, node: Node): string {
  const siblings = node.parent?.children ?? [];
  const index = siblings.indexOf(node);
  const [before, after] = [siblings[index - 1], siblings[index + 1]];
  const end = endOf(node);
  const container = node.parent as Node;
  const close = container.offset + container.length - 1;
  const edits: Edit[] = [];
  const cut = (offset: number, to: number): void =>
    void edits.push({ offset, length: to - offset, content: "" });
  const comma = commaIn(text, end, after ? after.offset : close);
  if (before) {
    const earlier = commaIn(text, endOf(before), node.offset);
    // The space before it goes too, but no comment that stands there.
    const start = node.offset - (/\s*$/.exec(text.slice(endOf(before), node.offset))?.[0].length ?? 0);
    if (comma !== null) {
      cut(start, end);
      cut(comma, comma + 1);
    } else if (earlier !== null && earlier + 1 === start) cut(earlier, end);
    else {
      if (earlier !== null) cut(earlier, earlier + 1);
      cut(start, end);
    }
  } else if (comma !== null) {
    const space = /^\s*/.exec(text.slice(comma + 1, after ? after.offset : close))?.[0].length ?? 0;
    if (comma === end) cut(node.offset, comma + 1 + (after ? space : 0));
    else {
      cut(node.offset, end);
      cut(comma, comma + 1);
    }
  } else if (
    text.slice(container.offset + 1, node.offset).trim() === "" &&
    text.slice(end, close).trim() === ""
  ) {
    cut(container.offset + 1, close);
  } else cut(node.offset, end);
  return applyEdits(text, edits);
}

/** `SyntaxKind.CommaToken`, which the package declares as a constant that only its own compiler can name. */
const commaToken = 5;

/** Where the comma stands that is no part of a comment; `null` where there is none. */
function commaIn(text: string, from: number, to: number): number | null {
  const part = text.slice(from, to);
  const scanner = createScanner(part, true);
  for (let kind = scanner.scan(); scanner.getTokenOffset() < part.length; kind = scanner.scan()) {
    if (kind === commaToken) return from + scanner.getTokenOffset();
  }
  return null;
}

function endOf(node: Node): number {
  return node.offset + node.length;
}

/** How many brackets stand around what is in a container, but its own. */
function depthOf(container: Node): number {
  let depth = 0;
  for (let node = container.parent; node; node = node.parent) if (node.type !== "property") depth++;
  return depth;
}

/** What a file indents with, and how its lines end. */
function formOf(text: string): { readonly unit: string; readonly eol: string } {
  return { unit: /^([ \t]+)"/m.exec(text)?.[1] ?? "  ", eol: text.includes("\r\n") ? "\r\n" : "\n" };
}
