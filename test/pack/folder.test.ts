import { execFileSync, spawn } from "node:child_process";
import { link, mkdir, open, readdir, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { folderSource } from "../../src/files/folder.ts";
import { loadPack, readManifests } from "../../src/pack/index.ts";
import { HookwardenError } from "../../src/errors/index.ts";
import { propertyRuns } from "../support/property-runs.ts";
import { errorOf, hookManifest, packFiles, temporaryFolder, writeFiles } from "./packs.ts";

const posix = process.platform !== "win32";

async function packFolder(): Promise<string> {
  const root = await temporaryFolder();
  await writeFiles(root, packFiles({ guard: hookManifest() }));
  return root;
}

/** Puts something else in the place of the entry of a pack. */
async function withEntry(make: (path: string) => Promise<unknown> | unknown): Promise<string> {
  const root = await temporaryFolder();
  const files = packFiles({ guard: hookManifest() });
  files.delete("guard/hook.js");
  await writeFiles(root, files);
  await make(join(root, "guard/hook.js"));
  return root;
}

describe("a pack in a folder", () => {
  it("a pack folder loads", async () => {
    const root = await packFolder();
    const pack = await loadPack(root);
    expect(pack.hooks.map(({ name }) => name)).toEqual(["guard"]);
    expect(pack.hooks[0]?.program.source).toContain('action: "deny"');
    expect(pack.root).toBeTypeOf("string");
  });

  it("the pack folder itself may be a link", async () => {
    const root = await packFolder();
    const other = join(await temporaryFolder(), "link");
    await symlink(root, other, "junction");
    expect((await loadPack(other)).hooks).toHaveLength(1);
  });

  it("must be there, and be a folder", async () => {
    const root = await packFolder();
    for (const path of [join(root, "missing"), join(root, "hookwarden.json"), ""]) {
      const error = await errorOf(loadPack(path === "" ? join(root, "\0") : path));
      expect(error.code).toBe("pack-not-found");
    }
    expect(await errorOf(loadPack(await temporaryFolder()))).toMatchObject({ code: "pack-not-found" });
  });

  it("gives the same digests wherever it lies", async () => {
    const [first, second] = await Promise.all([loadPack(await packFolder()), loadPack(await packFolder())]);
    expect(first.digest).toBe(second.digest);
    expect(first.hooks[0]?.program).toEqual(second.hooks[0]?.program);
  });
});

/** Makes `a` a folder and a link to another one in turn, as fast as it goes. */
const swapLoop = `
  const { renameSync } = require("node:fs");
  process.chdir(process.argv[1]);
  for (;;) {
    renameSync("a", "kept"); renameSync("link", "a");
    renameSync("a", "link"); renameSync("kept", "a");
  }`;

describe.runIf(posix)("links in a pack are refused (man-013)", () => {
  // Attack: the entry is a link to a file that the pack's author cannot read but the host can.
  it("the entry", async () => {
    const root = await withEntry((path) => symlink("/etc/hostname", path));
    expect(await errorOf(loadPack(root))).toMatchObject({
      code: "path-outside-pack",
      place: { file: "guard/hook.js" },
    });
    // To a file of the pack itself as well: what is reviewed under one name must not change under another.
    const inside = await withEntry((path) => symlink("hook.json", path));
    expect(await errorOf(loadPack(inside))).toMatchObject({ code: "path-outside-pack" });
  });

  it("the folder of a hook, and a folder above the entry", async () => {
    const root = await temporaryFolder();
    const elsewhere = await packFolder();
    await writeFiles(root, packFiles({}, { hooks: ["guard"] }));
    await symlink(join(elsewhere, "guard"), join(root, "guard"));
    expect(await errorOf(loadPack(root))).toMatchObject({ code: "path-outside-pack" });

    const nested = await temporaryFolder();
    await writeFiles(nested, packFiles({ guard: hookManifest({ entry: "src/hook.js" }) }));
    await symlink("/", join(nested, "guard/src"));
    expect(await errorOf(loadPack(nested))).toMatchObject({ code: "path-outside-pack" });
  });

  it("a loop, and one that leads nowhere", async () => {
    const loop = await withEntry((path) => symlink("hook.js", path));
    expect(await errorOf(loadPack(loop))).toMatchObject({ code: "path-outside-pack" });
    const dangling = await withEntry((path) => symlink("/nonexistent", path));
    expect(await errorOf(loadPack(dangling))).toMatchObject({ code: "path-outside-pack" });
  });

  it("the manifests", async () => {
    const root = await temporaryFolder();
    const elsewhere = await packFolder();
    await symlink(join(elsewhere, "hookwarden.json"), join(root, "hookwarden.json"));
    expect(await errorOf(loadPack(root))).toMatchObject({ code: "path-outside-pack" });
  });

  it("a file that the entry imports", async () => {
    const root = await temporaryFolder();
    const script = 'import "./secret.js"; export default 1;';
    await writeFiles(root, packFiles({ guard: hookManifest() }, {}, { "guard/hook.js": script }));
    await symlink("/etc/hostname", join(root, "guard/secret.js"));
    const error = await errorOf(loadPack(root));
    expect(error).toMatchObject({ code: "load-failed", place: { file: "guard/hook.js", line: 1 } });
  });

  // Attack: the folder is swapped for a link between the look and the opening. With many tries some hit the moment.
  it("nor one that is swapped in while it is read", async () => {
    const root = await temporaryFolder();
    const outside = await temporaryFolder();
    await writeFiles(root, { "a/file": "inside", "b/file": "other" });
    await writeFiles(outside, { file: "OUTSIDE" });
    await symlink(outside, join(root, "link"));
    const source = await folderSource(root);
    // In a process of its own, so that the two really run side by side.
    const swapper = spawn(process.execPath, ["-e", swapLoop, root], { stdio: "ignore" });
    const seen = new Set<string>();
    for (const end = performance.now() + propertyRuns(500); performance.now() < end;) {
      try {
        seen.add(Buffer.from(await source.read("a/file", 100)).toString());
      } catch (error) {
        seen.add((error as HookwardenError).code);
      }
    }
    swapper.kill("SIGKILL");
    expect(seen).toContain("inside");
    expect(
      [...seen].filter((one) => !["inside", "path-outside-pack", "file-unreadable"].includes(one)),
    ).toEqual([]);
  });
});

describe.runIf(posix)("what is no regular file is refused at once (man-014)", () => {
  const refused = async (root: string, message: string): Promise<void> => {
    const start = performance.now();
    const error = await errorOf(readManifests(await folderSource(root)));
    // Far below the time for which an opened pipe would wait.
    expect(performance.now() - start).toBeLessThan(2_000);
    expect(error).toMatchObject({ code: "file-unreadable" });
    expect(error.message).toContain(message);
  };

  // Attack: to open a pipe waits until somebody writes to it, which is never.
  it("a pipe", async () => {
    await refused(await withEntry((path) => execFileSync("mkfifo", [path])), "a pipe");
  });

  it("a folder", async () => refused(await withEntry((path) => mkdir(path)), "a folder"));

  it("a socket", async () => {
    const server = createServer();
    const root = await withEntry((path) => new Promise<void>((done) => server.listen(path, done)));
    await refused(root, "a socket");
    await new Promise((done) => server.close(done));
  });

  // Attack: an endless file.
  it("a device", async () => {
    const source = await folderSource("/dev");
    const error = await errorOf(source.read("zero", 1_000));
    expect(error.message).toContain("a device");
  });

  it("a file of 10 GB, most of it a hole", async () => {
    const root = await withEntry(async (path) => {
      const file = await open(path, "w");
      await file.truncate(10 * 1024 ** 3);
      await file.close();
    });
    await refused(root, "larger than 1048576 bytes");
  });

  it("a file that grows beyond its limit while it is read", async () => {
    const root = await temporaryFolder();
    const source = await folderSource(root);
    const path = join(root, "growing");
    await writeFile(path, "x".repeat(1_000));
    const stop = new AbortController();
    const grow = (async () => {
      while (!stop.signal.aborted) {
        await writeFile(path, "x".repeat(100_000), { flag: "a" });
        await wait(1);
      }
    })();
    for (let round = 0; round < 50; round++) {
      const length = await source.read("growing", 150_000).then(
        (bytes) => bytes.length,
        (error: HookwardenError) => error.code,
      );
      expect(length === "file-unreadable" || Number(length) <= 150_000).toBe(true);
    }
    stop.abort();
    await grow;
  });

  it("but a second name of a regular file is a regular file", async () => {
    const root = await packFolder();
    await link(join(root, "guard/hook.js"), join(root, "guard/other.js"));
    const source = await folderSource(root);
    expect((await source.read("guard/other.js", 1_000)).length).toBeGreaterThan(0);
  });
});

describe("a source of files", () => {
  it("says what stands at a path without following links", async () => {
    const root = await packFolder();
    const source = await folderSource(root);
    if (posix) await symlink("/", join(root, "root"));
    const kinds = ["", "guard", "guard/hook.js", "guard/hook.js/x", "missing", "../x", "root", "root/etc"];
    const found = await Promise.all(kinds.map((path) => source.kind(path)));
    expect(found.slice(0, 6)).toEqual(["folder", "folder", "file", null, null, null]);
    expect(found.slice(6)).toEqual(posix ? ["other", "other"] : [null, null]);
  });

  it("reads no path that leaves it, on any request", async () => {
    const source = await folderSource(await packFolder());
    for (const path of ["../x", "/etc/passwd", "guard/../guard/hook.js", "guard//hook.js", ""]) {
      expect(await errorOf(source.read(path, 1_000))).toMatchObject({ code: "path-outside-pack" });
    }
  });

  it.runIf(process.platform === "linux")("closes what it opens", async () => {
    const source = await folderSource(await packFolder());
    const descriptors = async (): Promise<number> => (await readdir("/proc/self/fd")).length;
    const before = await descriptors();
    for (let round = 0; round < 100; round++) {
      await source.read("guard/hook.js", 1_000);
      await source.read("guard/missing.js", 1_000).catch(() => {});
      await source.read("guard/hook.js", 1).catch(() => {});
      await source.read("guard", 1).catch(() => {});
    }
    expect(await descriptors()).toBeLessThan(before + 20);
  });
});
