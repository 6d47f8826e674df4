import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { excerpt, inline, safeJson, visible } from "../../src/cli/sanitize-text.ts";
import { paragraph, Table } from "../../src/cli/table.ts";
import type { Terminal } from "../../src/cli/terminal.ts";
import stringWidth from "string-width";

/** What a terminal acts on or hides. */
const active = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u;
const hostile = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      "a",
      " ",
      "\n",
      "\t",
      "\r",
      "\u001b[2J",
      "\u009b",
      "\u202e",
      "\u2066",
      "\u{e0041}",
      "\ud800",
      "é",
      "日",
      "👩‍👩‍👧",
      "\u0301",
    ),
    fc.string({ minLength: 1, maxLength: 1, unit: "binary" }),
  ),
  maxLength: 60,
});
const terminal = { width: 80, style: (_: unknown, text: string) => text } as unknown as Terminal;

describe("text of strangers", () => {
  it("is inert on one line, in whatever way it is shown", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        for (const shown of [
          inline(text),
          visible(text),
          excerpt(text, 20),
          safeJson({ [text.toWellFormed()]: text }),
        ]) {
          expect(shown).not.toMatch(active);
        }
      }),
    );
  });

  it("reads back from JSON as it was", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(JSON.parse(safeJson([text]))).toEqual([text]);
        expect(JSON.parse(safeJson({ a: [text] }, 2))).toEqual({ a: [text] });
      }),
    );
  });

  it("is cut at a length, with a mark", () => {
    expect(excerpt("x".repeat(10_000_000), 10)).toBe("xxxxxxxxx…");
    expect(excerpt("short", 10)).toBe("short");
    expect(excerpt(`${"\u0301".repeat(100)}tail`, 10).endsWith("…")).toBe(true);
  });
});

describe("tables", () => {
  const columns = [
    { title: "ONE", width: 6 },
    { title: "TWO", width: 10 },
    { title: "N", width: 5, right: true },
  ];

  it("stay in their columns, whatever stands in the cells", () => {
    fc.assert(
      fc.property(hostile, hostile, (one, two) => {
        for (const line of new Table(terminal, columns).row([one, two, "7"]).split("\n")) {
          expect(stringWidth(line)).toBeLessThanOrEqual(6 + 2 + 10 + 2 + 5);
        }
      }),
    );
  });

  it("count wide characters as two columns", () => {
    const table = new Table(terminal, columns);
    expect(table.row(["日本", "x", "7"])).toBe("日本    x               7");
    expect(table.row(["日本語字", "x", "7"])).toBe("日本語  x               7\n字");
  });

  it("wrap at words, and right-align numbers", () => {
    const table = new Table(terminal, columns);
    expect(table.head()).toBe("ONE     TWO             N");
    expect(table.row(["a", "two words here", "12345"])).toBe("a       two words   12345\n        here");
    expect(table.below(1, "why")).toBe("        why");
  });

  it("indent paragraphs to the width of the terminal", () => {
    const lines = paragraph(terminal, 10, "word ".repeat(40)).split("\n");
    expect(lines.length).toBeGreaterThan(1);
    for (const line of lines) expect(line).toMatch(/^ {10}\S.{0,69}$/);
  });
});
