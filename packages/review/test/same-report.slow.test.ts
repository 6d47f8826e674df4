import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { packOfTrial, readTrial } from "./trial/read-trial.ts";

const program = fileURLToPath(new URL("../../../src/cli/main.ts", import.meta.url));
/** Hooks with chance, state, a clock, a package and rewrites: what could make two reviews differ. */
const names = ["sampled-checks", "earned-trust", "coin-of-clock", "glob-helper", "quicker-registry"];
const hooks = (await readTrial("malicious")).filter(({ name }) => names.includes(name));

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hookwarden-same-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** The report of a review in a process of its own, as it stands in the file. */
async function reportOf(pack: string, file: string): Promise<string> {
  const args = ["--no-warnings", "--conditions=hookwarden-source", program, "review", pack, "--json", file];
  // The exit status says what is suggested.
  await new Promise((resolve) => execFile(process.execPath, args, resolve));
  return readFile(file, "utf8");
}

it.each(hooks)(
  "two processes write the same report of $name, byte for byte",
  { timeout: 600_000 },
  async (hook) => {
    await using pack = await packOfTrial(hook);
    const [first, second] = [
      await reportOf(pack.path, join(folder, `${hook.name}-1.json`)),
      await reportOf(pack.path, join(folder, `${hook.name}-2.json`)),
    ];
    expect(first).toContain(`"name": "${hook.name}"`);
    expect(second).toBe(first);
  },
);
