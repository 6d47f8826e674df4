import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { HttpLimits } from "../limits.ts";
import { answerBroken, answerLate } from "./broken-request.ts";
import { countAnswer, countRequest } from "./connections.ts";
import { type PlainHead, readPlainHead } from "./plain-request.ts";
import type { Reply } from "./reply.ts";

export interface PlainRequest {
  readonly headers: PlainHead["headers"];
  readonly body: Uint8Array;
  readonly socket: Socket;
}

/** A route that answers plain requests. */
export interface PlainRoute {
  /** The first line of its requests. */
  readonly line: string;
  /** Longest body. */
  readonly bodyBytes: number;
  /** Never rejects. */
  readonly answer: (request: PlainRequest) => Promise<TextReply>;
}

export type TextReply = Reply & { readonly body: string };

const emptyLine = "\r\n\r\n";
/** A body that comes in more pieces is put together now and then. */
const piecesMost = 16;

/**
 * A connection as long as all that comes on it are plain requests for one route, one after another: those are answered
 * here, at a third of what Node.js's own HTTP costs. With anything else the connection becomes Node.js's, for good, and
 * nothing of what has come is lost: what is wrong with the form of a request is never said here.
 */
export class PlainConnection {
  readonly #socket: Socket;
  readonly #route: PlainRoute;
  readonly #limits: HttpLimits;
  readonly #toNode: () => void;
  /** Of the last request: those that follow have mostly the same. */
  #head: PlainHead | null = null;
  /** What has come of a request whose body has not all come. */
  #begun: Buffer[] = [];
  #missing = 0;
  #late: NodeJS.Timeout | undefined;
  #isAnswering = false;
  /** What has come before the answer to what came before it. */
  #early: Buffer[] = [];
  #timeoutMs = 0;

