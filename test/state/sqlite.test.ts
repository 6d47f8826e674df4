import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, test } from "vitest";
import { SqliteStateStore } from "../../src/state/sqlite.ts";
import { propertyRuns } from "../support/property-runs.ts";
import { stateKey, stateSuite } from "../support/state-suite.ts";

const folder = mkdtempSync(join(tmpdir(), "hookwarden-state-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;
const fresh = (): string => join(folder, `${++files}.db`);

stateSuite("sqlite", (options) => new SqliteStateStore({ path: fresh(), ...options }));

describe("a state file", () => {
  test("outlives the store", async () => {
    const path = fresh();
    {
      await using store = new SqliteStateStore({ path });
      store.commit([{ key: stateKey(), value: "1", expected: 0 }]);
    }
    await using again = new SqliteStateStore({ path });
    expect(again.read(stateKey())).toMatchObject({ value: "1" });
  });

  test.skipIf(process.platform === "win32")("is readable by its owner only", async () => {
    const path = fresh();
    await using store = new SqliteStateStore({ path });
    store.commit([{ key: stateKey(), value: "1", expected: 0 }]);
    expect(statSync(path).mode & 0o077).toBe(0);
    expect(statSync(`${path}-wal`).mode & 0o077).toBe(0);
  });

  test("that is none is an error of the host", () => {
    const path = fresh();
    writeFileSync(path, "this is no database, and long enough to be looked at as one ".repeat(20));
    for (const wrong of [path, join(folder, "no", "such", "folder.db")]) {
      expect(() => new SqliteStateStore({ path: wrong })).toThrow(
        expect.objectContaining({ code: "option-invalid" }),
      );
    }
  });

  test("held by another process is a conflict, not an error", async () => {
    const path = fresh();
    await using one = new SqliteStateStore({ path, busyMs: 20 });
    const { DatabaseSync } = await import("node:sqlite");
    const other = new DatabaseSync(path);
    other.exec("BEGIN IMMEDIATE");
    expect(one.commit([{ key: stateKey(), value: "1", expected: 0 }])).toBe(false);
    other.exec("ROLLBACK");
    other.close();
    expect(one.commit([{ key: stateKey(), value: "1", expected: 0 }])).toBe(true);
  });

  test("shared by two processes loses no increment", { timeout: 120_000 }, async () => {
    const path = fresh();
    const run = promisify(execFile);
    const script = join(import.meta.dirname, "counter-process.ts");
    const each = propertyRuns(250);
    const outputs = await Promise.all([1, 2].map(() => run(process.execPath, [script, path, `${each}`])));
    expect(outputs.map(({ stdout }) => JSON.parse(stdout))).toEqual([{ faults: 0 }, { faults: 0 }]);
    await using store = new SqliteStateStore({ path });
    expect(store.read({ tenant: "default", hook: "counter", scope: "tenant", session: "" })?.value).toBe(
      `${2 * each}`,
    );
  });
});
