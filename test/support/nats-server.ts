import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, connect as dial } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** Debian puts it where only an administrator's shell looks. */
const binary = ["nats-server", "/usr/sbin/nats-server"].find((path) => {
  try {
    execFileSync(path, ["--version"], { stdio: "pipe" });
    return true;
  } catch {
    return false;
  }
});
/** Why there is no NATS server to test against; `null` where there is one. */
export const natsMissing: string | null = binary === undefined ? "nats-server is not installed" : null;
if (natsMissing) console.warn(`skipped: ${natsMissing}`);

/** A NATS server with JetStream of a test's own, on this machine only. */
export interface TestNats {
  readonly url: string;
  readonly port: number;
  /** Kills it, leaves its files. */
  kill(): Promise<void>;
  /** Starts it again on the same port, with the same files. */
  start(): Promise<void>;
  readonly pid: number;
  close(): Promise<void>;
}

/** @param more arguments beside its address and its folder. */
export async function startNats(more: readonly string[] = []): Promise<TestNats> {
  const folder = mkdtempSync(join(tmpdir(), "hookwarden-nats-"));
  const port = await freePort();
  let child: ChildProcess | null = null;
  const start = async (): Promise<void> => {
    const args = [
      "--addr",
      "127.0.0.1",
      "--port",
      String(port),
      "--jetstream",
      "--store_dir",
      folder,
      ...more,
    ];
    child = spawn(binary ?? "nats-server", args, { stdio: "ignore" });
    for (let tries = 0; !(await answers(port)); tries++) {
      if (tries > 200) throw new Error("nats-server does not answer");
      await sleep(25);
    }
  };
  const kill = async (): Promise<void> => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
  };
  await start();
  return {
    url: `nats://127.0.0.1:${port}`,
    port,
    kill,
    start,
    get pid() {
      return child?.pid as number;
    },
    async close() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

/** A server that is up greets with `INFO`. */
function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = dial(port, "127.0.0.1");
    const end = (ok: boolean): void => {
      socket.destroy();
      resolve(ok);
    };
    socket.once("data", (data) => end(data.toString("latin1").startsWith("INFO")));
    socket.once("error", () => end(false));
    socket.setTimeout(500, () => end(false));
  });
}
