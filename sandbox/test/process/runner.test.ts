import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import { afterEach, expect, it, vi } from "vitest";
import type { Child } from "../../src/process/launch.ts";
import { encodeWake, protocolVersion } from "../../src/process/request.ts";
import { Runner } from "../../src/process/runner.ts";
import { writeReady } from "../../src/process/write-reply.ts";

const spinMs = 1;
/** What `performance.now()` says. */
let now = 1_000;

afterEach(() => void vi.restoreAllMocks());

it("wakes a child once for as long as it stays awake", async () => {
  vi.spyOn(performance, "now").mockImplementation(() => now);
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  const child: Child = Object.assign(new EventEmitter(), streams, { kill: () => true });
  const { promise, resolve } = Promise.withResolvers<void>();
  const owner = { ready: () => resolve(), finished: () => {}, answered: () => {}, gone: () => {} };
  const runner = new Runner(child, owner, { graceMs: 1_000, gather: false });
  streams.stdout.write(writeReady("fake 1", protocolVersion));
  await promise;
  const written = (): string => String(streams.stdin.read() ?? "");
  for (let count = 0; count < 3; count++) runner.wake(spinMs);
  expect(written()).toBe(encodeWake());
  now += 2 * spinMs;
  for (let count = 0; count < 3; count++) runner.wake(spinMs);
  expect(written()).toBe(encodeWake());
  runner.kill({ cause: "retired" });
});
