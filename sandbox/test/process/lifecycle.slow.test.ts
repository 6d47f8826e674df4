import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createProcessSandbox } from "../../src/process/index.ts";
import { EngineMissingError } from "../../src/engine-missing.ts";
import { isAlive } from "../../../test/support/is-alive.ts";
import {
  callOf,
  children,
  fakeEngine,
  limitsWith,
  missingEngine,
  patient,
  said,
  sleep,
  until,
} from "./support.ts";

const options = { ...patient, engineModule: fakeEngine, processes: 2 };
const limits = limitsWith({ wallMs: 20_000 });

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "hookwarden-test-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

function script(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

describe("dispose", () => {
  it("ends every process, those that hang included, and answers what is in flight with `overloaded`", async () => {
    const before = new Set(children());
    const sandbox = await createProcessSandbox(options);
    const calls = ["hang", "echo", "hang", "echo"].map((handler) =>
      sandbox.call(callOf(handler, ["1"], { limits })),
    );
    await sleep(50);
    const pids = children().filter((pid) => !before.has(pid));
    expect(pids.length).toBeGreaterThan(0);
    await sandbox[Symbol.asyncDispose]();
    const codes = (await Promise.all(calls)).map(said);
    expect(codes.filter((code) => code === "overloaded").length).toBeGreaterThanOrEqual(2);
    // Reaped too: a zombie would still be listed.
    expect(children().filter((pid) => !before.has(pid))).toEqual([]);
    expect(said(await sandbox.call(callOf("echo", ["1"])))).toBe("overloaded");
    expect(await sandbox.inspect(callOf("echo").program, limits, "t")).toMatchObject({ ok: false });
    await sandbox[Symbol.asyncDispose]();
  });

  it("may come before the first child is ready", async () => {
    const before = new Set(children());
    for (let round = 0; round < 3; round++) {
      const sandbox = await createProcessSandbox(options);
      await sandbox[Symbol.asyncDispose]();
    }
    expect(children().filter((pid) => !before.has(pid))).toEqual([]);
  });
});

/** A program that creates a sandbox, makes a call, says the pids of its children, and then does something. */
function parentOf(then: string): string {
  return `
    import { createProcessSandbox } from ${JSON.stringify(new URL("../../src/process/index.ts", import.meta.url).href)};
    import { children, callOf, fakeEngine, limitsWith, patient } from ${JSON.stringify(new URL("./support.ts", import.meta.url).href)};
    const sandbox = await createProcessSandbox({ ...patient, engineModule: fakeEngine, processes: 1 });
    const call = (handler) => sandbox.call(callOf(handler, ["1"], { limits: limitsWith({ wallMs: 20000 }) }));
    await call("echo");
    ${then}
    console.log(JSON.stringify(children()));
  `;
}

describe("the parent's end", () => {
  it("does not keep the process alive with a sandbox that was not disposed of", () => {
    const path = script("forgets.ts", parentOf(""));
    const result = spawnSync(process.execPath, [path], { timeout: 25_000 });
    expect(result.stderr.toString()).toBe("");
    expect(result.status).toBe(0);
  });

  // The parent is killed: children at rest see the end of their input; one that is busy is killed by the kernel.
  it.runIf(process.platform === "linux")("leaves no child behind", async () => {
    const busy = parentOf(
      'void call("hang"); await new Promise((resolve) => setTimeout(resolve, 100)); setInterval(() => {}, 1000);',
    );
    const parent = spawn(process.execPath, [script("dies.ts", busy)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [line] = (await once(parent.stdout, "data")) as [Buffer];
    const pids = JSON.parse(line.toString()) as number[];
    expect(pids.length).toBeGreaterThan(0);
    expect(pids.every(isAlive)).toBe(true);
    parent.kill("SIGKILL");
    await once(parent, "exit");
    await until(() => !pids.some(isAlive));
  });
});

describe("what the parent has been given by its own parent", () => {
  // A supervisor that leaves a descriptor open gives it to all that comes after, unless somebody stops it.
  it.runIf(process.platform === "linux")("does not go on to the child", () => {
    const secret = script("secret.txt", "hunter2");
    const file = openSync(secret, "r");
    const stdio: ("pipe" | "ignore" | "inherit" | number)[] = ["ignore", "pipe", "inherit"];
    while (stdio.length < 200) stdio.push("ignore");
    stdio.push(file);
    const tell = `
      const { readdirSync, readlinkSync } = await import("node:fs");
      const held = (pid) => readdirSync("/proc/" + pid + "/fd").some((name) => {
        try { return readlinkSync("/proc/" + pid + "/fd/" + name) === ${JSON.stringify(secret)} } catch { return false }
      });
      console.log(JSON.stringify([held(process.pid), children().some(held)]));
      process.exit(0);
    `;
    const result = spawnSync(process.execPath, [script("inherits.ts", parentOf(tell))], {
      timeout: 25_000,
      stdio,
    });
    closeSync(file);
    expect(result.stdout.toString().trim()).toBe("[true,false]");
  });
});

describe("a child that does not start", () => {
  it("because its engine's package is missing: the creation is rejected with `EngineMissingError`", async () => {
    const creation = createProcessSandbox({ ...patient, engineModule: missingEngine });
    await expect(creation).rejects.toBeInstanceOf(EngineMissingError);
    await expect(creation).rejects.toThrow("isolated-vm is not installed");
    expect(children()).toEqual([]);
  });

  it("because it dies: the creation is rejected, with what the child said", async () => {
    const path = script("dies-at-once.mjs", "console.error('no such luck'); process.exit(9)");
    const creation = createProcessSandbox({ ...patient, childModule: path });
    await expect(creation).rejects.toThrow(/exit code 9; it said: no such luck/);
    expect(children()).toEqual([]);
  });

  it.each([
    ["greets with garbage", "process.stdout.write('hello\\n'); setInterval(() => {}, 1000)"],
    [
      "speaks another version of the protocol",
      "process.stdout.write('H 99 0 0 0 1 0\\nx\\n\\n'); setInterval(() => {}, 1000)",
    ],
    [
      "answers before it has greeted",
      "process.stdout.write('K 1 1 1 0 4 0\\ntrue\\n\\n'); setInterval(() => {}, 1000)",
    ],
    ["greets without end", "process.stdout.write('H 1 0 0 0 999999999 0\\n'); setInterval(() => {}, 1000)"],
    ["says nothing", "setInterval(() => {}, 1000)"],
  ])("because it %s: the creation is rejected", async (name, text) => {
    const path = script(`${name}.mjs`, text);
    const startMs = name === "says nothing" ? 300 : 30_000;
    await expect(createProcessSandbox({ ...patient, startMs, childModule: path })).rejects.toThrow(
      "does not start",
    );
    expect(children()).toEqual([]);
  });

  // The installation is broken under a running pool: calls are answered at once, not held for ever, and it recovers.
  it("any more: calls are answered with `overloaded` and the reason", async () => {
    const engine = script(
      "engine.mjs",
      `
      export async function createSandbox() {
        return { version: "1", call: () => ({ ok: true, output: String(process.pid), steps: 1, durationUs: 1, memoryBytes: 0, logs: [] }), inspect: async () => ({ ok: true, handlers: null }), forget() {} };
      }`,
    );
    await using sandbox = await createProcessSandbox({ ...options, engineModule: engine, processes: 1 });
    expect(said(await sandbox.call(callOf("x", [], { limits })))).toBeTypeOf("number");
    const good = readFileSync(engine, "utf8");
    writeFileSync(engine, "throw new Error('broken installation')");
    // Until those that have started before are used up.
    const refused = async (): Promise<string> => {
      const outcome = await sandbox.call(callOf("x", [], { limits }));
      if (!outcome.ok) return `${outcome.fault.code}: ${outcome.fault.message}`;
      process.kill(said(outcome) as number, "SIGKILL");
      return "";
    };
    await expect
      .poll(refused, { timeout: 20_000 })
      .toContain("overloaded: no process could be started: exit code 70");
    writeFileSync(engine, good);
    await expect
      .poll(async () => said(await sandbox.call(callOf("x", [], { limits }))), { timeout: 20_000 })
      .toBeTypeOf("number");
  });

  it("with options that make no sense: it is not tried", async () => {
    await expect(createProcessSandbox({ engine: "quickjs", processes: 0 })).rejects.toThrow(
      "`processes` must be a whole number of at least 1",
    );
    await expect(createProcessSandbox({ engine: "quickjs", graceMs: 1.5 })).rejects.toThrow(RangeError);
  });
});
