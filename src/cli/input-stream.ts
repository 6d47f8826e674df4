import { openFile } from "./json-file.ts";

/**
 * The bytes of a file, or of standard input where the path is `-`.
 *
 * @throws {HookwardenError} `file-unreadable`
 */
export async function* readBytesOf(path: string): AsyncGenerator<Uint8Array> {
  if (path === "-") {
    yield* process.stdin as AsyncIterable<Uint8Array>;
    return;
  }
  const file = await openFile(path);
  yield* file.createReadStream({ highWaterMark: 1_048_576 }) as AsyncIterable<Uint8Array>;
}
