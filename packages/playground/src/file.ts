import { readFile } from "node:fs/promises";
import { HookwardenError } from "hookwarden/errors";

/** Here the sources run as they are, and the page lies where it was built; in the package it lies beside the code. */
const file = new URL(
  import.meta.url.endsWith(".ts") ? "../dist/playground.html" : "./playground.html",
  import.meta.url,
);

/**
 * The playground: one page with everything in it.
 *
 * @throws {HookwardenError} `file-unreadable` where it has not been built.
 */
export async function readPlayground(): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const message = "the page `playground.html` is not there: this copy of the package was not built whole";
    throw new HookwardenError("file-unreadable", message, {}, { cause: error });
  }
}

/** The policy that the page says it is under, for a server to say the same. */
export function policyOf(page: string): string {
  return /http-equiv="Content-Security-Policy"\s+content="([^"]*)"/.exec(page)?.[1] ?? "default-src 'none'";
}
