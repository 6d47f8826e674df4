import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import { JsonError, readJson, readJsonBytes } from "@hookwarden/sandbox/json";
import { messageLimits } from "./message.ts";

/**
 * The SDK's client reads what a server sends over HTTP with `JSON.parse`, and without a bound. So it is given a `fetch`
 * that reads strictly before it, and hands it what was read, written anew: both see the same.
 *
 * @param onrefused called with the reason when a stream is cut, in the course of the request that it answers: the SDK only drops it.
 */
export function strictFetch(maxBytes: number, onrefused: (why: string) => void): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (!response.body) return response;
    const type = response.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
    const headers = new Headers(response.headers);
    // They describe the body as it was sent.
    headers.delete("content-length");
    headers.delete("content-encoding");
    const { status, statusText } = response;
    if (response.ok && type === "text/event-stream") {
      const body = response.body.pipeThrough(strictEvents(maxBytes, onrefused));
      return new Response(body, { status, statusText, headers });
    }
    const bytes = await readBounded(response.body, maxBytes);
    const strict = response.ok && type === "application/json";
    const body = strict
      ? JSON.stringify(strictly(() => readJsonBytes(bytes, messageLimits(maxBytes))))
      : bytes;
    // Statuses that have no body may not be given an empty one.
    return new Response(bytes.length === 0 ? null : (body as string), { status, statusText, headers });
  };
}

async function readBounded(body: ReadableStream<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of body) {
    length += part.byteLength;
    if (length > maxBytes) throw new Error(`the server's response is larger than ${maxBytes} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function strictly(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    throw error instanceof JsonError ? new Error(`the server's message ${error.message}`) : error;
  }
}

/** Server-sent events in, the same out, with the data of each read as strict JSON and written anew. */
function strictEvents(
  maxBytes: number,
  onrefused: (why: string) => void,
): TransformStream<Uint8Array, Uint8Array> {
  const reader = new EventReader(maxBytes);
  const encoder = new TextEncoder();
  return new TransformStream({
    transform(chunk, controller) {
      try {
        const text = reader.push(chunk);
        if (text !== "") controller.enqueue(encoder.encode(text));
      } catch (error) {
        onrefused(error instanceof Error ? error.message : String(error));
        throw error;
      }
    },
  });
}

class EventReader {
  readonly #maxBytes: number;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });
  /** Of a line that is not whole yet. */
  #rest = "";
  /** The last line has ended in a CR, so that an LF would belong to it. */
  #afterCr = false;
  #size = 0;
  #fields: [string, string][] = [];

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** @returns the events that are whole now, written anew. @throws for what is no strict JSON, or too large. */
  push(chunk: Uint8Array): string {
    let text = this.#decoder.decode(chunk, { stream: true });
    if (text === "") return "";
    if (this.#afterCr && text.startsWith("\n")) text = text.slice(1);
    this.#afterCr = text.endsWith("\r");
    const lines = (this.#rest + text).split(/\r\n|\r|\n/);
    this.#rest = lines.pop() ?? "";
    let out = "";
    for (const line of lines) {
      this.#grow(line.length);
      if (line === "") out += this.#event();
      else if (!line.startsWith(":")) this.#fields.push(field(line));
    }
    if (this.#size + this.#rest.length > this.#maxBytes) this.#grow(this.#rest.length);
    return out;
  }

  #grow(length: number): void {
    this.#size += length;
    if (this.#size > this.#maxBytes) {
      throw new Error(`the server's message is larger than ${this.#maxBytes} bytes`);
    }
  }

  #event(): string {
    const data = this.#fields.filter(([name]) => name === "data").map(([, value]) => value);
    const others = this.#fields
      .filter(([name]) => name !== "data")
      .map(([name, value]) => `${name}: ${value}\n`);
    this.#fields = [];
    this.#size = 0;
    if (data.length + others.length === 0) return "";
    const text = data.join("\n");
    // Events without data only prime a stream.
    if (text === "") return `${others.join("")}${data.length > 0 ? "data: \n" : ""}\n`;
    const value = strictly(() => readJson(text, messageLimits(this.#maxBytes)));
    return `${others.join("")}data: ${JSON.stringify(value)}\n\n`;
  }
}

function field(line: string): [string, string] {
  const colon = line.indexOf(":");
  if (colon < 0) return [line, ""];
  const value = line.slice(colon + 1);
  return [line.slice(0, colon), value.startsWith(" ") ? value.slice(1) : value];
}
