import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeFolder } from "../../src/files/index.ts";

test("creates the folders above, with the mode, and leaves what exists", () => {
  const root = mkdtempSync(join(tmpdir(), "hookwarden-make-folder-"));
  try {
    const folder = join(root, "a", "b", "c");
    makeFolder(folder, 0o700);
    makeFolder(folder, 0o777);
    if (process.platform !== "win32") expect(statSync(folder).mode & 0o777).toBe(0o700);
    writeFileSync(join(root, "file"), "");
    expect(() => makeFolder(join(root, "file", "below"))).toThrow("ENOTDIR");
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});

// Attack: an environment variable such as XDG_STATE_HOME names a place where Node's recursive `mkdir` never returns.
test.skipIf(process.platform !== "linux")("fails below /proc, and does not spin", () => {
  expect(() => makeFolder("/proc/hookwarden/state/installed")).toThrow("ENOENT");
});
