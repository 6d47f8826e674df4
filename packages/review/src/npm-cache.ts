import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { extract } from "tar-stream";

/** Largest file of the cache that is read, and largest tarball when unpacked, in bytes. */
const max = { file: 67_108_864, unpacked: 268_435_456 } as const;
const unpack = promisify(gunzip);

/** What npm has kept of its registry on this machine. A review fetches nothing: what npm did not keep is not known. */
export class NpmCache {
  readonly #folder: string;

  /** @param folder npm's cache. Default: `npm_config_cache`, or `.npm` in the home folder. */
  constructor(folder: string = process.env["npm_config_cache"] ?? join(homedir(), ".npm")) {
    this.#folder = join(folder, "_cacache");
  }

  /**
   * The files of a package as it was published, by path, each with its SHA-256.
   *
   * @param integrity the checksum of the lockfile; what the cache has is compared with it.
   * @returns `null` where the cache does not have the tarball.
   */
  async published(integrity: string): Promise<ReadonlyMap<string, string> | null> {
    const bytes = await this.#content(integrity);
    if (bytes === null) return null;
    try {
      return await filesOf(await unpack(bytes, { maxOutputLength: max.unpacked }));
    } catch {
      return null;
    }
  }

  /**
   * When a version was published, as its registry says; `null` where the cache does not have that.
   *
   * @param origin its address in the lockfile, from which the registry follows; `null` for the one that npm uses.
   */
  async publishedAt(name: string, version: string, origin: string | null): Promise<string | null> {
    const registry = origin ?? process.env["npm_config_registry"] ?? "https://registry.npmjs.org/";
    if (!URL.canParse(registry)) return null;
    const address = new URL(name.replace("/", "%2f"), origin === null ? registry : new URL("/", registry))
      .href;
    const key = `make-fetch-happen:request-cache:${address}`;
    const hash = createHash("sha256").update(key).digest("hex");
    const entries = await this.#read("index-v5", hash);
    const last = entries?.toString("utf8").trimEnd().split("\n").at(-1) ?? "";
    const entry = objectOf(last.slice(last.indexOf("\t") + 1));
    if (entry?.["key"] !== key || typeof entry["integrity"] !== "string") return null;
    const time = objectOf((await this.#content(entry["integrity"]))?.toString("utf8") ?? "")?.["time"];
    const at = (time as { readonly [version: string]: unknown } | undefined)?.[version];
    return typeof at === "string" && !Number.isNaN(Date.parse(at)) ? new Date(at).toISOString() : null;
  }

  async #content(integrity: string): Promise<Buffer | null> {
    const [, digest] = /(?:^|\s)sha512-([A-Za-z0-9+/=]+)/.exec(integrity) ?? [];
    if (digest === undefined) return null;
    const bytes = await this.#read("content-v2/sha512", Buffer.from(digest, "base64").toString("hex"));
    // Anyone who can write to the cache can put another file there.
    return bytes && createHash("sha512").update(bytes).digest("base64") === digest ? bytes : null;
  }

  async #read(folder: string, hash: string): Promise<Buffer | null> {
    const file = join(this.#folder, folder, hash.slice(0, 2), hash.slice(2, 4), hash.slice(4));
    const bytes = await readFile(file).catch(() => null);
    return bytes !== null && bytes.length <= max.file ? bytes : null;
  }
}

function objectOf(text: string): { readonly [name: string]: unknown } | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null
      ? (value as { readonly [name: string]: unknown })
      : null;
  } catch {
    return null;
  }
}

/** The files of a tar archive, without the folder that all of them are in. */
async function filesOf(tar: Buffer): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const archive = extract();
  archive.end(tar);
  for await (const entry of archive) {
    const { type, name } = entry.header;
    const body = await buffer(entry);
    if (type === "file")
      found.set(name.slice(name.indexOf("/") + 1), createHash("sha256").update(body).digest("hex"));
  }
  return found;
}
