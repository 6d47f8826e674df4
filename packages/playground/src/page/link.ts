import type { Workspace } from "../protocol.ts";

/** What a link carries: an example to begin with, and what differs from it. */
export interface Shared {
  /** Id of the example. */
  readonly from: string;
  /** Of the example's files as they were, so that a page with others can say so. */
  readonly digest: string;
  /** Files that differ, by path; `null` for one that is not there any more. */
  readonly files: { readonly [path: string]: string | null };
  readonly events: string;
  readonly state: string;
  readonly tenant: string;
  /** File that is open. */
  readonly open: string;
}

export const linkLimits = {
  /** Longest fragment, in characters. Some programs cut longer addresses. */
  fragment: 32_768,
  /** Most bytes that a fragment may hold when it is unpacked. */
  bytes: 1_048_576,
  /** Most files. */
  files: 64,
} as const;

const prefix = "#v1=";

/** Why a link cannot be made or read, in words for people. */
export class LinkError extends Error {}

/** @throws {LinkError} where it would be too long. */
export async function writeLink(shared: Shared): Promise<string> {
  const packed = await pipe(
    new TextEncoder().encode(JSON.stringify(shared)),
    new CompressionStream("deflate-raw"),
    Infinity,
  );
  const fragment = prefix + toBase64Url(packed);
  if (fragment.length > linkLimits.fragment) {
    throw new LinkError(
      `This example makes a link of ${fragment.length.toLocaleString("en")} characters; ${linkLimits.fragment.toLocaleString("en")} is the most that travels well.`,
    );
  }
  return fragment;
}

/**
 * Reads the fragment of an address. It comes from a stranger: unpacking ends at a limit, and what it holds is checked
 * for its form.
 *
 * @returns `null` where the fragment is none of a link.
 * @throws {LinkError}
 */
export async function readLink(fragment: string): Promise<Shared | null> {
  if (!fragment.startsWith(prefix)) return null;
  if (fragment.length > linkLimits.fragment) throw new LinkError("The link is too long.");
  let value: unknown;
  try {
    const packed = fromBase64Url(fragment.slice(prefix.length));
    const bytes = await pipe(packed, new DecompressionStream("deflate-raw"), linkLimits.bytes);
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    if (error instanceof LinkError) throw error;
    throw new LinkError("The link is damaged.", { cause: error });
  }
  if (!isShared(value)) throw new LinkError("The link holds something else than an example.");
  return value;
}

function isShared(value: unknown): value is Shared {
  if (typeof value !== "object" || value === null) return false;
  const { files, ...texts } = value as Record<string, unknown>;
  if (typeof files !== "object" || files === null || Array.isArray(files)) return false;
  const entries = Object.entries(files);
  return (
    entries.length <= linkLimits.files &&
    entries.every(([, text]) => text === null || typeof text === "string") &&
    ["from", "digest", "events", "state", "tenant", "open"].every((name) => typeof texts[name] === "string")
  );
}

async function pipe(
  bytes: Uint8Array<ArrayBuffer>,
  through: CompressionStream | DecompressionStream,
  most: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  // Read piece by piece: a few bytes can unpack to gigabytes.
  const reader = new Blob([bytes]).stream().pipeThrough(through).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > most) {
      await reader.cancel();
      throw new LinkError("The link unpacks to more than it may.");
    }
    parts.push(value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

function toBase64Url(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 8_192)
    text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

/** What of a workspace differs from the files that it began with. */
export function changedFiles(
  before: Workspace["files"],
  after: Workspace["files"],
): { readonly [path: string]: string | null } {
  const changed = Object.entries(after).filter(([path, text]) => before[path] !== text);
  const gone = Object.keys(before).filter((path) => !Object.hasOwn(after, path));
  return Object.fromEntries<string | null>([...changed, ...gone.map((path): [string, null] => [path, null])]);
}
