import { type ChildProcess, spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { closedStdio } from "./descriptors.ts";
import { killGroup } from "../containment/index.ts";
import type { Child, ChildEvents, Launch } from "./launch.ts";
import {
  type ForkServerMessage,
  type ForkServerRequest,
  type StreamName,
  streamNames,
} from "./fork-server-messages.ts";
import { forkServerProgram } from "./fork-server-program.ts";

/** Time limit for starting a child, in milliseconds; its program has not started by then. */
const spawnTimeoutMs = 10_000;
/** Limits of the greeting that a connection identifies itself with: milliseconds, and bytes. */
const greetingMs = 10_000;
const greetingBytes = 128;

interface Expected {
  readonly secret: string;
  readonly streams: Map<StreamName, Socket>;
  pid: number | undefined;
  readonly done: (child: Child | Error) => void;
}

/** Folders that a process that exits without closing its sandboxes would leave behind. */
const openFolders = new Set<string>();
let tidies = false;

function tidyAtExit(): void {
  if (tidies) return;
  tidies = true;
  process.once("exit", () => openFolders.forEach(removeFolder));
}

function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

/**
 * A fork server: a small process that starts the children of this one. Starting a process blocks the caller until the new
 * one runs: 10 ms where much memory is in use, hundreds on a busy machine. Without it, a hook that kills child after
 * child would stall every other call.
 */
export class ForkServer {
  readonly #process: ChildProcess;
  readonly #server: Server;
  readonly #folder: string;
  readonly #expected = new Map<number, Expected>();
  readonly #children = new Map<number, ForkedChild>();
  #lastId = 0;
  #open = true;

  private constructor(child: ChildProcess, server: Server, folder: string) {
    this.#process = child;
    this.#server = server;
    this.#folder = folder;
    server.on("connection", (socket) => this.#accept(socket));
    child.on("message", (message: ForkServerMessage) => this.#onMessage(message));
    for (const event of ["exit", "disconnect", "error"] as const) child.on(event, () => this.#closeAll());
    // Such as too many open files.
    server.on("error", () => this.#closeAll());
    openFolders.add(folder);
    tidyAtExit();
  }

  /** Starts a fork server. Rejects if the system has no Unix sockets, or no temporary folder for one. */
  static async open(): Promise<ForkServer> {
    if (process.platform === "win32") throw new Error("sockets cannot be passed to children on Windows");
    // Mode 0700: other users cannot reach the socket.
    const folder = mkdtempSync(join(tmpdir(), "hookwarden-"));
    const server = createServer();
    let child: ChildProcess | undefined;
    try {
      const path = join(folder, "n");
      server.listen(path).unref();
      await once(server, "listening");
      child = spawnForkServer(path);
      const [first] = (await Promise.race([
        once(child, "message"),
        once(child, "exit").then(() => Promise.reject(new Error("the fork server has ended"))),
      ])) as [ForkServerMessage];
      if (first.kind !== "open") throw new Error("the fork server sent an unexpected message");
      return new ForkServer(child, server, folder);
    } catch (error) {
      child?.kill("SIGKILL");
      server.close();
      removeFolder(folder);
      throw error;
    }
  }

  get isOpen(): boolean {
    return this.#open;
  }

  /** Starts a child. Rejects if that fails; later failures are reported by the child's `exit` event. */
  spawn({ command, args, env, filter }: Launch): Promise<Child> {
    return new Promise((resolve, reject) => {
      if (!this.#open) return reject(new Error("the fork server has been closed"));
      const id = ++this.#lastId;
      const secret = crypto.randomUUID();
      const late = setTimeout(() => {
        this.#expected.get(id)?.done(new Error("it did not start in time"));
        this.#send({ kind: "kill", id });
      }, spawnTimeoutMs).unref();
      this.#expected.set(id, {
        secret,
        streams: new Map(),
        pid: undefined,
        done: (child) => {
          clearTimeout(late);
          const streams = this.#expected.get(id)?.streams;
          this.#expected.delete(id);
          if (!(child instanceof Error)) return resolve(child);
          for (const stream of streams?.values() ?? []) stream.destroy();
          reject(child);
        },
      });
      const inBase64 = filter && Buffer.from(filter).toString("base64");
      this.#send({ kind: "spawn", id, secret, command, args, env, filter: inBase64 });
    });
  }

  /** Ends the fork server and its remaining children. Settles when its process has exited. */
  async close(): Promise<void> {
    const { exitCode, signalCode } = this.#process;
    const isAlive = exitCode === null && signalCode === null;
    const ended = isAlive && new Promise((end) => this.#process.once("exit", end));
    this.#closeAll();
    await ended;
  }

  #send(request: ForkServerRequest): void {
    if (this.#process.connected) this.#process.send(request, (error) => error && this.#closeAll());
  }

  #onMessage(message: ForkServerMessage): void {
    if (message.kind === "spawned") {
      const expected = this.#expected.get(message.id);
      if (!expected) return;
      expected.pid = message.pid;
      this.#connect(message.id, expected);
    } else if (message.kind === "failed") this.#expected.get(message.id)?.done(new Error(message.why));
    else if (message.kind === "ended") {
      this.#expected.get(message.id)?.done(new Error("it ended at once"));
      this.#end(message.id, message.code, message.signal);
    }
  }

  #end(id: number, code: number | null, signal: NodeJS.Signals | null): void {
    const child = this.#children.get(id);
    this.#children.delete(id);
    child?.end(code, signal);
  }

  /** Reads the greeting line, which names the child and the stream that a connection belongs to. */
  #accept(socket: Socket): void {
    let read = Buffer.alloc(0);
    const timer = setTimeout(() => socket.destroy(), greetingMs).unref();
    const drop = (): void => {
      clearTimeout(timer);
      socket.destroy();
    };
    socket.unref().once("error", drop);
    const onReadable = (): void => {
      const chunk = socket.read() as Buffer | null;
      if (chunk === null) return;
      read = Buffer.concat([read, chunk]);
      const newline = read.indexOf(10);
      if (newline < 0 && read.length <= greetingBytes) return;
      socket.off("readable", onReadable);
      const [number = "", name = "", secret = ""] = read
        .toString("latin1", 0, Math.max(0, newline))
        .split(" ");
      const id = Number(number);
      const expected = this.#expected.get(id);
      const stream = streamNames.find((one) => one === name);
      if (!expected || !stream || expected.secret !== secret || expected.streams.has(stream)) return drop();
      clearTimeout(timer);
      socket.off("error", drop);
      if (read.length > newline + 1) socket.unshift(read.subarray(newline + 1));
      expected.streams.set(stream, socket);
      this.#connect(id, expected);
    };
    socket.on("readable", onReadable);
  }

  #connect(id: number, { streams, pid, done }: Expected): void {
    const [stdin, stdout, stderr] = streamNames.map((name) => streams.get(name));
    if (pid === undefined || !stdin || !stdout || !stderr) return;
    const child = new ForkedChild(pid, { stdin, stdout, stderr }, () => this.#send({ kind: "kill", id }));
    this.#children.set(id, child);
    done(child);
  }

  /** Its children die with it. */
  #closeAll(): void {
    if (!this.#open) return;
    this.#open = false;
    for (const { done } of this.#expected.values()) done(new Error("the fork server has ended"));
    for (const id of this.#children.keys()) this.#end(id, null, "SIGKILL");
    this.#process.kill("SIGKILL");
    this.#server.close();
    openFolders.delete(this.#folder);
    removeFolder(this.#folder);
  }
}

function spawnForkServer(path: string): ChildProcess {
  // No inspector by signal, and no environment that could bring options.
  const flags = ["--disable-sigusr1", "--disable-proto=delete", "--no-warnings"];
  const [, , , ...others] = closedStdio();
  const child = spawn(process.execPath, [...flags, forkServerProgram(), path], {
    cwd: "/",
    env: {},
    stdio: ["ignore", "ignore", "ignore", ...others, "ipc"],
    windowsHide: true,
  });
  // The pool's timer keeps this process alive while calls are in flight; the fork server must not.
  child.unref();
  child.channel?.unref();
  return child;
}

/** A child of the fork server, with the same interface as one from `spawn`. */
class ForkedChild extends EventEmitter<ChildEvents> implements Child {
  readonly pid: number;
  readonly stdin: Socket;
  readonly stdout: Socket;
  readonly stderr: Socket;
  readonly #kill: () => void;
  #ended = false;

  constructor(
    pid: number,
    streams: { readonly stdin: Socket; readonly stdout: Socket; readonly stderr: Socket },
    kill: () => void,
  ) {
    super();
    this.pid = pid;
    this.stdin = streams.stdin;
    this.stdout = streams.stdout;
    this.stderr = streams.stderr;
    this.#kill = kill;
  }

  /**
   * Reports the exit. Deferred: `spawned` and `exit` may arrive in the same tick, before listeners are attached.
   */
  end(code: number | null, signal: NodeJS.Signals | null): void {
    this.#ended = true;
    setImmediate(() => this.emit("exit", code, signal));
  }

  /** Kills it directly and through the fork server, which alone knows that the pid has not been reused. */
  kill(): boolean {
    if (this.#ended) return false;
    this.#kill();
    killGroup(this.pid);
    return true;
  }
}
