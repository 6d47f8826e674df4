import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { serve } from "../../src/daemon/serve.ts";
import { type DaemonFiles, daemonFiles } from "../../src/hook/runtime-folder.ts";
import { type Outcome, send, WireReader } from "../../src/hook/wire.ts";

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), "hookwarden-serve-"))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A decision that hangs: a state file on a file system that does not answer, for instance. */
const hangs = { decide: () => new Promise<Outcome>(() => undefined) };
const answers = { decide: async (): Promise<Outcome> => ({ exit: 0, out: "{}", err: "" }) };

function begin(name: string, decider: { decide(event: Uint8Array): Promise<Outcome> }, idleSeconds = 0.3) {
  const files = daemonFiles(folder, name);
  const ending = new AbortController();
  const done = serve({ files, identity: name, decider, idleSeconds, deadlineMs: 100 }, ending.signal);
  return { files, done, end: () => ending.abort() };
}

/** A client that has asked, and does not take its answer. */
async function asked(files: DaemonFiles, identity: string, halfOpen: boolean): Promise<Socket> {
  while (!existsSync(files.socket)) await sleep(10);
  const socket = connect({ path: files.socket, allowHalfOpen: halfOpen });
  socket.on("error", () => undefined);
  const [ours = ""] = readFileSync(files.secrets, "latin1").split("\n");
  send(socket, { hello: ours, identity });
  const reader = new WireReader(socket);
  await reader.message();
  send(socket, { bytes: 2 }, "{}");
  return socket;
}

const within = async (done: Promise<void>, ms: number): Promise<boolean> =>
  Promise.race([done.then(() => true), sleep(ms, false)]);

describe("a daemon", () => {
  // It lived on for ever, without a socket, and started with each session anew.
  test.each([true, false])(
    "ends at its idle limit though a decision never settles (half open: %s)",
    async (halfOpen) => {
      const { files, done } = begin(`hang-${halfOpen}`, hangs);
      const socket = await asked(files, `hang-${halfOpen}`, halfOpen);
      expect(await within(done, 10_000)).toBe(true);
      socket.destroy();
    },
    20_000,
  );

  test("ends at a signal though a decision never settles", async () => {
    const { files, done, end } = begin("signal", hangs, 3_600);
    const socket = await asked(files, "signal", true);
    end();
    expect(await within(done, 4_000)).toBe(true);
    socket.destroy();
  });

  test("lets go of a client that has ended its side", async () => {
    const { files, done, end } = begin("half", hangs, 0.3);
    const socket = await asked(files, "half", true);
    const closed = new Promise((gone) => socket.once("end", gone));
    socket.resume();
    socket.end();
    await closed;
    end();
    expect(await within(done, 4_000)).toBe(true);
    socket.destroy();
  });

  test("answers as before", async () => {
    const { files, done } = begin("good", answers);
    const socket = await asked(files, "good", false);
    let got = "";
    socket.on("data", (data: Buffer) => (got += String(data)));
    await new Promise((gone) => socket.once("close", gone));
    expect(got).toMatch(/"exit":0/);
    expect(await within(done, 5_000)).toBe(true);
  });
});
