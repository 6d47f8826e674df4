/**
 * The program of the fork server: starts sandbox processes for its parent, whose event loop would block meanwhile. Each
 * child's standard streams are connections to the parent's socket, so that their data does not pass through this process.
 *
 * Argument: path of the socket. Messages: `fork-server-messages.ts`.
 */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { dirname } from "node:path";
import { killGroup, spawnContained } from "../containment/spawn.ts";
import { closedStdio } from "./descriptors.ts";
import {
  type SpawnRequest,
  type ForkServerMessage,
  type ForkServerRequest,
  streamNames,
} from "./fork-server-messages.ts";

const path = process.argv[2] as string;
const children = new Map<number, ChildProcess>();

function send(message: ForkServerMessage): void {
  if (process.connected) process.send?.(message);
}

async function connected(greeting: string): Promise<Socket> {
  const socket = connect(path);
  await once(socket, "connect");
  await new Promise((written) => socket.write(greeting, written));
  return socket;
}

async function spawnChild({ id, secret, command, args, env, filter }: SpawnRequest): Promise<void> {
  const streams = await Promise.all(streamNames.map((name) => connected(`${id} ${name} ${secret}\n`)));
  const [, , , ...others] = closedStdio();
  // `exit`, not `close`: the streams are the parent's, and may stay open.
  const child = spawnContained(command, args, filter === null ? null : Buffer.from(filter, "base64"), {
    cwd: "/",
    env,
    stdio: [...streams, ...others],
    windowsHide: true,
  });
  for (const stream of streams) stream.destroy();
  children.set(id, child);
  child.once("error", (error) => {
    children.delete(id);
    send({ kind: "failed", id, why: error.message });
  });
  child.once("exit", (code, signal) => {
    children.delete(id);
    send({ kind: "ended", id, code, signal });
  });
  if (child.pid !== undefined) send({ kind: "spawned", id, pid: child.pid });
}

process.on("message", (request: ForkServerRequest) => {
  if (request.kind === "kill") return void killGroup(children.get(request.id)?.pid);
  spawnChild(request).catch((error: unknown) => send({ kind: "failed", id: request.id, why: String(error) }));
});
// The parent is gone: its children are of no use, and nothing else removes the socket's folder.
process.once("disconnect", () => {
  for (const { pid } of children.values()) killGroup(pid);
  rmSync(dirname(path), { recursive: true, force: true });
  process.exit(0);
});
send({ kind: "open" });
