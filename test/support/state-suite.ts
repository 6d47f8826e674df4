import { afterEach, describe, expect, test } from "vitest";
import type { QuotaOptions } from "../../src/state/quota.ts";
import type { StateKey, StateStore } from "../../src/state/store.ts";

export const stateKey = (fields: Partial<StateKey> = {}): StateKey => ({
  tenant: "t",
  hook: "h",
  scope: "session",
  session: "s",
  ...fields,
});

/** What every store of state must do. */
export function stateSuite(
  title: string,
  open: (options?: QuotaOptions) => StateStore | Promise<StateStore>,
): void {
  describe(`state store: ${title}`, () => {
    const opened: StateStore[] = [];
    const create = async (options?: QuotaOptions): Promise<StateStore> => {
      const store = await open(options);
      opened.push(store);
      return store;
    };
    afterEach(async () => {
      for (const store of opened.splice(0)) await store[Symbol.asyncDispose]?.();
    });
    const put = (store: StateStore, key: StateKey, value: string | null, expected: number) =>
      store.commit([{ key, value, expected }]);

    test("keeps what was written, by key", async () => {
      const store = await create();
      const keys = [
        stateKey(),
        stateKey({ tenant: "t2" }),
        stateKey({ hook: "h2" }),
        stateKey({ session: "s2" }),
        stateKey({ scope: "tenant", session: "" }),
      ];
      for (const [index, key] of keys.entries()) {
        expect(await store.read(key)).toBeNull();
        expect(await put(store, key, String(index), 0)).toBe(true);
      }
      for (const [index, key] of keys.entries()) expect((await store.read(key))?.value).toBe(String(index));
    });

    test("takes parts of a key as they are: none can be made to look like another", async () => {
      const store = await create();
      const parts = [
        "a",
        "a/b",
        "../a",
        "a\0b",
        "a\u0001",
        '\u0001"a"',
        "\ud800",
        "\ud801",
        "\ufffd",
        "é",
        "e\u0301",
        "__proto__",
        "%",
        "*",
        "'; DROP TABLE hook_state; --",
        "",
      ];
      const keys = parts.flatMap((tenant) => parts.map((session) => stateKey({ tenant, session })));
      for (const [index, key] of keys.entries()) expect(await put(store, key, String(index), 0)).toBe(true);
      for (const [index, key] of keys.entries()) expect((await store.read(key))?.value).toBe(String(index));
    });

    test("writes only where the version is the expected one, and all or nothing", async () => {
      const store = await create();
      const [one, two] = [stateKey(), stateKey({ session: "s2" })];
      await put(store, one, "1", 0);
      expect(await put(store, one, "2", 0)).toBe(false);
      const { version } = (await store.read(one))!;
      const both = [
        { key: two, value: "new", expected: 0 },
        { key: one, value: "2", expected: version + 1 },
      ];
      expect(await store.commit(both)).toBe(false);
      expect(await store.read(two)).toBeNull();
      expect(await store.commit([both[0]!, { ...both[1]!, expected: version }])).toBe(true);
      expect(await store.read(one)).toMatchObject({ value: "2" });
      expect((await store.read(one))!.version).toBeGreaterThan(version);
    });

    test("`null` deletes, and a key that comes back has another version", async () => {
      const store = await create();
      await put(store, stateKey(), "1", 0);
      const { version } = (await store.read(stateKey()))!;
      expect(await put(store, stateKey(), null, version)).toBe(true);
      expect(await store.read(stateKey())).toBeNull();
      await put(store, stateKey(), "2", 0);
      expect((await store.read(stateKey()))!.version).not.toBe(version);
      expect(await put(store, stateKey(), "stale", version)).toBe(false);
    });

    test("holds each tenant to its quota, and writes nothing beyond it", async () => {
      const store = await create({ maxBytesPerTenant: 1_000 });
      const big = JSON.stringify("x".repeat(600));
      expect(await put(store, stateKey(), big, 0)).toBe(true);
      await expect((async () => put(store, stateKey({ session: "s2" }), big, 0))()).rejects.toThrow(
        "1000 bytes",
      );
      expect(await store.read(stateKey({ session: "s2" }))).toBeNull();
      expect((await store.read(stateKey()))?.value).toBe(big);
      expect(await put(store, stateKey({ tenant: "other" }), big, 0)).toBe(true);
      // What is replaced or deleted makes room.
      const { version } = (await store.read(stateKey()))!;
      expect(await put(store, stateKey(), "0", version)).toBe(true);
      expect(await put(store, stateKey({ session: "s2" }), big, 0)).toBe(true);
    });

    test("drops sessions that were idle for long before it refuses, and never a tenant's own state", async () => {
      const store = await create({ maxBytesPerTenant: 1_000, sessionIdleMs: 20 });
      const big = JSON.stringify("x".repeat(400));
      await put(store, stateKey({ scope: "tenant", session: "" }), big, 0);
      await put(store, stateKey({ session: "old" }), big, 0);
      await new Promise((resolve) => setTimeout(resolve, 60));
      expect(await put(store, stateKey({ session: "new" }), big, 0)).toBe(true);
      expect(await store.read(stateKey({ session: "old" }))).toBeNull();
      expect(await store.read(stateKey({ scope: "tenant", session: "" }))).not.toBeNull();
    });
  });
}
