import { existsSync, readFileSync, statSync } from "node:fs";
import { connect } from "node:net";
import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { launchOf } from "../../src/process/launch.ts";
import { ForkServer } from "../../src/process/fork-server.ts";
import { settingsOf } from "../../src/process/options.ts";
import { createProcessSandbox } from "../../src/process/index.ts";
import {
  callOf,
  fakeEngine,
  limitsWith,
  forkServers,
  patient,
  programOf,
  said,
  sleep,
  until,
} from "./support.ts";

const linux = process.platform === "linux";
const limits = limitsWith({ wallMs: 10_000 });

function parentOf(pid: number): number | null {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, "latin1").split(") ").at(-1)!.split(" ")[1]);
  } catch {
    return null;
  }
}

/** The socket of a fork server, by its command line. */
function socketOf(pid: number): string {
  return readFileSync(`/proc/${pid}/cmdline`, "latin1").split("\0").at(-2)!;
}

describe.runIf(linux)("the fork server", () => {
  it("has children started where a pool lives for a while, and takes everything with it at the end", async () => {
    let socket = "";
    {
      await using sandbox = await createProcessSandbox({
        ...patient,
        engineModule: fakeEngine,
        processes: 1,
      });
      const pidOf = async (): Promise<number> =>
        said(await sandbox.call(callOf("pid", [""], { limits }))) as number;
      expect(parentOf(await pidOf())).toBe(process.pid);
      await until(() => forkServers().length === 1);
      await sleep(300);
      const [forkServer] = forkServers();
      socket = socketOf(forkServer!);
      expect(existsSync(socket)).toBe(true);
      // The first that dies is followed by the one that stood by, and one of the next by the fork server's first; it reports
      // that it listens only after its process is there.
      for (let round = 0; parentOf(await pidOf()) !== forkServer && round < 50; round++) {
        expect(said(await sandbox.call(callOf("exit", [""], { limits, program: programOf() })))).toBe(
          "crashed",
        );
      }
      expect(parentOf(await pidOf())).toBe(forkServer);
      // Calls of every size go the way that they go in other children.
      const text = JSON.stringify("é😀x".repeat(100_000));
      const large = limitsWith({ wallMs: 10_000, outputBytes: 4_194_304, inputBytes: 8_388_608 });
      const outcome = await sandbox.call(callOf("echo", [text], { limits: large }));
      expect(outcome.ok && outcome.output === text).toBe(true);
      // One that does not end is killed like any other.
      const short = limitsWith({ wallMs: 50 });
      expect(said(await sandbox.call(callOf("hang", [""], { limits: short, program: programOf() })))).toBe(
        "timeout",
      );
      expect(await pidOf()).toBeTypeOf("number");
    }
    expect(forkServers()).toEqual([]);
    expect(existsSync(dirname(socket))).toBe(false);
  });

  // Who can kill one process of the user can kill another: then children are started as they are without it.
  it("may be killed at any moment: calls are answered, and new children come", async () => {
    await using sandbox = await createProcessSandbox({ ...patient, engineModule: fakeEngine, processes: 1 });
    await until(() => forkServers().length === 1);
    await sleep(300);
    for (let round = 0; round < 2; round++)
      await sandbox.call(callOf("exit", [""], { limits, program: programOf() }));
    const calls = Array.from({ length: 20 }, (_, at) =>
      sandbox.call(callOf(at % 2 ? "echo" : "spin", ["20"], { limits })),
    );
    process.kill(forkServers()[0]!, "SIGKILL");
    const answers = (await Promise.all(calls)).map(said);
    for (const answer of answers)
      expect(["crashed", "number"]).toContain(answer === "crashed" ? answer : typeof answer);
    // Its children die with it, and cost no more than what each was at.
    expect(answers.filter((answer) => answer === "crashed").length).toBeLessThanOrEqual(4);
    for (let round = 0; round < 3; round++) {
      expect(said(await sandbox.call(callOf("exit", [""], { limits, program: programOf() })))).toBe(
        "crashed",
      );
      expect(said(await sandbox.call(callOf("echo", ["1"], { limits })))).toBe(1);
    }
  });

  // Otherwise a process that reaches its socket could answer in the place of a child.
  it("never takes a foreign connection for a child's", async () => {
    const forkServer = await ForkServer.open();
    const socket = socketOf(forkServers()[0]!);
    // Other users cannot reach it.
    expect(statSync(dirname(socket)).mode & 0o777).toBe(0o700);
    try {
      const intruders = [
        "1 stdout 00000000-0000-0000-0000-000000000000\n",
        "1 stdout \n",
        "x\n",
        "\n",
        `${"1".repeat(1_000)}`,
        "0 __proto__ x\n",
      ].map((greeting) => {
        const intruder = connect(socket);
        intruder.on("error", () => {});
        intruder.write(greeting);
        return new Promise((closed) => intruder.once("close", () => closed(true)));
      });
      const launch = await launchOf(settingsOf({ ...patient, engineModule: fakeEngine }));
      const child = await forkServer.spawn(launch);
      expect(parentOf(child.pid!)).not.toBe(process.pid);
      expect(await Promise.all(intruders)).toEqual(intruders.map(() => true));
      const ended = new Promise((tell) => child.once("exit", (code, signal) => tell([code, signal])));
      child.kill("SIGKILL");
      expect(await ended).toEqual([null, "SIGKILL"]);
      expect(child.kill("SIGKILL")).toBe(false);
    } finally {
      await forkServer.close();
    }
    await expect(forkServer.spawn(await launchOf(settingsOf(patient)))).rejects.toThrow("closed");
    expect(existsSync(dirname(socket))).toBe(false);
  });

  // A child that is killed while it starts: where this process was busy, its start and its exit are reported in one batch.
  // A missed exit would be waited for forever.
  it("reports every exit, however early", async () => {
    const forkServer = await ForkServer.open();
    try {
      const launch = { ...(await launchOf(settingsOf(patient))), command: "/bin/true", args: [] };
      const pause = new Int32Array(new SharedArrayBuffer(4));
      let spawned = 0;
      for (let round = 0; round < 80; round++) {
        // Listened to as soon as it is there, as a pool does.
        const reported = forkServer.spawn(launch).then(
          (child) => {
            spawned++;
            return new Promise((resolve) => child.once("exit", () => resolve("reported")));
          },
          () => "reported",
        );
        await sleep((round % 8) / 2);
        // Nothing is read meanwhile.
        Atomics.wait(pause, 0, 0, 25);
        expect(await Promise.race([reported, sleep(10_000)])).toBe("reported");
      }
      expect(spawned).toBeGreaterThan(0);
    } finally {
      await forkServer.close();
    }
  });

  it("reports that a child cannot be started", async () => {
    const forkServer = await ForkServer.open();
    try {
      const launch = await launchOf(settingsOf(patient));
      await expect(forkServer.spawn({ ...launch, command: "/nowhere/node" })).rejects.toThrow(/ENOENT/);
    } finally {
      await forkServer.close();
    }
  });
});
