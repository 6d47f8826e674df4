import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { createServer } from "../../src/index.ts";
import { lockFolder } from "../../src/sqlite/folder-lock.ts";

const folder = mkdtempSync(join(tmpdir(), "hookwarden-lock-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const used = expect.objectContaining({
  code: "storage-failed",
  message: expect.stringContaining("is used by another server"),
});

test("a folder that a server uses is refused to another one, and free when that has ended", async () => {
  const options = { data: join(folder, "one"), port: 0, where: "inline", console: false } as const;
  const first = await createServer(options);
  await expect(createServer(options)).rejects.toEqual(used);
  await first.close();
  await using second = await createServer(options);
  expect((await second.listen()).port).toBeGreaterThan(0);
  expect(statSync(join(folder, "one/server.lock")).mode & 0o077).toBe(0);
});

// A lock that outlives its holder would keep a server that was killed from ever starting again.
test("a process that was killed holds nothing any more", async () => {
  const held = join(folder, "two");
  const module = new URL("../../src/sqlite/folder-lock.ts", import.meta.url).href;
  const child = spawn(
    process.execPath,
    [
      "--input-type=module",
      "--eval",
      `import { lockFolder } from ${JSON.stringify(module)};
       globalThis.lock = lockFolder(${JSON.stringify(held)});
       console.log("held");
       setInterval(() => {}, 1_000);`,
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  await once(child.stdout, "data");
  expect(() => lockFolder(held)).toThrow(used);
  child.kill("SIGKILL");
  await once(child, "close");
  lockFolder(held)[Symbol.dispose]();
});
