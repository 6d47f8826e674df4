import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { splitLines } from "../../src/cli/lines.ts";

async function split(chunks: readonly string[], maxBytes = 100): Promise<[number, string | null][]> {
  async function* source(): AsyncGenerator<Buffer> {
    for (const chunk of chunks) yield Buffer.from(chunk);
  }
  const found: [number, string | null][] = [];
  for await (const { number, bytes } of splitLines(source(), maxBytes))
    found.push([number, bytes?.toString() ?? null]);
  return found;
}

describe("lines of a stream", () => {
  it("are counted from one, the last one also without a line break", async () => {
    expect(await split(["a\nb\n\nc"])).toEqual([
      [1, "a"],
      [2, "b"],
      [3, ""],
      [4, "c"],
    ]);
    expect(await split(["a\n"])).toEqual([[1, "a"]]);
    expect(await split([])).toEqual([]);
  });

  it("are null where they are too long, and the next one is read", async () => {
    expect(await split(["123456\n12345\n", "123", "456", "7\nok"], 5)).toEqual([
      [1, null],
      [2, "12345"],
      [3, null],
      [4, "ok"],
    ]);
  });

  it("do not depend on how the stream is cut", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: fc.constantFrom("a", "é", "\n", "𝄞") }), { maxLength: 8 }),
        async (parts) => {
          const bytes = Buffer.from(parts.join(""));
          async function* single(): AsyncGenerator<Buffer> {
            for (const byte of bytes) yield Buffer.from([byte]);
          }
          const found: (string | undefined)[] = [];
          for await (const line of splitLines(single(), 1_000)) found.push(line.bytes?.toString());
          expect(found).toEqual((await split([parts.join("")], 1_000)).map(([, text]) => text));
        },
      ),
    );
  });
});
