import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { Chunk } from "../../src/warden/chunk-stream.ts";
import type { FakeHook } from "../support/fake-pack.ts";
import { FakeFault } from "../support/fake-sandbox.ts";
import { fakeWarden } from "../support/fake-warden.ts";

const onChunk = (name: string, run: FakeHook["run"], more: Partial<FakeHook> = {}): FakeHook => ({
  name,
  on: ["ModelResponseChunk"],
  run,
  ...more,
});
const collect = async (stream: ReadableStream<Chunk>): Promise<Chunk[]> => Array.fromAsync(stream);
const options = { session_id: "s1" };

describe("a stream of a model's response", () => {
  test("passes what hooks leave, rewrites what they rewrite, and loses what they drop, in order", async () => {
    const { warden } = await fakeWarden([
      onChunk("filter", async ({ chunk, index }) => {
        await sleep(index === 0 ? 10 : 0);
        if (chunk === "secret") return { action: "drop_chunk" };
        return typeof chunk === "string" ? { action: "replace_chunk", chunk: chunk.toUpperCase() } : null;
      }),
    ]);
    const source = ReadableStream.from(["a", "secret", { delta: "b" }, "c"]);
    expect(await collect(source.pipeThrough(warden.transformStream(options)))).toEqual([
      "A",
      { delta: "b" },
      "C",
    ]);
  });

  test("each chunk is an event of its own, numbered, of one stream", async () => {
    const seen: unknown[] = [];
    const { warden, sandbox } = await fakeWarden([
      onChunk("watcher", (event) => void seen.push({ ...event, time: 0 })),
    ]);
    const stream = warden.transformStream({ ...options, stream_id: "st", model: "m-1", tenant: "acme" });
    await collect(ReadableStream.from(["a", "b"]).pipeThrough(stream));
    const event = {
      hook_event_name: "ModelResponseChunk",
      session_id: "s1",
      stream_id: "st",
      model: "m-1",
      time: 0,
    };
    expect(seen).toEqual([
      { ...event, index: 0, chunk: "a" },
      { ...event, index: 1, chunk: "b" },
    ]);
    expect(sandbox.calls[0]?.tenant).toBe("acme");
  });

  test("takes no more in than is taken out", async () => {
    let pulled = 0;
    const source = new ReadableStream<Chunk>(
      {
        pull(controller) {
          controller.enqueue(`chunk ${++pulled}`);
          if (pulled === 1_000) controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    const { warden, sandbox } = await fakeWarden([onChunk("watcher", () => null)]);
    const reader = source.pipeThrough(warden.transformStream(options)).getReader();
    await reader.read();
    await sleep(20);
    expect(pulled).toBeLessThan(5);
    expect(sandbox.calls.length).toBeLessThan(5);
    for (let index = 0; index < 10; index++) await reader.read();
    await sleep(20);
    expect(pulled).toBeLessThan(15);
    await reader.cancel();
  });

  test("a guard that fails drops the chunk, and the stream goes on", async () => {
    const { warden } = await fakeWarden([
      onChunk("guard", ({ chunk }) => {
        if (chunk === "boom") throw new FakeFault("timeout");
      }),
    ]);
    const source = ReadableStream.from(["a", "boom", "b"]);
    expect(await collect(source.pipeThrough(warden.transformStream(options)))).toEqual(["a", "b"]);
  });

  test("what is no chunk ends it with an error of the host", async () => {
    const { warden } = await fakeWarden([onChunk("watcher", () => null)]);
    const source = ReadableStream.from(["a", 3 as unknown as Chunk, "b"]);
    await expect(collect(source.pipeThrough(warden.transformStream(options)))).rejects.toMatchObject({
      code: "event-invalid",
    });
  });
});
