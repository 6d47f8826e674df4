import { describe, expect, it } from "vitest";
import { pathProblem } from "../../src/files/paths.ts";
import { errorOf, loadGuard, packFiles, hookManifest } from "./packs.ts";
import { loadPackFromFiles } from "../../src/pack/index.ts";
import { memorySource } from "../../src/files/source.ts";

/** Attack (man-012): a path in a manifest that names a file which is not the pack's. */
const escapes = [
  "../../etc/passwd",
  "..",
  ".",
  "./",
  "./..",
  "a/../b.js",
  "a/./b.js",
  "a//b.js",
  "a/",
  "/etc/passwd",
  "//host/x.js",
  "C:\\x.js",
  "C:/x.js",
  "c:x.js",
  "hooks\\..\\..\\x.js",
  "\\\\host\\share\\x.js",
  "file:///x.js",
  "https://x/x.js",
  "data:text/javascript,1",
  "hook.js\0.txt",
  "\0",
  "./hook.js?x",
  "hook.js#x",
  "node:fs",
  "-",
  "",
  "hook.js\n",
  "hook.js ",
  "hook.js.",
  "a./b.js",
  "hook.js:stream",
  "a*b.js",
  `${"a/".repeat(300)}b.js`,
  `${"a".repeat(300)}.js`,
  "a\ud800.js",
  "a\u007fb.js",
];

describe("pathProblem", () => {
  it.each(escapes)("refuses %j", (path) => expect(pathProblem(path)).not.toBeNull());
  it.each([
    "hook.js",
    "./hook.js",
    "src/hook.ts",
    "a-b_c/d e.js",
    ".hidden/x.js",
    "..a/b.js",
    "é/ü.js",
    "a..b.js",
  ])("accepts %j", (path) => expect(pathProblem(path)).toBeNull());
});

describe("paths in manifests", () => {
  it.each(escapes)("the entry %j is refused", async (entry) => {
    const error = await errorOf(loadGuard({ entry }));
    expect(error).toMatchObject({
      code: "path-outside-pack",
      place: { file: "guard/hook.json", pointer: "/entry" },
    });
    expect(error.message).not.toContain("\0");
  });

  it.each(escapes)("the folder %j is refused", async (folder) => {
    const files = packFiles({ guard: hookManifest() }, { hooks: [folder] });
    const error = await errorOf(loadPackFromFiles(files));
    expect(error).toMatchObject({
      code: "path-outside-pack",
      place: { file: "hookwarden.json", pointer: "/hooks/0" },
    });
  });

  // Attack: an archive with such a name writes or reads beside the pack.
  it.each(escapes)("a file of a pack in memory cannot be called %j", (path) => {
    expect(() => memorySource(new Map([[path, new Uint8Array()]]))).toThrow(/path/);
  });

  it("a leading `./` means the same path", async () => {
    const { hooks } = await loadPackFromFiles(
      packFiles({ guard: hookManifest({ entry: "./hook.js" }) }, { hooks: ["./guard"] }),
    );
    expect(hooks[0]?.name).toBe("guard");
  });
});
