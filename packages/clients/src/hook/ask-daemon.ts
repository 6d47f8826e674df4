import { closeSync, openSync, readFileSync, statSync, unlinkSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { hookArguments, type HookOptions } from "./hook-options.ts";
import { checkSocket, type DaemonFiles } from "./runtime-folder.ts";
import { countOf, largestAnswer, type Outcome, send, WireReader } from "./wire.ts";
import { nodeFlags } from "./programs.ts";

/** How long a daemon may take to say who it is, and a new one to be there, in milliseconds. */
const greetingMs = 2_000;
const startMs = 10_000;
/** How often a daemon that is starting is looked for, in milliseconds. */
const pollIntervalMs = 10;

/** An authenticated daemon, before anything was sent to it. */
export interface Daemon {
  /** Hands over one event. Where this fails, the event may have been decided: it must not be decided again. */
  ask(event: Uint8Array): Promise<Outcome>;
  close(): void;
}

/**
 * The daemon of an identity, started where there is none.
 *
 * @param program path of the daemon's program.
 * @returns `null` where there is none and none can be had in time; nothing has been sent then.
 */
export async function findDaemon(
  files: DaemonFiles,
  identity: string,
  options: HookOptions,
  program: string,
): Promise<Daemon | null> {
  const met = await meet(files, identity);
  if (met !== "absent") return met;
  let ended = false;
  if (mayStart(files)) await start(options, program, () => (ended = true));
  const until = Date.now() + Math.min(startMs, options.deadlineMs / 2);
  while (Date.now() < until) {
    await new Promise((done) => setTimeout(done, pollIntervalMs));
    const found = await meet(files, identity);
    if (found !== "absent") return found;
    // It has said by its status that it cannot be the daemon, and is none.
    if (ended) return null;
  }
  return null;
}

/** `absent`: no process listens. `null`: one does, and it is not the daemon that we look for. */
async function meet(files: DaemonFiles, identity: string): Promise<Daemon | null | "absent"> {
  let socket: Socket;
  try {
    checkSocket(files.socket);
    socket = await connected(files.socket);
  } catch {
    return "absent";
  }
  const timer = setTimeout(() => socket.destroy(), greetingMs);
  try {
    const reader = new WireReader(socket);
    const [ours, theirs] = readSecrets(files.secrets);
    send(socket, { hello: ours, identity });
    const { welcome } = await reader.message();
    if (welcome !== theirs) throw new Error("it does not know the secret");
    clearTimeout(timer);
    return daemonAt(socket, reader);
  } catch {
    clearTimeout(timer);
    socket.destroy();
    return null;
  }
}

function daemonAt(socket: Socket, reader: WireReader): Daemon {
  return {
    async ask(event) {
      send(socket, { bytes: event.length }, event);
      const { exit, out, err } = await reader.message();
      if (exit !== 0 && exit !== 2) throw new Error("the daemon gave no status");
      const outBytes = await reader.bytes(countOf(out, largestAnswer));
      const errBytes = await reader.bytes(countOf(err, largestAnswer));
      socket.destroy();
      return { exit, out: outBytes.toString("utf8"), err: errBytes.toString("utf8") };
    },
    close: () => socket.destroy(),
  };
}

function connected(path: string): Promise<Socket> {
  return new Promise((done, failed) => {
    const socket = connect(path, () => {
      socket.off("error", failed);
      done(socket);
    });
    socket.once("error", failed);
  });
}

/** The secrets are in a file that only the user can read; the daemon writes it before it listens. */
function readSecrets(path: string): [string, string] {
  const [ours = "", theirs = ""] = readFileSync(path, "latin1").split("\n");
  if (ours.length !== 64 || theirs.length !== 64) throw new Error("there are no secrets");
  return [ours, theirs];
}

/** Keeps many clients that come at once from starting a process each. That there is one daemon, its lock sees to. */
function mayStart({ starting }: DaemonFiles): boolean {
  try {
    closeSync(openSync(starting, "wx", 0o600));
    return true;
  } catch {
    try {
      if (Date.now() - statSync(starting).mtimeMs < startMs) return false;
      unlinkSync(starting);
    } catch {
      // Somebody else was quicker.
    }
    return false;
  }
}

async function start(options: HookOptions, program: string, ended: () => void): Promise<void> {
  const { spawn } = await import("node:child_process");
  const child = spawn(process.execPath, [...nodeFlags(program), program, ...hookArguments(options)], {
    cwd: "/",
    detached: true,
    stdio: "ignore",
  });
  child.on("error", ended);
  child.on("exit", (code) => {
    if (code !== 0) ended();
  });
  child.unref();
}
