import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Header, pack } from "tar-stream";
import { inject } from "vitest";
import {
  buildBundle,
  type BuildOptions,
  generateKey,
  type PrivateKeyJwk,
  toPublicKey,
  type Trust,
  checkTrust,
  openBundle,
  type OpenedBundle,
  type OpenOptions,
} from "../../src/bundle/index.ts";
import { compress, decompress } from "../../src/bundle/gzip.ts";
import { type BundleList, listOf, writeList } from "../../src/bundle/list.ts";
import { importPrivateKey } from "../../src/bundle/keys.ts";
import { sign } from "../../src/bundle/signature.ts";
import { readTar } from "../../src/bundle/tar.ts";

export const key: PrivateKeyJwk = await generateKey("release-1");
export const trust: Trust = { keys: [toPublicKey(key)] };

/** A new folder that is removed at the end of the run. */
export function testFolder(): string {
  return mkdtempSync(join(inject("temporaryFolder"), "bundle-"));
}

const denyAll = `export default () => ({ action: "deny", reason: "never" });\n`;

/** A pack in a folder, with one hook unless it is said otherwise. */
export function packFolder(
  manifest: object = {},
  hooks: { readonly [name: string]: string } = { guard: denyAll },
  more: { readonly [path: string]: string } = {},
): string {
  const folder = testFolder();
  const files: { [path: string]: string } = {
    "hookwarden.json": JSON.stringify({
      apiVersion: 1,
      name: "acme",
      version: "1.0.0",
      hooks: Object.keys(hooks),
      ...manifest,
    }),
    ...more,
  };
  for (const [name, script] of Object.entries(hooks)) {
    files[`${name}/hook.json`] = JSON.stringify({
      apiVersion: 1,
      name,
      version: "1.0.0",
      entry: "hook.js",
      on: [{ event: "PreToolUse" }],
      reads: ["*"],
      actions: ["deny"],
    });
    files[`${name}/hook.js`] = script;
  }
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

let plain: Promise<Buffer> | undefined;

/** A signed bundle of one hook, made once. */
export function goodBundle(): Promise<Buffer> {
  plain ??= bundleOf();
  return plain;
}

export async function bundleOf(
  options: BuildOptions & { manifest?: object; hooks?: { readonly [name: string]: string } } = {},
): Promise<Buffer> {
  const { manifest, hooks, ...rest } = options;
  return (await buildBundle(packFolder(manifest, hooks), { key, ...rest })).bytes;
}

export async function openWith(
  packed: Uint8Array,
  given: Trust | null = trust,
  options: Partial<OpenOptions> = {},
): Promise<OpenedBundle> {
  return openBundle(packed, { trust: given && (await checkTrust(given)), ...options });
}

/** An entry of an archive as an attacker may write it. */
export interface RawEntry {
  readonly path: string;
  readonly bytes?: Buffer | string;
  readonly header?: Partial<Header> & { readonly pax?: { readonly [name: string]: string } };
}

export async function rawTar(entries: readonly RawEntry[]): Promise<Buffer> {
  const archive = pack();
  for (const { path, bytes = "", header } of entries) {
    const content = Buffer.from(bytes as string);
    const plain = {
      name: path,
      mode: 0o644,
      mtime: new Date(0),
      uid: 0,
      gid: 0,
      type: "file" as const,
      ...header,
    };
    if (plain.type === "file") archive.entry({ ...plain, size: content.length }, content);
    else (archive.entry({ ...plain, size: 0 }) as NodeJS.WritableStream).end();
  }
  archive.finalize();
  const parts: Buffer[] = [];
  for await (const part of archive as AsyncIterable<Buffer>) parts.push(part);
  return Buffer.concat(parts);
}

/** The entries of a good bundle: list, signature, files. */
export async function entriesOf(packed: Uint8Array): Promise<RawEntry[]> {
  return readTar(await decompress(packed)).map(({ path, bytes }) => ({ path, bytes }));
}

export async function listIn(packed: Uint8Array): Promise<BundleList> {
  const [first] = await entriesOf(packed);
  return JSON.parse(String(first?.bytes)) as BundleList;
}

/**
 * A bundle with other files, listed and signed by a key that the host trusts: what an attacker with that key, or a
 * careless builder, could hand out.
 */
export async function resigned(
  files: readonly RawEntry[],
  change: Partial<BundleList> = {},
): Promise<Buffer> {
  const good = await listIn(await goodBundle());
  const plain = files.filter(({ header }) => header === undefined);
  const listed = listOf(plain.map(({ path, bytes = "" }) => ({ path, bytes: Buffer.from(bytes as string) })));
  const list = writeList({ ...good, files: listed, ...change });
  const entries = [
    { path: "bundle.json", bytes: list },
    { path: "bundle.jws", bytes: await sign(list, await importPrivateKey(key)) },
    ...files,
  ];
  return compress(await rawTar(entries));
}

export { compress, decompress };
