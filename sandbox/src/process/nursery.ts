import { type ChildProcess, spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { closedStdio } from "./descriptors.ts";
import type { Child, ChildEvents, Launch } from "./launch.ts";
import { type NurseryNews, type NurseryOrder, type StreamName, streamNames } from "./nursery-messages.ts";

/** How long a child may take to be there, in milliseconds; its program has yet to start then. */
const birthMs = 10_000;
/** How long a connection may take to say whose it is, in milliseconds, and in how many bytes. */
const greetingMs = 10_000;
const greetingBytes = 128;

interface Expected {
  readonly secret: string;
  readonly streams: Map<StreamName, Socket>;
  pid: number | undefined;
  readonly done: (child: Child | Error) => void;
}

/** What a process that ends without closing its sandboxes would leave behind. */
const foldersLeft = new Set<string>();
let tidies = false;

function tidyAtExit(): void {
  if (tidies) return;
  tidies = true;
  process.once("exit", () => foldersLeft.forEach(removeFolder));
}

function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

/**
 * A process that starts the children of this one. To start a process stops whoever does it until the new one runs: 10 ms
 * where much memory is in use, and hundreds on a busy machine. Whoever kills child after child would stop all others.
 */
export class Nursery {
  readonly #process: ChildProcess;
  readonly #server: Server;
  readonly #folder: string;
  readonly #expected = new Map<number, Expected>();
  readonly #children = new Map<number, NurseryChild>();
  #lastId = 0;
  #open = true;

  private constructor(child: ChildProcess, server: Server, folder: string) {
    this.#process = child;
    this.#server = server;
    this.#folder = folder;
    server.on("connection", (socket) => this.#greet(socket));
    child.on("message", (news: NurseryNews) => this.#hear(news));
    for (const event of ["exit", "disconnect", "error"] as const) child.on(event, () => this.#lost());
    // Such as too many open files.
    server.on("error", () => this.#lost());
    foldersLeft.add(folder);
    tidyAtExit();
  }

  /** Starts a nursery. Rejects where there can be none: without sockets that are files, or without a folder for one. */
  static async open(): Promise<Nursery> {
    if (process.platform === "win32") throw new Error("there are no sockets to hand over");
    // Only this user can get to what lies in it.
    const folder = mkdtempSync(join(tmpdir(), "hookwarden-"));
    const server = createServer();
    let child: ChildProcess | undefined;
    try {
      const path = join(folder, "n");
      server.listen(path).unref();
      await once(server, "listening");
      child = spawnNursery(path);
      const [first] = (await Promise.race([
        once(child, "message"),
        once(child, "exit").then(() => Promise.reject(new Error("the nursery has ended"))),
      ])) as [NurseryNews];
      if (first.kind !== "open") throw new Error("the nursery does not speak as it should");
      return new Nursery(child, server, folder);
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

  /** Has a child started. Rejects where that fails; what becomes of it afterwards the child tells. */
  bear({ command, args, env, filter }: Launch): Promise<Child> {
    return new Promise((resolve, reject) => {
      if (!this.#open) return reject(new Error("the nursery has been closed"));
      const id = ++this.#lastId;
      const secret = crypto.randomUUID();
      const late = setTimeout(() => {
        this.#expected.get(id)?.done(new Error("it takes too long"));
        this.#order({ kind: "kill", id });
      }, birthMs).unref();
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
      this.#order({ kind: "bear", id, secret, command, args, env, filter: inBase64 });
    });
  }

  /** Ends it, and whatever children it has left. Settles when the operating system has let go of it. */
  async close(): Promise<void> {
    const { exitCode, signalCode } = this.#process;
    const isAlive = exitCode === null && signalCode === null;
    const ended = isAlive && new Promise((end) => this.#process.once("exit", end));
    this.#lost();
    await ended;
  }

  #order(order: NurseryOrder): void {
    if (this.#process.connected) this.#process.send(order, (error) => error && this.#lost());
  }

  #hear(news: NurseryNews): void {
    if (news.kind === "born") {
      const expected = this.#expected.get(news.id);
      if (!expected) return;
      expected.pid = news.pid;
      this.#deliver(news.id, expected);
    } else if (news.kind === "failed") this.#expected.get(news.id)?.done(new Error(news.why));
    else if (news.kind === "ended") {
      this.#expected.get(news.id)?.done(new Error("it ended at once"));
      this.#end(news.id, news.code, news.signal);
    }
  }

  #end(id: number, code: number | null, signal: NodeJS.Signals | null): void {
    const child = this.#children.get(id);
    this.#children.delete(id);
    child?.end(code, signal);
  }

  /** Reads the line by which a connection says whose it is. */
  #greet(socket: Socket): void {
    let read = Buffer.alloc(0);
    const timer = setTimeout(() => socket.destroy(), greetingMs).unref();
    const drop = (): void => {
      clearTimeout(timer);
      socket.destroy();
    };
    socket.unref().once("error", drop);
    const hear = (): void => {
      const chunk = socket.read() as Buffer | null;
      if (chunk === null) return;
      read = Buffer.concat([read, chunk]);
      const newline = read.indexOf(10);
      if (newline < 0 && read.length <= greetingBytes) return;
      socket.off("readable", hear);
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
      this.#deliver(id, expected);
    };
    socket.on("readable", hear);
  }

  #deliver(id: number, { streams, pid, done }: Expected): void {
    const [stdin, stdout, stderr] = streamNames.map((name) => streams.get(name));
    if (pid === undefined || !stdin || !stdout || !stderr) return;
    const child = new NurseryChild(pid, stdin, stdout, stderr, () => this.#order({ kind: "kill", id }));
    this.#children.set(id, child);
    done(child);
  }

  /** Its children have died with it, or will. */
  #lost(): void {
    if (!this.#open) return;
    this.#open = false;
    for (const { done } of this.#expected.values()) done(new Error("the nursery has ended"));
    for (const id of this.#children.keys()) this.#end(id, null, "SIGKILL");
    this.#process.kill("SIGKILL");
    this.#server.close();
    foldersLeft.delete(this.#folder);
    removeFolder(this.#folder);
  }
}

function spawnNursery(path: string): ChildProcess {
  const script = import.meta.url.endsWith(".ts") ? "./nursery-main.ts" : "./sandbox-nursery.js";
  const program = fileURLToPath(new URL(script, import.meta.url));
  // No inspector by signal, and no environment that could bring options.
  const flags = ["--disable-sigusr1", "--disable-proto=delete", "--no-warnings"];
  const [, , , ...others] = closedStdio();
  const child = spawn(process.execPath, [...flags, program, path], {
    cwd: "/",
    env: {},
    stdio: ["ignore", "ignore", "ignore", ...others, "ipc"],
    windowsHide: true,
  });
  // What keeps this process alive is the pool's timer, which runs while calls are in flight.
  child.unref();
  child.channel?.unref();
  return child;
}

/** A child of the nursery, as `spawn` would give one of one's own. */
class NurseryChild extends EventEmitter<ChildEvents> implements Child {
  readonly pid: number;
  readonly stdin: Socket;
  readonly stdout: Socket;
  readonly stderr: Socket;
  readonly #kill: () => void;
  #ended = false;

  constructor(pid: number, stdin: Socket, stdout: Socket, stderr: Socket, kill: () => void) {
    super();
    this.pid = pid;
    this.stdin = stdin;
    this.stdout = stdout;
    this.stderr = stderr;
    this.#kill = kill;
  }

  /**
   * It has ended. Told later: the news of its birth and of its end may have come together, and nobody could listen yet.
   */
  end(code: number | null, signal: NodeJS.Signals | null): void {
    this.#ended = true;
    setImmediate(() => this.emit("exit", code, signal));
  }

  /** At once, and by its parent: only that one knows for certain that the number is still the child's. */
  kill(): boolean {
    if (this.#ended) return false;
    this.#kill();
    try {
      process.kill(this.pid, "SIGKILL");
    } catch {
      // It has ended, and the news is on its way.
    }
    return true;
  }
}
