import { closeSync, fsyncSync, openSync, rmSync, writeSync } from "node:fs";
import { makeKey } from "./credentials.ts";
import type { KeyStore } from "./storage.ts";

/** The id of the first key: of several nodes that start at once, one can add it. */
const firstId = "operator0001";

/** Which key to write, and where. */
export interface NewOperatorKey {
  /** Of the new file. */
  readonly path: string;
  /** This node, for the name of the key. */
  readonly node: string;
}

/**
 * Creates a key for an operator, and writes it to a file that only its owner can read.
 *
 * @throws if the file exists already or cannot be created; no key is stored then.
 */
export async function writeOperatorKey(
  keys: KeyStore,
  { path, node }: NewOperatorKey,
  id?: string,
): Promise<void> {
  const name = `operator's key, written on node ${node}`;
  const { key, record } = makeKey({ tenant: null, name, scopes: [], expires: null, ...(id ? { id } : {}) });
  const file = openSync(path, "wx", 0o600);
  try {
    writeSync(file, `${key}\n`);
    fsyncSync(file);
    await keys.add(record);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

/**
 * Writes the first key of an installation. Of the nodes of a fleet that start together, exactly one does.
 *
 * @returns the name of the key that exists already; `null` if this node wrote one.
 * @throws as `writeOperatorKey`
 */
export async function writeFirstOperatorKey(keys: KeyStore, made: NewOperatorKey): Promise<string | null> {
  const usable = await operatorKey(keys);
  if (usable !== null) return usable;
  // All operators' keys were revoked or have expired: the first id is taken for good.
  const isFirst = (await keys.find(firstId)) === null;
  try {
    await writeOperatorKey(keys, made, isFirst ? firstId : undefined);
    return null;
  } catch (error) {
    const other = await operatorKey(keys);
    if (other === null) throw error;
    return other;
  }
}

/** The name of an operator's key that can be used; `null` if there is none. */
async function operatorKey(keys: KeyStore): Promise<string | null> {
  const now = new Date().toISOString();
  const usable = (await keys.list(null)).find(
    ({ revoked, expires }) => revoked === null && (expires === null || expires > now),
  );
  return usable?.name ?? null;
}
