import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import { JsonError, readJson, readJsonBytes } from "../../../sandbox/json/index.ts";
import { messageLimits } from "./message.ts";

/**
 * The SDK's client reads what a server sends over HTTP with `JSON.parse`, and without a bound. So it is given a `fetch`
 * that reads strictly before it, and hands it what was read, written anew: both see the same.
 */
export function strictFetch(maxBytes: number, base: FetchLike = fetch): FetchLike {
  return async (url, init) => {
    const response = await base(url, init);
    if (!response.body) return response;
    const type = response.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
    const headers = new Headers(response.headers);
    // They describe the body as it was sent.
    headers.delete("content-length");
    headers.delete("content-encoding");
    const { status, statusText } = response;
    if (response.ok && type === "text/event-stream") {
      const body = response.body.pipeThrough(strictEvents(maxBytes));
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
function strictEvents(maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const encoder = new TextEncoder();
  const limits = messageLimits(maxBytes);
  /** Of the line that is not whole yet, and whether it follows a CR, whose LF may still come. */
  let rest = "";
  let size = 0;
  let fields: [string, string][] = [];

  const eventText = (): string => {
    const data = fields.filter(([name]) => name === "data").map(([, value]) => value);
    const others = fields.filter(([name]) => name !== "data").map(([name, value]) => `${name}: ${value}\n`);
    fields = [];
    size = 0;
    if (data.length === 0 && others.length === 0) return "";
    const text = data.join("\n");
    // Events without data only prime a stream.
    const line =
      text === ""
        ? data.length > 0
          ? "data: \n"
          : ""
        : `data: ${JSON.stringify(strictly(() => readJson(text, limits)))}\n`;
    return `${others.join("")}${line}\n`;
  };

  return new TransformStream({
    transform(chunk, controller) {
      const text = rest + decoder.decode(chunk, { stream: true });
      // A CR at the end may be half of a line end.
      const held = text.endsWith("\r") ? "\r" : "";
      const lines = text.slice(0, text.length - held.length).split(/\r\n|\r|\n/);
      rest = (lines.pop() ?? "") + held;
      let out = "";
      for (const line of lines) {
        size += line.length;
        if (size > maxBytes) throw new Error(`the server's message is larger than ${maxBytes} bytes`);
        if (line === "") out += eventText();
        else if (!line.startsWith(":")) fields.push(field(line));
      }
      if (size + rest.length > maxBytes)
        throw new Error(`the server's message is larger than ${maxBytes} bytes`);
      if (out !== "") controller.enqueue(encoder.encode(out));
    },
  });
}

function field(line: string): [string, string] {
  const colon = line.indexOf(":");
  if (colon < 0) return [line, ""];
  const value = line.slice(colon + 1);
  return [line.slice(0, colon), value.startsWith(" ") ? value.slice(1) : value];
}
