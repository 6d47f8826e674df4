import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { writeFirstOperatorKey } from "../src/first-key.ts";
import type { KeyRecord, KeyStore } from "../src/storage.ts";

const folder = mkdtempSync(join(tmpdir(), "hookwarden-first-key-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Keys that several nodes share, where a key can be added once. */
function sharedKeys(): KeyStore & { readonly records: Map<string, KeyRecord> } {
  const records = new Map<string, KeyRecord>();
  const later = <T>(value: () => T): Promise<T> => new Promise((done) => setImmediate(done)).then(value);
  return {
    records,
    find: (id) => later(() => records.get(id) ?? null),
    list: (tenant) => later(() => [...records.values()].filter((key) => key.tenant === tenant)),
    add: (key) =>
      later(() => {
        if (records.has(key.id)) throw new Error("exists");
        records.set(key.id, key);
      }),
    revoke: (id, at) =>
      later(() => {
        const key = records.get(id);
        if (key) records.set(id, { ...key, revoked: at });
        return key !== undefined;
      }),
  };
}

// Nodes of a fleet that start together each saw no key, and each wrote one: an operator could not know which counts.
test("of three nodes that start together one writes the key, and the others name it", async () => {
  const keys = sharedKeys();
  const nodes = ["n1", "n2", "n3"].map((node) => ({ node, path: join(folder, `${node}.key`) }));
  const written = await Promise.all(nodes.map((made) => writeFirstOperatorKey(keys, made)));
  expect(keys.records.size).toBe(1);
  const [winner] = nodes.filter((_, at) => written[at] === null);
  expect(nodes.filter(({ path }) => existsSync(path))).toEqual([winner]);
  const name = `operator's key, written on node ${winner!.node}`;
  expect(written.filter((one) => one !== null)).toEqual([name, name]);
  expect(readFileSync(winner!.path, "utf8")).toMatch(/^hw_operator0001_[\w-]{43}\n$/);
});

test("where every key was revoked, a new one is written", async () => {
  const keys = sharedKeys();
  await writeFirstOperatorKey(keys, { node: "a", path: join(folder, "a.key") });
  await keys.revoke("operator0001", new Date().toISOString());
  expect(await writeFirstOperatorKey(keys, { node: "a", path: join(folder, "b.key") })).toBeNull();
  expect(keys.records.size).toBe(2);
});
