import { HookwardenError } from "../errors/index.ts";

/** Names the file in errors of a reader that was given its bytes only. */
export async function inFile<T>(file: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (
      !(error instanceof HookwardenError) ||
      error.place.line === undefined ||
      error.place.file !== undefined
    )
      throw error;
    throw new HookwardenError(
      error.code,
      error.message,
      { file, ...error.place },
      { cause: error, fix: error.fix },
    );
  }
}
