import { describe, expect, test } from "vitest";
import { makeBase } from "../../src/quickjs/base.ts";
import { loadBase } from "../../src/quickjs/load-base.ts";

describe("the base that the package carries", () => {
  test("is, to the byte, the one that this machine makes", async () => {
    const kept = await loadBase();
    const made = await makeBase();
    expect(kept.layout).toEqual(made.layout);
    expect(kept.anchors).toEqual(made.anchors);
    expect(kept.image.heapEnd).toBe(made.image.heapEnd);
    expect(Buffer.compare(kept.image.statics, made.image.statics)).toBe(0);
    expect(Buffer.compare(kept.image.heap, made.image.heap)).toBe(0);
  });

  // Memory that the engine has freed keeps what was written there, and an image would hand it to every hook.
  test("holds no text that was needed only to make it", async () => {
    const { image } = await loadBase();
    const heap = Buffer.from(image.heap).toString("latin1");
    expect(heap).not.toContain("getPrototypeOf(functionKinds");
    expect(heap).not.toContain('sliceToImmutable","transfer"');
  });
});
