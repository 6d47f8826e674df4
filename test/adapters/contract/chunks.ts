import { describe, expect, test } from "vitest";
import type { FakeHook } from "../../support/fake-pack.ts";
import { type Adapter, hook, type Outcome, runWith } from "./adapter.ts";

/** What becomes of the pieces of a streamed answer. */
export function chunkContract(adapter: Adapter): void {
  describe.each(adapter.streaming)("chunks in %s", (mode) => {
    const says = (text: string, hold: number, run: FakeHook["run"]): Promise<Outcome> =>
      runWith(adapter, mode, [hook(["ModelResponseChunk"], run)], { replies: [text], options: { hold } });

    test.each([16, 256])(
      "a secret that is split over chunks is caught while %i characters are held",
      async (hold) => {
        const said = `a key sk-abcdefgh, ${"x".repeat(40)}, sk-zyxwvuts!`;
        const { text, shown } = await says(said, hold, ({ chunk }) =>
          typeof chunk === "string" && /sk-[a-z]{8}/.test(chunk)
            ? { action: "replace_chunk", chunk: chunk.replaceAll(/sk-[a-z]{8}/g, "[key]") }
            : null,
        );
        expect(text).toBe(`a key [key], ${"x".repeat(40)}, [key]!`);
        expect(shown).not.toMatch(/sk-|abcd|defgh|zyxw/);
      },
    );

    test("a chunk that is dropped is not seen", async () => {
      const { text, shown } = await says("good zzz.. end", 0, ({ chunk }) =>
        `${chunk}`.includes("zzz") ? { action: "drop_chunk" } : null,
      );
      expect(text).toBe(adapter.textAfterDrop);
      expect(shown).toContain("good ");
      expect(shown).not.toContain("zzz");
    });

    test("a hook that fails on a chunk drops it", async () => {
      const { text, shown } = await says("good zzz.. end", 0, ({ chunk }) => {
        if (`${chunk}`.includes("zzz")) throw new Error("oops");
      });
      expect(text).toBe(adapter.textAfterDrop);
      expect(shown).toContain("good ");
      expect(shown).not.toContain("zzz");
    });
  });
}
