import { lstatSync, mkdirSync, type Stats } from "node:fs";

/** Longest path of a socket that every system takes, in bytes. */
const longestSocket = 103;

/** The files of one daemon. */
export interface DaemonFiles {
  readonly folder: string;
  readonly socket: string;
  /** Held by the one daemon for as long as it lives. */
  readonly lock: string;
  /** The two secrets by which client and daemon authenticate each other. */
  readonly secrets: string;
  /** Stands while somebody is starting the daemon. */
  readonly starting: string;
}

/** Why there can be no daemon here; the message is a sentence. */
export class FolderError extends Error {}

/**
 * The folder for the sockets of one user: below `XDG_RUNTIME_DIR`, or below the folder for temporary files. Only the
 * user can look into it. It is refused where it belongs to somebody else, is a link, or is open to others: another user who
 * can write there could answer in the daemon's place.
 *
 * @throws {FolderError}
 */
export function runtimeFolder(env: NodeJS.ProcessEnv = process.env): string {
  if (process.platform === "win32") throw new FolderError("there is no daemon on Windows");
  const uid = process.getuid?.() ?? 0;
  const { XDG_RUNTIME_DIR: runtime, TMPDIR: temporary } = env;
  const folder = runtime?.startsWith("/")
    ? `${runtime}/hookwarden`
    : `${temporary?.startsWith("/") ? temporary.replace(/\/+$/, "") : "/tmp"}/hookwarden-${uid}`;
  return ownFolder(folder, uid);
}

/**
 * Makes a folder that only its owner can use, or finds that it is one.
 *
 * @throws {FolderError}
 */
export function ownFolder(folder: string, uid: number): string {
  let stats: Stats | undefined;
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") {
      throw new FolderError(`the folder \`${folder}\` cannot be made`);
    }
  }
  try {
    stats = lstatSync(folder);
  } catch {
    // Said below.
  }
  if (!stats?.isDirectory()) throw new FolderError(`\`${folder}\` is no folder`);
  if (stats.uid !== uid) throw new FolderError(`the folder \`${folder}\` belongs to another user`);
  if ((stats.mode & 0o077) !== 0) throw new FolderError(`the folder \`${folder}\` is open to other users`);
  return folder;
}

/**
 * Where the daemon of an identity has its files.
 *
 * @throws {FolderError} where the path of the socket would be too long.
 */
export function daemonFiles(folder: string, identity: string): DaemonFiles {
  const base = `${folder}/${shortName(identity)}`;
  const socket = `${base}.sock`;
  if (Buffer.byteLength(socket) > longestSocket) throw new FolderError("the path of the socket is too long");
  return { folder, socket, lock: `${base}.lock`, secrets: `${base}.secrets`, starting: `${base}.starting` };
}

/** @throws {FolderError} for a socket that is not there, or that this user has not made. */
export function checkSocket(path: string): void {
  let stats: Stats | undefined;
  try {
    stats = lstatSync(path);
  } catch {
    // Said below.
  }
  if (!stats?.isSocket()) throw new FolderError("there is no socket");
  if (stats.uid !== process.getuid?.()) throw new FolderError("the socket belongs to another user");
}

/**
 * A name of 16 digits. It only keeps files apart: the whole identity is compared when client and daemon meet, so that
 * a quick hash does, and the client need not load a cryptographic one.
 */
export function shortName(identity: string): string {
  let low = 0x811c9dc5;
  let high = 0x1b873593;
  for (let index = 0; index < identity.length; index++) {
    const code = identity.charCodeAt(index);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ code, 0x5bd1e995) ^ (high >>> 13);
  }
  return hex(low) + hex(high);
}

function hex(value: number): string {
  return (value >>> 0).toString(16).padStart(8, "0");
}
