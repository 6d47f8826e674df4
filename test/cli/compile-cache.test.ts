import { chmodSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { cacheFolders } from "../../src/cli/compile-cache/private-folder.ts";
import { useCompileCache } from "../../src/cli/compile-cache/index.ts";
import { compileScripts, setCompileCache } from "../../src/compile/index.ts";
import { temporaryFolder, writeFiles } from "../pack/packs.ts";

const script = "export default () => 1;\n";
const entry = { name: "h", path: "h/hook.js" };
let home = "";
let pack = "";
/** How often a compiler was started. */
let compiled = 0;

beforeEach(async () => {
  home = await temporaryFolder();
  pack = await temporaryFolder();
  vi.stubEnv("XDG_CACHE_HOME", join(home, "cache"));
  vi.stubEnv("XDG_STATE_HOME", join(home, "state"));
  await writeFiles(pack, { "h/hook.js": script, "package.json": "{}" });
  compiled = 0;
  useCompileCache();
  counting();
});

afterEach(() => {
  vi.unstubAllEnvs();
  setCompileCache((_, __, compile) => compile());
});

/** Counts how often the cache asks the compiler. */
function counting(): void {
  const inner = setCompileCache((child, job, compile) =>
    inner(child, job, () => {
      compiled++;
      return compile();
    }),
  );
}

const entries = (): string[] => readdirSync(join(home, "cache", "hookwarden-compiled"));
const file = (): string => join(home, "cache", "hookwarden-compiled", entries()[0] ?? "");
const compile = async (): Promise<string> => (await compileScripts(pack, [entry]))[0]!.program.source;

describe("the compile cache", () => {
  it("answers the second time, with the same program", async () => {
    const first = await compile();
    expect(await compile()).toBe(first);
    expect(compiled).toBe(1);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
  });

  it("compiles again after a change of the pack, of an imported package, or of the entries", async () => {
    await writeFiles(pack, {
      "h/hook.js": 'import { x } from "dep";\nexport default () => x;\n',
      "node_modules/dep/package.json": '{"name":"dep","version":"1.0.0","main":"index.js"}',
      "node_modules/dep/index.js": "export const x = 1;\n",
    });
    await compile();
    await compile();
    expect(compiled).toBe(1);
    await writeFiles(pack, { "node_modules/dep/index.js": "export const x = 2;\n" });
    expect(await compile()).toContain("2");
    expect(compiled).toBe(2);
    await writeFiles(pack, { "h/hook.js": script });
    await compile();
    expect(compiled).toBe(3);
    await compileScripts(pack, [{ ...entry, name: "other" }]);
    expect(compiled).toBe(4);
  });

  // Attack: a process that can write the cache folder, and not read the key, replaces a guard by a program of its own.
  it("does not use an entry that was changed, exchanged or cut", async () => {
    const first = await compile();
    const good = readFileSync(file(), "utf8");
    const changed = good.replace("1", "2");
    for (const bad of [changed, good.slice(0, -2), "", `${"0".repeat(64)}\n${good.slice(65)}`]) {
      writeFileSync(file(), bad);
      expect(await compile()).toBe(first);
    }
    expect(compiled).toBe(5);
    // An entry of another pack, under this one's name, is authentic; its code is bound to its own name.
    const other = good;
    rmSync(file());
    await writeFiles(pack, { "h/hook.js": "export default () => 3;\n" });
    await compile();
    writeFileSync(file(), other);
    expect(await compile()).toContain("3");
  });

  it("keeps no failure", async () => {
    await writeFiles(pack, { "h/hook.js": "export default (" });
    await expect(compile()).rejects.toThrow("does not compile");
    expect(entries()).toEqual([]);
  });

  // Attack: another user prepares the folders, and so knows the key or can write entries.
  it.skipIf(process.platform === "win32")("is not used where others can enter its folders", () => {
    expect(cacheFolders()).not.toBeNull();
    for (const folder of [
      "cache/hookwarden-compiled",
      "state/hookwarden",
      "state/hookwarden/compile-cache.key",
    ]) {
      const path = join(home, folder);
      const { mode } = statSync(path);
      chmodSync(path, 0o777);
      expect(cacheFolders(), folder).toBeNull();
      chmodSync(path, mode);
    }
    expect(cacheFolders()).not.toBeNull();
  });
});
