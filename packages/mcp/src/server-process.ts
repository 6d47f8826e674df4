import { type ChildProcess, spawn } from "node:child_process";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { quote } from "@hookwarden/sandbox/json";
import { HookwardenError } from "hookwarden/errors";
import { StreamTransport } from "./stdio.ts";
import type { ProxyTransport, RefusedText } from "./transport.ts";

export interface ServerCommand {
  readonly command: string;
  readonly args?: readonly string[];
  /** Default: this process's own environment. The server is the user's own command, and gets what it would get bare. */
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
}

/** How a server process ended. */
export interface ServerExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** How long a server has to end when its input is closed, and again when it is asked to, in milliseconds. */
const shutdownTimeoutMs = 2_000;
const groups = process.platform !== "win32";

/** A server as a child process with messages on its standard streams; its standard error is this process's own. */
export class ServerProcess implements ProxyTransport {
  onclose?: Transport["onclose"];
  onerror?: Transport["onerror"];
  onmessage?: Transport["onmessage"];
  onrefused?: ProxyTransport["onrefused"];
  readonly #server: ServerCommand;
  readonly #maxMessageBytes: number;
  readonly #exited = Promise.withResolvers<ServerExit>();
  readonly #killAtExit = (): void => this.kill("SIGKILL");
  #child: ChildProcess | null = null;
  #stream: StreamTransport | null = null;
  #exit: ServerExit | null = null;
  #closing: Promise<void> | null = null;
  #signalled = false;

  constructor(server: ServerCommand, maxMessageBytes: number) {
    this.#server = server;
    this.#maxMessageBytes = maxMessageBytes;
  }

  /** How it ended; never settles for one that was not started. */
  get exited(): Promise<ServerExit> {
    return this.#exited.promise;
  }

  get endedAs(): string | undefined {
    if (!this.#exit) return undefined;
    const { code, signal } = this.#exit;
    return signal ? `the server was ended by ${signal}` : `the server has ended with exit status ${code}`;
  }

  /** @throws {HookwardenError} `server-failed` where the command cannot be started */
  async start(): Promise<void> {
    const { command, args = [], env = process.env, cwd } = this.#server;
    // A group of its own, so that what the command starts in turn (`npx` does) ends with it.
    const child = spawn(command, args, { env, cwd, stdio: ["pipe", "pipe", "inherit"], detached: groups });
    this.#child = child;
    await new Promise<void>((done, fail) => {
      child.once("spawn", done);
      child.once("error", (error: NodeJS.ErrnoException) => {
        const why = error.code === "ENOENT" ? "it is not there" : (error.code ?? error.message);
        fail(
          new HookwardenError("server-failed", `the server ${quote(command)} cannot be started: ${why}`, {}),
        );
      });
    });
    process.once("exit", this.#killAtExit);
    child.once("exit", (code, signal) => {
      this.#exit = { code, signal };
      // Whatever it has left behind in its group, which might hold its output open for ever.
      this.kill("SIGKILL");
    });
    child.once("close", (code, signal) => this.#ended({ code, signal }));
    child.stdin?.on("error", (error) => this.onerror?.(error));
    const stream = new StreamTransport(child.stdout!, child.stdin!, this.#maxMessageBytes);
    stream.onmessage = (message) => this.onmessage?.(message);
    stream.onrefused = (refused: RefusedText) => this.onrefused?.(refused);
    stream.onerror = (error) => this.onerror?.(error);
    this.#stream = stream;
    await stream.start();
  }

  send(message: JSONRPCMessage): Promise<void> {
    return this.#stream?.send(message) ?? Promise.reject(new Error("the server has not been started"));
  }

  pause(): void {
    this.#stream?.pause();
  }

  resume(): void {
    this.#stream?.resume();
  }

  /** Sends a signal to the server and to what it has started. */
  kill(signal: NodeJS.Signals): void {
    const pid = this.#child?.pid;
    if (pid === undefined) return;
    this.#signalled = true;
    try {
      if (groups) process.kill(-pid, signal);
      else this.#child?.kill(signal);
    } catch {
      // Nothing of it is left.
    }
  }

  /** Closes the server's input, and where that does not end it, ends it: nothing of it is left running. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const child = this.#child;
    if (!child || child.pid === undefined) return;
    // One that has been sent a signal ends in its own way, and not because its input ends in the same moment.
    if (this.#signalled && (await settlesIn(this.exited, shutdownTimeoutMs))) return;
    child.stdin?.end();
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      if (await settlesIn(this.exited, shutdownTimeoutMs)) return;
      this.kill(signal);
    }
    await settlesIn(this.exited, shutdownTimeoutMs);
  }

  #ended(exit: ServerExit): void {
    this.#exit = exit;
    process.off("exit", this.#killAtExit);
    this.#child = null;
    this.#exited.resolve(exit);
    this.onclose?.();
  }
}

async function settlesIn(promise: Promise<unknown>, milliseconds: number): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), milliseconds);
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
