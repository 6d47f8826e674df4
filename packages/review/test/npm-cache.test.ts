import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { pack } from "tar-stream";
import { afterEach, beforeEach, expect, it } from "vitest";
import { dependenciesOf, dependencyFindings } from "../src/dependencies.ts";
import { NpmCache } from "../src/npm-cache.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "npm-cache-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const name = "tiny-match";
const modules = new Map([
  ["guard", [{ path: `modules:${name}/lib/index.js`, package: name, version: "1.0.0", bytes: 10 }]],
]);

async function put(path: string, content: string | Buffer): Promise<void> {
  const file = join(folder, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
}

const split = (hash: string): string => join(hash.slice(0, 2), hash.slice(2, 4), hash.slice(4));

/** Puts content into the cache as npm does, under its checksum. @returns the checksum. */
async function cached(content: Buffer): Promise<string> {
  const digest = createHash("sha512").update(content).digest();
  await put(join("cache/_cacache/content-v2/sha512", split(digest.toString("hex"))), content);
  return `sha512-${digest.toString("base64")}`;
}

async function tarball(files: { readonly [path: string]: string }): Promise<Buffer> {
  const archive = pack();
  for (const [path, text] of Object.entries(files)) archive.entry({ name: `package/${path}` }, text);
  archive.finalize();
  return gzipSync(Buffer.concat(await Array.fromAsync(archive as AsyncIterable<Buffer>)));
}

async function install(code: string, integrity: string): Promise<void> {
  const manifest = { name, version: "1.0.0", license: "MIT" };
  await put(`node_modules/${name}/package.json`, JSON.stringify(manifest));
  await put(`node_modules/${name}/lib/index.js`, code);
  const resolved = `https://registry.example/${name}/-/${name}-1.0.0.tgz`;
  const packages = { [`node_modules/${name}`]: { version: "1.0.0", resolved, integrity } };
  await put("package-lock.json", JSON.stringify({ packages }));
}

const cacheOf = (): NpmCache => new NpmCache(join(folder, "cache"));
const published = "export const hit = (text) => /rm -rf/.test(text);\n";

it("compares installed code with the published package, and knows when that was published", async () => {
  const integrity = await cached(await tarball({ "package.json": "{}", "lib/index.js": published }));
  await install(published, integrity);
  const key = `make-fetch-happen:request-cache:https://registry.example/${name}`;
  const packument = await cached(Buffer.from(JSON.stringify({ time: { "1.0.0": "2026-03-04T05:06:07Z" } })));
  const index = createHash("sha256").update(key).digest("hex");
  await put(
    join("cache/_cacache/index-v5", split(index)),
    `\n0000\t${JSON.stringify({ key, integrity: packument })}`,
  );
  const [one] = await dependenciesOf(folder, modules, cacheOf());
  expect(one).toMatchObject({ changed: [], published: "2026-03-04T05:06:07.000Z" });
  expect(dependencyFindings([one!])).toEqual([]);
});

// A file in `node_modules` is changed after the installation: the lockfile and the registry look as they should.
it("refuses a package whose installed code is not what was published", async () => {
  const long = `lib/${"deep/".repeat(30)}other.js`;
  const integrity = await cached(await tarball({ [long]: "1", "lib/index.js": published }));
  await install(published.replace("rm -rf", "rm -rf never"), integrity);
  const [one] = await dependenciesOf(folder, modules, cacheOf());
  expect(one?.changed).toEqual(["lib/index.js"]);
  expect(dependencyFindings([one!])).toMatchObject([{ code: "dependency-risk", severity: "high" }]);
  expect([...((await cacheOf().published(integrity)) ?? new Map()).keys()]).toContain(long);
});

// Anyone who can write to the cache could put the changed package there, under the checksum of the published one.
it("trusts nothing in the cache that does not have its checksum", async () => {
  const integrity = await cached(await tarball({ "lib/index.js": published }));
  const hex = Buffer.from(integrity.slice("sha512-".length), "base64").toString("hex");
  await put(join("cache/_cacache/content-v2/sha512", split(hex)), await tarball({ "lib/index.js": "evil" }));
  await install("evil", integrity);
  const [one] = await dependenciesOf(folder, modules, cacheOf());
  expect(one).toMatchObject({ changed: null, published: null });
});

it("says that it does not know where npm has kept nothing", async () => {
  await install(published, `sha512-${Buffer.alloc(64).toString("base64")}`);
  const [one] = await dependenciesOf(folder, modules, cacheOf());
  expect(one).toMatchObject({ changed: null, published: null });
});