  /** @param toNode makes the connection Node.js's. */
  constructor(socket: Socket, route: PlainRoute, limits: HttpLimits, toNode: () => void) {
    this.#socket = socket;
    this.#route = route;
    this.#limits = limits;
    this.#toNode = toNode;
    this.#rest(limits.headersMs);
    socket.on("data", this.#onData).on("end", this.#onEnd).on("timeout", this.#onTimeout);
    socket.on("error", this.#onError).on("close", this.#onClose);
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#isAnswering) {
      if (this.#early.push(chunk) === 1) this.#socket.pause();
    } else if (this.#begun.length > 0) this.#goOn(chunk);
    else this.#begin(chunk);
  };

  /** Whoever says that nothing more comes has gone, as it is for Node.js. */
  readonly #onEnd = (): void => {
    if (this.#begun.length > 0) answerBroken(new Error("the request ends too early"), this.#socket);
    else this.#socket.destroySoon();
  };

  readonly #onTimeout = (): void => {
    if (this.#isAnswering || this.#begun.length > 0) return;
    // Nothing has come at all, or nothing has moved after an answer.
    if (this.#head === null) this.#onLate();
    else this.#socket.destroy();
  };

  readonly #onLate = (): void => {
    this.#hearNoMore();
    answerLate(this.#socket);
  };

  readonly #onDrain = (): void => void this.#socket.resume();

  readonly #onError = (): void => {
    // The connection is closed with it.
  };

  readonly #onClose = (): void => clearTimeout(this.#late);

  #begin(chunk: Buffer): void {
    const head = this.#sameHead(chunk) ?? this.#newHead(chunk);
    if (!head) return this.#handOver([chunk]);
    this.#head = head;
    const end = head.text.length;
    const missing = head.bodyBytes - (chunk.length - end);
    if (missing === 0) return this.#ask(head.headers, chunk.subarray(end));
    if (missing < 0) return this.#handOver([chunk]);
    this.#begun = [chunk];
    this.#missing = missing;
    this.#late = setTimeout(this.#onLate, this.#limits.requestMs);
  }

  /** The head of the last request, where this one begins with the same. */
  #sameHead(chunk: Buffer): PlainHead | null {
    const last = this.#head;
    return last && chunk.toString("latin1", 0, last.text.length) === last.text ? last : null;
  }

  #newHead(chunk: Buffer): PlainHead | null {
    const end = chunk.indexOf(emptyLine, 0, "latin1") + emptyLine.length;
    if (end < emptyLine.length || end > this.#limits.headerBytes) return null;
    const head = readPlainHead(chunk.toString("latin1", 0, end), this.#route.line);
    return head && head.bodyBytes <= this.#route.bodyBytes ? head : null;
  }

  #goOn(chunk: Buffer): void {
    // Whoever sends one byte at a time must not cost a hundred for each.
    if (this.#begun.length >= piecesMost) this.#begun = [Buffer.concat(this.#begun)];
    this.#begun.push(chunk);
    this.#missing -= chunk.length;
    if (this.#missing > 0) return;
    const bytes = this.#begun;
    this.#begun = [];
    clearTimeout(this.#late);
    if (this.#missing < 0) return this.#handOver(bytes);
    const { headers, text } = this.#head as PlainHead;
    this.#ask(headers, Buffer.concat(bytes).subarray(text.length));
  }

  #ask(headers: PlainHead["headers"], body: Buffer): void {
    this.#isAnswering = true;
    countRequest(this.#socket);
    void this.#route.answer({ headers, body, socket: this.#socket }).then((reply) => {
      this.#isAnswering = false;
      countAnswer(this.#socket);
      this.#send(reply);
    });
  }

  #send(reply: TextReply): void {
    const { body, done } = reply;
    const socket = this.#socket;
    if (!socket.writable) return void done?.();
    const { keepAliveMs, stalledMs } = this.#limits;
    const isLast = reply.headers["connection"] === "close";
    const text = wireText(reply, isLast ? null : keepAliveMs);
    const bytes = Buffer.byteLength(body);
    const whole = `${text}content-length: ${bytes}\r\n\r\n${body}`;
    const encoding = bytes === body.length ? "latin1" : "utf8";
    const hasRoom = done ? socket.write(whole, encoding, done) : socket.write(whole, encoding);
    if (isLast) {
      this.#hearNoMore();
      return socket.destroySoon();
    }
    this.#rest(hasRoom ? keepAliveMs : stalledMs);
    if (this.#early.length > 0) return this.#handOver(this.#early);
    // Whoever does not read answers is asked for no more of what they are made of.
    if (!hasRoom) socket.pause().once("drain", this.#onDrain);
  }

  /** What still comes on a connection that ends is no request. */
  #hearNoMore(): void {
    this.#begun = [];
    this.#socket.off("data", this.#onData).resume();
  }

  /** How long nothing may move from now on, in milliseconds. */
  #rest(ms: number): void {
    if (ms === this.#timeoutMs) return;
    this.#timeoutMs = ms;
    this.#socket.setTimeout(ms);
  }

  #handOver(bytes: readonly Buffer[]): void {
    const socket = this.#socket;
    if (socket.destroyed) return;
    socket.off("data", this.#onData).off("end", this.#onEnd).off("timeout", this.#onTimeout);
    socket.off("error", this.#onError).off("close", this.#onClose).off("drain", this.#onDrain);
    socket.setTimeout(0);
    this.#early = [];
    socket.unshift(Buffer.concat(bytes));
    this.#toNode();
    socket.resume();
  }
}

/** Status line and headers, but for the length; the last empty line is missing too. */
function wireText({ status, headers }: Reply, keepAliveMs: number | null): string {
  let text = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Unknown"}\r\n`;
  for (const name of Object.keys(headers)) {
    if (name !== "connection") text += `${name}: ${headers[name]}\r\n`;
  }
  const connection =
    keepAliveMs === null ? "close" : `keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveMs / 1_000)}`;
  return `${text}x-content-type-options: nosniff\r\nDate: ${httpDate()}\r\nConnection: ${connection}\r\n`;
}

let date = "";
let dateUntil = 0;

/** The time as HTTP tells it, made once for each second. */
function httpDate(): string {
  const now = Date.now();
  if (now >= dateUntil || now < dateUntil - 1_000) {
    date = new Date(now).toUTCString();
    dateUntil = now - (now % 1_000) + 1_000;
  }
  return date;
}
