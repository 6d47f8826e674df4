import stringWidth from "string-width";
import wrapAnsi from "wrap-ansi";
import { inline } from "./sanitize-text.ts";
import type { Style, Terminal } from "./terminal.ts";

/** One column of a table. */
export interface Column {
  readonly title: string;
  /** Least width in columns of the terminal. */
  readonly width: number;
  readonly right?: boolean;
}

/** A cell: text, which is sanitized here, and its colour. */
export type Cell = string | { readonly text: string; readonly style: Style };

const gap = "  ";

/**
 * Draws rows one by one, so that each can be shown when it is there. A cell that is wider than its column is wrapped;
 * the last column takes what the line has left.
 */
export class Table {
  readonly #terminal: Terminal;
  readonly #columns: readonly Column[];

  constructor(terminal: Terminal, columns: readonly Column[]) {
    this.#terminal = terminal;
    const taken = columns.slice(0, -1).reduce((sum, { width }) => sum + width + gap.length, 0);
    const left = terminal.width - taken;
    this.#columns = columns.map((column, index) =>
      index === columns.length - 1
        ? { ...column, width: column.right ? column.width : Math.max(column.width, left) }
        : column,
    );
  }

  head(): string {
    return this.row(this.#columns.map(({ title }) => ({ text: title, style: "bold" as const })));
  }

  /** The lines of one row. */
  row(cells: readonly Cell[]): string {
    const columns = this.#columns.map((column, index) => {
      const cell = cells[index] ?? "";
      const { text, style } = typeof cell === "string" ? { text: cell, style: null } : cell;
      return { ...column, style, lines: wrap(inline(text), column.width) };
    });
    const height = Math.max(...columns.map(({ lines }) => lines.length));
    const lines = Array.from({ length: height }, (_, at) =>
      columns
        .map(({ lines: own, width, right, style }) => {
          const text = own[at] ?? "";
          const pad = " ".repeat(Math.max(0, width - stringWidth(text)));
          const shown = style === null ? text : this.#terminal.style(style, text);
          return right ? pad + shown : shown + pad;
        })
        .join(gap)
        .trimEnd(),
    );
    return lines.join("\n");
  }

  /** A text below a row, indented to where the column `from` begins. */
  below(from: number, cell: Cell): string {
    const indent = this.#columns.slice(0, from).reduce((sum, { width }) => sum + width + gap.length, 0);
    return paragraph(this.#terminal, indent, cell);
  }
}

/** A text with an indent, wrapped to the width of the terminal. */
export function paragraph(terminal: Terminal, indent: number, cell: Cell): string {
  const { text, style } = typeof cell === "string" ? { text: cell, style: null } : cell;
  return wrap(inline(text), terminal.width - indent)
    .map((line) => " ".repeat(indent) + (style === null ? line : terminal.style(style, line)))
    .join("\n");
}

function wrap(text: string, width: number): string[] {
  return wrapAnsi(text, width, { hard: true, trim: true }).split("\n");
}
