import { randomBytes, timingSafeEqual } from "node:crypto";
import { chmodSync, lstatSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import type { Decider } from "./decider.ts";
import type { DaemonFiles } from "../hook/runtime-folder.ts";
import { countOf, maxEventBytes, type Outcome, send, WireReader } from "../hook/wire.ts";

/** Most clients at a time; one more is sent away, and decides in a process of its own. */
const maxClients = 256;
/** How long a client may take to say who it is and what it wants, in milliseconds. */
const requestTimeoutMs = 5_000;
/** How long after the client's own deadline a decision may still take, in milliseconds. */
const afterDeadlineMs = 2_000;
/** How long clients may hold up the daemon's end, in milliseconds. */
const closeMs = 5_000;
/** How often the daemon checks that its socket is still its own, in milliseconds. */
const pollIntervalMs = 1_000;

export interface ServeOptions {
  readonly files: DaemonFiles;
  readonly identity: string;
  readonly decider: Pick<Decider, "decide">;
  /** After how many seconds without a client it ends. */
  readonly idleSeconds: number;
  /** How long a client waits for its answer, in milliseconds. */
  readonly deadlineMs: number;
}

/**
 * Answers clients until none has come for a while, or its socket is gone. The caller must hold the lock.
 *
 * @param signal aborted when the daemon should end at once.
 */
export async function serve(
  { files, identity, decider, idleSeconds, deadlineMs }: ServeOptions,
  signal: AbortSignal,
): Promise<void> {
  const secrets = [randomBytes(32).toString("hex"), randomBytes(32).toString("hex")] as const;
  // The previous holder of the lock is gone; its files are stale.
  rmSync(files.socket, { force: true });
  rmSync(files.secrets, { force: true });
  writeFileSync(files.secrets, secrets.join("\n"), { mode: 0o600, flag: "wx" });

  const connections = new Connections((socket) =>
    answer(socket, secrets, identity, (event) => {
      // A decision that never settles must not hold the socket, and by it the daemon.
      const timer = setTimeout(() => socket.destroy(), deadlineMs + afterDeadlineMs);
      socket.once("close", () => clearTimeout(timer));
      return decider.decide(event);
    }),
  );
  const server = createServer((socket) => connections.accept(socket));
  await listen(server, files.socket);
  rmSync(files.starting, { force: true });
  const own = lstatSync(files.socket).ino;
  const isOwn = (): boolean => lstatSync(files.socket, { throwIfNoEntry: false })?.ino === own;
  await until(() => connections.isIdleFor(idleSeconds) || !isOwn(), {
    pollMs: Math.min(pollIntervalMs, idleSeconds * 250),
    signal,
  });
  // First the name, so that no new client connects; closing would remove it too, but later.
  if (isOwn()) rmSync(files.socket, { force: true });
  const closed = new Promise((done) => server.close(done));
  const leave = (): void => connections.destroy();
  if (signal.aborted) leave();
  signal.addEventListener("abort", leave);
  const timer = setTimeout(leave, closeMs);
  await closed;
  clearTimeout(timer);
}

/** The clients that are connected now. */
class Connections {
  readonly #sockets = new Set<Socket>();
  readonly #answer: (socket: Socket) => Promise<void>;
  #lastSeen = Date.now();

  constructor(answerOne: (socket: Socket) => Promise<void>) {
    this.#answer = answerOne;
  }

  accept(socket: Socket): void {
    this.#lastSeen = Date.now();
    socket.on("error", () => undefined);
    if (this.#sockets.size >= maxClients) return void socket.destroy();
    this.#sockets.add(socket);
    socket.on("close", () => {
      this.#sockets.delete(socket);
      this.#lastSeen = Date.now();
    });
    // A client sends no end before it has its answer: one that has ended has gone, and its socket is half open.
    socket.on("end", () => socket.destroy());
    this.#answer(socket).catch(() => socket.destroy());
  }

  /** Whether no client has been connected for as long. */
  isIdleFor(seconds: number): boolean {
    return this.#sockets.size === 0 && Date.now() - this.#lastSeen >= seconds * 1_000;
  }

  destroy(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

/** Resolves once a condition holds, or the signal is aborted. */
function until(
  holds: () => boolean,
  { pollMs, signal }: { readonly pollMs: number; readonly signal: AbortSignal },
): Promise<void> {
  return new Promise((done) => {
    const end = (): void => {
      clearInterval(timer);
      done();
    };
    const timer = setInterval(() => {
      if (holds()) end();
    }, pollMs);
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
  });
}

async function answer(
  socket: Socket,
  [theirs, ours]: readonly [string, string],
  identity: string,
  decide: (event: Buffer) => Promise<Outcome>,
): Promise<void> {
  const timer = setTimeout(() => socket.destroy(), requestTimeoutMs);
  const reader = new WireReader(socket);
  const { hello, identity: asked } = await reader.message();
  // A client that knows the secret and looks for another daemon gets no answer, and finds its own.
  if (!same(hello, theirs) || asked !== identity) return void socket.destroy();
  send(socket, { welcome: ours });
  const { bytes } = await reader.message();
  const event = await reader.bytes(countOf(bytes, maxEventBytes));
  clearTimeout(timer);
  const { exit, out, err } = await decide(event);
  const body = Buffer.from(out);
  send(socket, { exit, out: body.length, err: Buffer.byteLength(err) }, body);
  socket.end(err);
}

function same(given: unknown, word: string): boolean {
  return (
    typeof given === "string" &&
    given.length === word.length &&
    /^[0-9a-f]+$/.test(given) &&
    timingSafeEqual(Buffer.from(given), Buffer.from(word))
  );
}

async function listen(server: Server, path: string): Promise<void> {
  await new Promise<void>((done, failed) => {
    server.once("error", failed);
    server.listen(path, done);
  });
  chmodSync(path, 0o600);
}
