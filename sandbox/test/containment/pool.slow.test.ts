/** A pool of children behind all walls: it ends them, and watches them, as it does without walls. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { dataBytes } from "../../src/containment/backends.ts";
import { describeContainment } from "../../src/containment/index.ts";
import { createProcessSandbox } from "../../src/process/index.ts";
import { specOf } from "../../src/process/launch.ts";
import { settingsOf } from "../../src/process/options.ts";
import { isAlive } from "../../../test/support/is-alive.ts";
import { callOf, fakeEngine, forkServers, limitsWith, said, until } from "../process/support.ts";
import { BrokenEngine } from "./broken-engine.ts";

const folder = mkdtempSync(join(tmpdir(), "hookwarden-walls-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const missing = (await describeContainment("auto")).walls.filter(({ inForce }) => !inForce);
const isContained = missing.length === 0;
const why = missing.map(({ wall, why: reason }) => `${wall}: ${reason}`).join("; ");

describe.skipIf(!isContained)(`a contained pool${isContained ? "" : ` (not here: ${why})`}`, () => {
  const options = {
    engine: "quickjs",
    containment: "required",
    engineModule: fakeEngine,
    processes: 1,
    graceMs: 2_000,
    startMs: 30_000,
  } as const;
  const slow = limitsWith({ wallMs: 10_000 });

  // Memory is watched from outside, although the process that was started is not the one that holds it.
  it("ends a child that takes memory, one that hangs, and one that dies, and says which", async () => {
    await using sandbox = await createProcessSandbox(options);
    const outcome = async (handler: string, args: string[] = [], limits = slow): Promise<unknown> =>
      said(await sandbox.call(callOf(handler, args, { limits })));
    expect(await outcome("grow", [String(1 << 30)])).toBe("memory-exceeded");
    expect(await outcome("hang", [], limitsWith({ wallMs: 100 }))).toBe("timeout");
    expect(await outcome("exit")).toBe("crashed");
    expect(await outcome("abort")).toBe("crashed");
    expect(await outcome("echo", ["1"])).toBe(1);
  });

  // A parent that is killed cannot end its children: the kernel does, and with the first process of the namespace all.
  it("leaves nothing behind when its parent is killed, however busy it is", async () => {
    const index = new URL("../../src/process/index.ts", import.meta.url).href;
    const support = new URL("../process/support.ts", import.meta.url).href;
    const script = join(folder, "parent.ts");
    writeFileSync(
      script,
      `import { createProcessSandbox } from ${JSON.stringify(index)};
      import { callOf, limitsWith } from ${JSON.stringify(support)};
      import { readFileSync } from "node:fs";
      const sandbox = await createProcessSandbox(${JSON.stringify(options)});
      await sandbox.call(callOf("echo", ["1"], { limits: limitsWith({ wallMs: 10000 }) }));
      void sandbox.call(callOf("hang", [], { limits: limitsWith({ wallMs: 10000 }) }));
      await new Promise((resolve) => setTimeout(resolve, 300));
      const below = (pid) => readFileSync("/proc/" + pid + "/task/" + pid + "/children", "latin1").trim().split(" ")
        .filter(Boolean).map(Number).flatMap((child) => [child, ...below(child)]);
      console.log(JSON.stringify(below(process.pid)));
      setInterval(() => {}, 1000);`,
    );
    const parent = spawn(process.execPath, [script], { stdio: ["ignore", "pipe", "inherit"] });
    const [line] = (await once(parent.stdout, "data")) as [Buffer];
    const pids = JSON.parse(line.toString()) as number[];
    // Bubblewrap, the first process of the namespace, and Node.js: at least once.
    expect(pids.length).toBeGreaterThanOrEqual(3);
    parent.kill("SIGKILL");
    await once(parent, "exit");
    await until(() => !pids.some(isAlive));
  });

  // In a pool that lives for a while, another process of ours starts the children: they get the same walls.
  it("has the children of the fork server contained too", async () => {
    await using sandbox = await createProcessSandbox(options);
    const hang = callOf("hang", [], { limits: limitsWith({ wallMs: 100 }) });
    await until(() => forkServers().length === 1);
    // Each kills a child; what takes its place is started by the fork server.
    for (let count = 0; count < 3; count++) expect(said(await sandbox.call(hang))).toBe("timeout");
    expect(said(await sandbox.call(callOf("echo", ["1"], { limits: slow })))).toBe(1);
    const below = (pid: number): number[] => {
      const list = readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").trim();
      const children = list.split(" ").filter(Boolean).map(Number);
      return children.length === 0 ? [pid] : children.flatMap(below);
    };
    const filters = (): readonly (string | undefined)[] =>
      forkServers()
        .flatMap(below)
        .map((pid) => /^Seccomp:\t(\d)$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1]);
    // A child that is being started has its filter a moment later.
    await expect.poll(() => [...new Set(filters())], { timeout: 10_000 }).toEqual(["2"]);
  });

  // Nothing watches it here: the kernel's own limit must hold.
  it("cannot take more than the kernel's limit, nor open files without end", async () => {
    const small = { rssRetireBytes: 1_048_576, rssMarginBytes: 1_048_576 };
    await using engine = (await BrokenEngine.start("bubblewrap", small)) as BrokenEngine;
    const { memory, files } = await engine.run({
      memory: `
        const hold = [];
        try { for (;;) hold.push(Buffer.alloc(16 << 20, 1)); } catch { return hold.length * (16 << 20); }`,
      files: `
        const fs = builtin("node:fs");
        let count = 0;
        try { for (;;) { fs.openSync(process.argv[1]); count++; } } catch { return count; }`,
    });
    expect(Number(memory)).toBeLessThan(dataBytes(specOf(settingsOf({ engine: "quickjs", ...small }))));
    expect(Number(files)).toBeLessThan(128);
  });
});
