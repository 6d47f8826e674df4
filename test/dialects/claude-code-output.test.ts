import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fitToolOutput, withheldText, withholdToolOutput } from "../../src/dialects/claude-code-output.ts";

const bash = {
  stdout: "secret",
  stderr: "warn",
  interrupted: false,
  isImage: true,
  persistedOutputPath: "/t",
  persistedOutputSize: 9,
};
const read = {
  type: "text",
  file: { filePath: "/etc/key", content: "secret", numLines: 3, startLine: 1, totalLines: 3 },
};

describe("outputs of Claude Code's tools", () => {
  test("a withheld output has the form of the original", () => {
    expect(withholdToolOutput(bash)).toEqual({
      stdout: withheldText,
      stderr: withheldText,
      interrupted: false,
      isImage: false,
    });
    expect(withholdToolOutput(read)).toEqual({
      type: "text",
      file: { filePath: withheldText, content: withheldText, numLines: 0, startLine: 0, totalLines: 0 },
    });
    expect(withholdToolOutput("secret")).toBe(withheldText);
    expect(withholdToolOutput([{ type: "text", text: "secret" }])).toEqual([
      { type: "text", text: withheldText },
    ]);
    expect(withholdToolOutput(null)).toBe(null);
  });

  test("a picture or a document becomes a text, since nothing else could stand in its place", () => {
    const image = { type: "image", file: { base64: "c2VjcmV0", type: "image/png", originalSize: 6 } };
    expect(withholdToolOutput(image)).toMatchObject({ type: "text", file: { content: withheldText } });
    expect(fitToolOutput(image, "gone")).toMatchObject({ type: "text", file: { content: "gone" } });
  });

  test("a text takes the place of the original's text, and nothing else of the original stays", () => {
    expect(fitToolOutput(bash, "clean")).toEqual({
      stdout: "clean",
      stderr: "",
      interrupted: false,
      isImage: false,
    });
    expect(fitToolOutput(read, "clean")).toMatchObject({ type: "text", file: { content: "clean" } });
    expect(fitToolOutput("secret", "clean")).toBe("clean");
    expect(fitToolOutput([{ type: "text", text: "secret" }], "clean")).toEqual([
      { type: "text", text: "clean" },
    ]);
    expect(fitToolOutput({ content: [{ type: "text", text: "secret" }] }, "clean")).toEqual({
      content: [{ type: "text", text: "clean" }],
    });
    expect(fitToolOutput({ rows: 3 }, "clean")).toBe("clean");
    expect(fitToolOutput(bash, { own: "form" })).toEqual({ own: "form" });
  });

  test("no text or number of any original survives", () => {
    const canary = fc.string({ minLength: 6 }).map((text) => `CANARY ${text}`);
    const leaf = fc.oneof(canary, fc.integer({ min: 1_000 }), fc.boolean(), fc.constant(null));
    const key = fc.constantFrom(
      "stdout",
      "type",
      "file",
      "content",
      "text",
      "items",
      "data",
      "persistedOutputPath",
    );
    const output = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 4 },
        leaf,
        fc.array(tie("any"), { maxLength: 3 }),
        fc.dictionary(key, tie("any"), { maxKeys: 4 }),
      ),
    })).any;
    fc.assert(
      fc.property(output, (original) => {
        for (const shown of [withholdToolOutput(original), fitToolOutput(original, "clean")]) {
          const text = JSON.stringify(shown);
          expect(text).not.toContain("CANARY");
          expect(text).not.toMatch(/\d{4}/);
        }
      }),
    );
  });
});
