import { spawn } from "node:child_process";
import { expect, test } from "vitest";
import { folder } from "../../../../test/cli/cli.ts";
import { endProcessesOf, processesOf } from "../../src/doctor/end-processes.ts";

/** A process that outlives its parent and ignores requests to end, as a client's own daemon may. */
const stubborn = `
  process.on("SIGTERM", () => undefined);
  process.stdout.write("up");
  setInterval(() => undefined, 1_000);
`;

async function started(home: string): Promise<number> {
  const child = spawn(process.execPath, ["-e", stubborn], {
    env: { HOME: home },
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
  });
  await new Promise((done) => child.stdout.once("data", done));
  child.unref();
  return child.pid as number;
}

test.skipIf(process.platform === "win32")(
  "ends detached processes of a session, and no others",
  { timeout: 15_000 },
  async () => {
    await using mine = await folder();
    await using other = await folder();
    const ended = await started(mine.path);
    // Its path begins like the other's.
    const kept = await started(`${mine.path}-2`);
    try {
      expect(await processesOf(mine.path)).toEqual([ended]);
      await endProcessesOf(mine.path);
      expect(await processesOf(mine.path)).toEqual([]);
      await endProcessesOf(other.path);
      expect(await processesOf(`${mine.path}-2`)).toEqual([kept]);
    } finally {
      process.kill(kept, "SIGKILL");
    }
  },
);
