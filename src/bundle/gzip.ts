import { createInflateRaw, crc32 } from "node:zlib";
import { gzipSync } from "fflate";
import { packedLimits } from "./limits.ts";
import { invalid } from "./names.ts";

/** The one header that a bundle has: deflate, no name, no time, best compression, system unknown (RFC 1952). */
const header = Buffer.from([0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0, 0x02, 0xff]);
const trailerBytes = 8;

/**
 * Compresses. The same bytes give the same result on every machine: that is why the compressor is written in
 * JavaScript, where the one of Node.js differs between processors.
 */
export function compress(bytes: Uint8Array): Buffer {
  const packed = Buffer.from(gzipSync(bytes, { level: 9, mtime: 0 }));
  header.copy(packed);
  return packed;
}

/**
 * Decompresses one member of gzip with our header and nothing behind it, within limits that are held while bytes come
 * out.
 *
 * @throws {HookwardenError} `bundle-invalid`
 */
export async function decompress(packed: Uint8Array): Promise<Buffer> {
  if (packed.byteLength > packedLimits.packedBytes)
    invalid(`the bundle is larger than ${packedLimits.packedBytes} bytes`);
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  if (bytes.length < header.length + trailerBytes || !bytes.subarray(0, header.length).equals(header)) {
    invalid("the bundle does not begin with the header that every bundle has");
  }
  const { content, consumed } = await inflate(bytes.subarray(header.length));
  const trailer = bytes.subarray(header.length + consumed);
  if (trailer.length > trailerBytes) invalid("there are bytes behind the end of the bundle");
  if (trailer.length < trailerBytes) invalid("the bundle is cut off");
  if (trailer.readUInt32LE(0) !== crc32(content) || trailer.readUInt32LE(4) !== content.length) {
    invalid("the checksum of the bundle is wrong");
  }
  return content;
}

async function inflate(bytes: Buffer): Promise<{ readonly content: Buffer; readonly consumed: number }> {
  const stream = createInflateRaw({ chunkSize: 65_536 });
  stream.end(bytes);
  const parts: Buffer[] = [];
  let length = 0;
  const { unpackedBytes, ratio, ratioFromBytes } = packedLimits;
  try {
    for await (const part of stream as AsyncIterable<Buffer>) {
      length += part.length;
      if (length > unpackedBytes) invalid(`the bundle unpacks to more than ${unpackedBytes} bytes`);
      if (length > ratioFromBytes && length > ratio * bytes.length) {
        invalid(`the bundle unpacks to more than ${ratio} times its size`);
      }
      parts.push(part);
    }
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (typeof code === "string" && code.startsWith("Z_")) {
      invalid(
        code === "Z_BUF_ERROR"
          ? "the bundle is cut off"
          : "the bundle cannot be unpacked: its data is damaged",
      );
    }
    throw error;
  }
  return { content: Buffer.concat(parts, length), consumed: stream.bytesWritten };
}
