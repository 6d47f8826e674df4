import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { contain, describeContainment, killGroup, spawnContained } from "../../src/containment/index.ts";

const { backend } = await describeContainment("auto");
const marker = `--title=killed-at-start-${process.pid}`;

/** Processes of this test, by their command lines. */
function marked(): readonly string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(marker);
    } catch {
      return false;
    }
  });
}

// Attack: hooks that have their processes killed, again and again. Bubblewrap is two processes while it starts, and the
// second one waits for the first: where only the first is killed, each kill may leave a process for ever.
it.runIf(backend === "bubblewrap")("a child that is killed while it starts leaves no process", async () => {
  const spec = { reads: [], memoryBytes: 2 ** 28, descriptors: 64, startsProcesses: false };
  const { line, filter } = await contain(spec, "auto");
  const [command = "", ...args] = [...line, process.execPath, marker, "-e", "setInterval(() => {}, 1000)"];
  for (let index = 0; index < 60; index++) {
    const child = spawnContained(command, args, filter, {
      cwd: "/",
      env: {},
      stdio: ["pipe", "pipe", "pipe"],
    });
    const ended = once(child, "exit");
    await sleep(index % 12);
    killGroup(child.pid);
    await ended;
  }
  await expect.poll(marked, { timeout: 5_000 }).toEqual([]);
});
