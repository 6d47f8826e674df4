import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ChunkWindow } from "../src/chunk-window.ts";
import { propertyRuns } from "../../../test/support/property-runs.ts";

const secret = /sk-[a-z]{8}/g;
const redact = async (chunk: unknown): Promise<unknown> => String(chunk).replaceAll(secret, "[key]");

async function through(pieces: readonly string[], hold: number, judge = redact): Promise<string[]> {
  const window = new ChunkWindow(hold, judge);
  const out: string[] = [];
  for (const piece of pieces) out.push(await window.push(piece));
  out.push(await window.end());
  return out;
}

describe("a window over chunks", () => {
  // An attacker who makes the model say a secret can also choose where the provider cuts it.
  test("shows no secret that is at most as long as what it holds, however the text is cut", async () => {
    const part = fc.oneof(
      fc.constant("sk-abcdefgh"),
      fc.string({ maxLength: 30 }).map((text) => text.replaceAll(/sk-/g, "")),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(part, { maxLength: 12 }),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 11, max: 40 }),
        async (parts, cuts, hold) => {
          const text = parts.join(" ");
          const pieces: string[] = [];
          for (let at = 0, index = 0; at < text.length; index++) {
            const size = cuts[index % cuts.length] as number;
            pieces.push(text.slice(at, at + size));
            at += size;
          }
          const shown = (await through(pieces, hold)).join("");
          expect(shown).toBe(text.replaceAll(secret, "[key]"));
        },
      ),
      { numRuns: propertyRuns(60) },
    );
  });

  test("gives text out as soon as it may, and never half a pair of surrogates", async () => {
    const out = await through(
      Array.from({ length: 20 }, () => "😀😀"),
      5,
      async (chunk) => chunk,
    );
    expect(out.slice(0, -1).some((text) => text !== "")).toBe(true);
    expect(out.every((text) => text.isWellFormed())).toBe(true);
    expect(out.join("")).toBe("😀".repeat(40));
  });

  test("without a hold, judges each chunk by itself and at once", async () => {
    expect(await through(["a", "sk-abcdefgh", "b"], 0)).toEqual(["a", "[key]", "b", ""]);
  });

  test("what the judge drops is gone, and the rest goes on", async () => {
    const judge = async (chunk: unknown): Promise<unknown> => (String(chunk).includes("bad") ? null : chunk);
    expect((await through(["good", "bad", "end"], 0, judge)).join("")).toBe("goodend");
  });

  test("a judge that answers with no text ends it", async () => {
    await expect(through(["a"], 0, async () => ({ type: "x" }))).rejects.toMatchObject({
      code: "event-invalid",
    });
  });
});
