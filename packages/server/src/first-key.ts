import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { makeKey } from "./credentials.ts";
import type { KeyStore } from "./storage.ts";

/**
 * Makes a key for an operator, and writes it to a file that only its owner can read.
 *
 * @throws where the file is there already, or cannot be made; no key is stored then.
 */
export async function writeOperatorKey(keys: KeyStore, path: string): Promise<void> {
  const { key, record } = makeKey({ tenant: null, name: "operator", scopes: [], expires: null });
  const file = openSync(path, "wx", 0o600);
  try {
    writeSync(file, `${key}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  await keys.add(record);
}

/** Whether any key of an operator can still be used. */
export async function hasOperatorKey(keys: KeyStore): Promise<boolean> {
  const now = new Date().toISOString();
  return (await keys.list(null)).some(
    ({ revoked, expires }) => revoked === null && (expires === null || expires > now),
  );
}
