import { chmod, cp, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { folder } from "../../../../test/cli/cli.ts";
import { denies, passes } from "../../src/doctor/canary-pack.ts";
import { freshInstall } from "../../src/doctor/examine.ts";
import { faults, tryFault } from "../../src/doctor/faults.ts";
import { paths, tryEveryTool, tryPath } from "../../src/doctor/paths.ts";
import type { SessionPlace } from "../../src/doctor/session.ts";

/** `doctor` against a client of ours, so that the ordinary suite tests it: the real clients are opt-in. */

const client = "qwen-code";
let made: Awaited<ReturnType<typeof folder>>;
let binary: string;

beforeAll(async () => {
  made = await folder();
  binary = join(made.path, "fake-client.ts");
  await cp(fileURLToPath(new URL("fake-client.ts", import.meta.url)), binary);
  await chmod(binary, 0o755);
});
afterAll(() => made[Symbol.asyncDispose]());

const shell = paths[0]!;

describe.skipIf(process.platform === "win32")("doctor", { timeout: 30_000 }, () => {
  test("finds that a call met a hook, and leaves no daemon behind", async () => {
    let home = "";
    const install = freshInstall(passes);
    const prepare = (place: SessionPlace): Promise<void> => {
      home = place.home;
      return install(place);
    };
    expect(await tryPath({ client, binary, prepare }, shell)).toMatchObject({
      outcome: "denied",
      tool: "run_shell_command",
    });
    // The daemon's fork server ends once it has noticed that the daemon is gone.
    await expect.poll(() => processesOf(home), { timeout: 10_000 }).toEqual([]);
  });

  test("finds that a call met no hook where none is installed", async () => {
    const { outcome } = await tryPath({ client, binary, prepare: noHooks }, shell);
    expect(outcome).toBe("ran");
  });

  test("finds the one tool that fires no hook", async () => {
    await writeFile(join(made.path, "skips"), "write_file\n");
    const tools = await tryEveryTool({ client, binary, prepare: freshInstall(denies) }, false);
    expect(tools.map(({ tool, outcome }) => [tool, outcome])).toEqual([
      ["run_shell_command", "denied"],
      ["write_file", "no hook"],
    ]);
  });

  // The fake client, like the real one, runs a tool whose hook exits with 1.
  test("breaks the hook before tools, and nothing else", async () => {
    const fault = faults.find(({ name }) => name === "exit 1")!;
    expect(await tryFault(client, binary, fault)).toMatchObject({ outcome: "denied" });
  });
});

async function noHooks(): Promise<void> {}

/** Processes whose command line names a folder. */
async function processesOf(home: string): Promise<string[]> {
  if (process.platform !== "linux") return [];
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")),
  );
  return lines.filter((line) => line.includes(home));
}
