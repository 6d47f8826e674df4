/**
 * The program of the nursery: starts sandbox processes for its parent, which would stand still while it starts one
 * itself, and longer the more memory it has and the busier the machine is. Each child's standard streams are connections
 * to the parent's socket, so that all that they carry goes past this process.
 *
 * Argument: path of the socket. Speaks with its parent in the messages of `nursery-messages.ts`.
 */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { dirname } from "node:path";
import { spawnWithFilter } from "../containment/spawn.ts";
import { closedStdio } from "./descriptors.ts";
import { type Birth, type NurseryNews, type NurseryOrder, streamNames } from "./nursery-messages.ts";

const path = process.argv[2] as string;
const children = new Map<number, ChildProcess>();

function tell(news: NurseryNews): void {
  if (process.connected) process.send?.(news);
}

async function connected(greeting: string): Promise<Socket> {
  const socket = connect(path);
  await once(socket, "connect");
  await new Promise((written) => socket.write(greeting, written));
  return socket;
}

async function bear({ id, secret, command, args, env, filter }: Birth): Promise<void> {
  const streams = await Promise.all(streamNames.map((name) => connected(`${id} ${name} ${secret}\n`)));
  const [, , , ...others] = closedStdio();
  // `close` of the child would wait for streams that are not this process's.
  const child = spawnWithFilter(command, args, filter === null ? null : Buffer.from(filter, "base64"), {
    cwd: "/",
    env,
    stdio: [...streams, ...others],
    windowsHide: true,
  });
  for (const stream of streams) stream.destroy();
  children.set(id, child);
  child.once("error", (error) => {
    children.delete(id);
    tell({ kind: "failed", id, why: error.message });
  });
  child.once("exit", (code, signal) => {
    children.delete(id);
    tell({ kind: "ended", id, code, signal });
  });
  if (child.pid !== undefined) tell({ kind: "born", id, pid: child.pid });
}

process.on("message", (order: NurseryOrder) => {
  if (order.kind === "kill") return void children.get(order.id)?.kill("SIGKILL");
  bear(order).catch((error: unknown) => tell({ kind: "failed", id: order.id, why: String(error) }));
});
// Nobody is left who could use them, nor tidy up.
process.once("disconnect", () => {
  for (const child of children.values()) child.kill("SIGKILL");
  rmSync(dirname(path), { recursive: true, force: true });
  process.exit(0);
});
tell({ kind: "open" });
