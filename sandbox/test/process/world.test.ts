import { execFileSync } from "node:child_process";
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Sandbox } from "../../src/contract.ts";
import { createProcessSandbox } from "../../src/process/index.ts";
import { callOf, children, fakeEngine, limitsWith, patient, said, sleep } from "./support.ts";

const limits = limitsWith({ wallMs: 5_000 });

// What code finds that has got out of its engine, into the child: a process with nothing in it, and few rights.
describe("the world of a child", () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    // Secrets that a child would inherit, and options that would open it.
    process.env["HOOKWARDEN_TEST_SECRET"] = "hunter2";
    process.env["NODE_OPTIONS"] = "--inspect=127.0.0.1:0";
    sandbox = await createProcessSandbox({ ...patient, engineModule: fakeEngine, processes: 1 });
  });
  afterAll(async () => {
    delete process.env["HOOKWARDEN_TEST_SECRET"];
    process.env["NODE_OPTIONS"] = "--conditions=hookwarden-source";
    await sandbox[Symbol.asyncDispose]();
  });

  it("has no environment, no folder, no channel", async () => {
    const world = said(await sandbox.call(callOf("world", [], { limits }))) as Record<string, unknown>;
    // Bubblewrap says where the process is, which is the root.
    const { PWD = "/", ...env } = world["env"] as Record<string, string>;
    expect([PWD, env]).toEqual(["/", { TZ: "UTC" }]);
    expect(world["cwd"]).toBe("/");
    expect(world["channel"]).toBe("undefined");
    expect(world["proto"]).toBe(false);
  });

  it("may not read, write, start, load or compile anything", async () => {
    const rights = said(await sandbox.call(callOf("rights", [], { limits })));
    expect(rights).toEqual({
      readFile: "ERR_ACCESS_DENIED",
      readFolder: "ERR_ACCESS_DENIED",
      // Its own program was readable until it was loaded; newer versions of Node.js can give that up.
      readOwn:
        typeof (process.permission as { drop?: unknown } | undefined)?.drop === "function" || canDrop()
          ? "ERR_ACCESS_DENIED"
          : "done",
      writeFile: "ERR_ACCESS_DENIED",
      process: "ERR_ACCESS_DENIED",
      worker: "ERR_ACCESS_DENIED",
      addon: "ERR_DLOPEN_DISABLED",
      eval: "EvalError",
      require: "ERR_ACCESS_DENIED",
    });
    expect(existsSync("/tmp/hookwarden-must-not-exist")).toBe(false);
  });

  // The engine that is an addon needs that right while it loads, and must not keep it.
  it.runIf(canDrop())("may load no addon either where the engine is one", async () => {
    await using other = await createProcessSandbox({
      ...patient,
      engine: "isolate",
      engineModule: fakeEngine,
    });
    expect(said(await other.call(callOf("rights", [], { limits })))).toMatchObject({
      addon: expect.stringMatching(/ERR_ACCESS_DENIED|ERR_DLOPEN_DISABLED/) as string,
      readFile: "ERR_ACCESS_DENIED",
      readOwn: "ERR_ACCESS_DENIED",
    });
  });

  // A descriptor that is inherited is a right that no permission model sees.
  it.runIf(process.platform === "linux")("has none of its parent's files, pipes and sockets", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    const file = openSync(import.meta.filename, "r");
    await using fresh = await createProcessSandbox({ ...patient, engineModule: fakeEngine, processes: 1 });
    const pid = said(await fresh.call(callOf("pid", [], { limits }))) as number;
    const own = new Set(descriptors(process.pid));
    const shared = descriptors(pid).filter(
      (name) => own.has(name) && name !== "/dev/null" && !name.startsWith("anon_inode"),
    );
    closeSync(file);
    server.close();
    expect(own).toContain(import.meta.filename);
    expect(shared).toEqual([]);
  });

  // SIGUSR1 opens the inspector of a Node.js process, and with it everything: here it must not.
  it.runIf(process.platform === "linux")("opens no inspector on SIGUSR1", async () => {
    const pid = said(await sandbox.call(callOf("pid", [], { limits }))) as number;
    process.kill(pid, "SIGUSR1");
    await sleep(200);
    expect(listening(pid)).toBe(0);
    const next = said(await sandbox.call(callOf("pid", [], { limits })));
    expect(next).toBeTypeOf("number");
  });

  it.runIf(process.platform === "linux")(
    "has no listening socket, and its command line names no secret",
    () => {
      for (const pid of children()) {
        const line = readFileSync(`/proc/${pid}/cmdline`, "utf8");
        expect(line).not.toContain("hunter2");
        expect(listening(pid)).toBe(0);
      }
    },
  );
});

/** Whether a new process of this version of Node.js can give up rights that it has. */
function canDrop(): boolean {
  const script = "process.stdout.write(typeof process.permission.drop)";
  const env = { PATH: process.env["PATH"] };
  return execFileSync(process.execPath, ["--permission", "-e", script], { env }).toString() === "function";
}

/** What the descriptors of a process lead to: paths, pipes and sockets with their numbers. */
function descriptors(pid: number): string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((name) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${name}`)];
    } catch {
      return [];
    }
  });
}

/** TCP sockets on which a process listens, by the inodes of its descriptors. */
function listening(pid: number): number {
  const table = ["tcp", "tcp6"].flatMap((name) =>
    readFileSync(`/proc/${pid}/net/${name}`, "utf8").trim().split("\n").slice(1),
  );
  const open = new Set(
    table
      .map((line) => line.trim().split(/\s+/))
      .filter((row) => row[3] === "0A")
      .map((row) => row[9]),
  );
  return descriptors(pid).filter((name) => open.has(/^socket:\[(\d+)\]$/.exec(name)?.[1])).length;
}
