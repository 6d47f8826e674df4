import type { IncomingMessage } from "node:http";
import { Problem } from "../problem.ts";

/**
 * Reads the whole body of a request.
 *
 * @param maxBytes of the body.
 * @throws {Problem} `body-too-large`, before more than that has been read
 */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) throw new Problem("body-too-large");
  return new Promise((resolve, reject) => {
    const body = new GrowingBuffer();
    request.on("data", (chunk: Buffer) => {
      if (body.length + chunk.length <= maxBytes) return body.push(chunk);
      request.removeAllListeners("data").pause();
      reject(new Problem("body-too-large"));
    });
    request.once("end", () => resolve(body.bytes));
    request.once("error", reject);
  });
}

/** Bytes that arrive in pieces of any size: a body of single bytes costs no more than twice its length. */
class GrowingBuffer {
  #bytes: Buffer = Buffer.alloc(0);
  length = 0;

  push(chunk: Buffer): void {
    const wanted = this.length + chunk.length;
    if (this.length === 0) this.#bytes = chunk;
    else {
      if (wanted > this.#bytes.length) {
        const grown = Buffer.allocUnsafe(wanted * 2);
        this.#bytes.copy(grown, 0, 0, this.length);
        this.#bytes = grown;
      }
      chunk.copy(this.#bytes, this.length);
    }
    this.length = wanted;
  }

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.length);
  }
}
