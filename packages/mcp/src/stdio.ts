import type { Readable, Writable } from "node:stream";
import { isUtf8 } from "node:buffer";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { LineReader } from "./lines.ts";
import {
  idOfRefused,
  losesNumbers,
  messageLimits,
  messageText,
  originalText,
  readMessages,
  refusalText,
} from "./message.ts";
import type { ProxyTransport, RefusedText } from "./transport.ts";

/**
 * A transport over two streams: a message a line. The SDK's own one reads with `JSON.parse`, for which the last of two
 * equal keys counts, and writes every message anew; here a line is read strictly, and goes on as it came.
 */
export class StreamTransport implements ProxyTransport {
  onclose?: Transport["onclose"];
  onerror?: Transport["onerror"];
  onmessage?: Transport["onmessage"];
  onrefused?: ProxyTransport["onrefused"];
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #reader: LineReader;
  readonly #ondata: (chunk: Buffer) => void;
  #closed = false;
  #ended = false;

  /** @param maxMessageBytes longest line that is read, in bytes. */
  constructor(input: Readable, output: Writable, maxMessageBytes: number) {
    this.#input = input;
    this.#output = output;
    const limits = messageLimits(maxMessageBytes);
    this.#reader = new LineReader(
      maxMessageBytes,
      (line) => this.#line(line, limits),
      () => this.#refuse(null, false, `a message is larger than ${maxMessageBytes} bytes`, true),
    );
    this.#ondata = (chunk) => this.#reader.push(chunk);
  }

  async start(): Promise<void> {
    this.#input.on("data", this.#ondata);
    // The end of what comes in is not the end of what goes out: answers may be under way.
    this.#input.once("end", () => this.#end());
    this.#input.once("close", () => this.#end());
    this.#input.on("error", (error) => this.onerror?.(error));
    this.#output.on("error", (error) => {
      this.onerror?.(error);
      void this.close();
    });
  }

  /** Resolves when there is room for the next message. */
  send(message: JSONRPCMessage): Promise<void> {
    if (this.#closed || !this.#output.writable) return Promise.reject(new Error("the connection is closed"));
    if (this.#output.write(`${messageText(message)}\n`)) return Promise.resolve();
    return new Promise((done) => {
      const settle = (): void => {
        this.#output.off("drain", settle).off("close", settle);
        done();
      };
      this.#output.on("drain", settle).on("close", settle);
    });
  }

  pause(): void {
    this.#input.pause();
  }

  resume(): void {
    this.#input.resume();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#input.off("data", this.#ondata);
    this.#input.pause();
    this.#end();
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.onclose?.();
  }

  #line(line: Buffer, limits: ReturnType<typeof messageLimits>): void {
    if (!isUtf8(line)) {
      this.#refuse(null, false, "a message is not valid UTF-8", true);
      return;
    }
    const text = line.toString("utf8");
    let messages: readonly unknown[];
    try {
      messages = readMessages(text, limits);
    } catch (error) {
      const { id, answer } = idOfRefused(text);
      this.#refuse(id, answer, refusalText(error), false);
      return;
    }
    // What has no text of its own (a member of a batch, or a text with half a character) is written anew, and must not
    // change by that.
    if (originalText(messages[0] as object) === undefined && losesNumbers(text)) {
      const { id, answer } = idOfRefused(text);
      this.#refuse(id, answer, "a number in the message cannot be passed on exactly", id === null);
      return;
    }
    for (const message of messages) this.onmessage?.(message as JSONRPCMessage);
  }

  #refuse(id: RefusedText["id"], answer: boolean, why: string, lost: boolean): void {
    this.onrefused?.({ id, answer, why, lost });
  }
}
