/**
 * A child whose engine is broken, behind the walls of the operating system alone: the text of the hook runs with all of
 * Node.js, without its permission model, in the command line that a pool would use. What each backend stops is what the
 * table says that its walls stop, no less and no more.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { backends, dataBytes } from "../../src/containment/backends.ts";
import { describeContainment, wallTable } from "../../src/containment/index.ts";
import { createProcessSandbox } from "../../src/process/index.ts";
import { specOf } from "../../src/process/launch.ts";
import { settingsOf } from "../../src/process/options.ts";
import { isAlive } from "../../../test/support/is-alive.ts";
import { callOf, fakeEngine, limitsWith, forkServers, said, until } from "../process/support.ts";
import { attacks, nativeAttacks, type Target } from "./attacks.ts";
import { BrokenEngine, nativeLibrary } from "./broken-engine.ts";

const folder = mkdtempSync(join(tmpdir(), "hookwarden-walls-"));
const { walls: states } = await describeContainment("auto");
const missing = states.filter(({ inForce }) => !inForce);
const isContained = missing.length === 0;
const why = missing.map(({ wall, why: reason }) => `${wall}: ${reason}`).join("; ");

const servers = [
  createServer().listen(0, "127.0.0.1"),
  createServer().listen(join(folder, "socket")),
] as const;
const victim = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
let target: Target;

beforeAll(async () => {
  chmodSync(folder, 0o777);
  writeFileSync(join(folder, "secret"), "hunter2");
  for (const server of servers) if (!server.listening) await once(server, "listening");
  const { port } = servers[0].address() as AddressInfo;
  target = {
    port,
    socket: join(folder, "socket"),
    secret: join(folder, "secret"),
    folder,
    victim: victim.pid as number,
  };
});

afterAll(() => {
  victim.kill("SIGKILL");
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true, force: true });
});

describe.runIf(process.platform === "linux").each(["none", ...backends.map(({ name }) => name)] as const)(
  "a broken engine behind %s",
  (backend) => {
    const walls = new Set(backends.find(({ name }) => name === backend)?.walls ?? []);
    let results: { readonly [name: string]: string } = {};
    let reason = "";

    beforeAll(async () => {
      const child = await BrokenEngine.start(backend);
      if (typeof child === "string") return void (reason = child);
      await using engine = child;
      results = await engine.run(Object.fromEntries(attacks.map(({ name, body }) => [name, body(target)])));
    });

    it.for(attacks)("$name", ({ name, walls: stopping }, { skip }) => {
      skip(reason !== "", `not here: ${reason}`);
      if (stopping.some((wall) => walls.has(wall))) expect(results[name]).not.toBe("done");
      else expect(results[name]).toBe("done");
    });
  },
);

describe.skipIf(!isContained)(
  `native code behind all walls${isContained ? "" : ` (not here: ${why})`}`,
  () => {
    const body = `
    try { process.dlopen({ exports: {} }, nativeModule) } catch {}
    return builtin("node:child_process") && process.env.NATIVE_RESULTS;`;
    const library = nativeLibrary(folder);
    const resultsOf = async (backend: "bubblewrap" | "none"): Promise<ReadonlyMap<string, number>> => {
      await using engine = (await BrokenEngine.start(backend, { engineModule: library! })) as BrokenEngine;
      const { attack = "" } = await engine.run({ attack: body });
      const pairs = attack.split(",").filter(Boolean);
      return new Map(pairs.map((pair) => [pair.split(" ")[0]!, Number(pair.split(" ")[1])]));
    };

    it.skipIf(library === null)(
      "makes no system call but those of the list (skipped without a C compiler)",
      async () => {
        const results = await resultsOf("bubblewrap");
        const expected = Object.keys({ ...nativeAttacks, clone: "" }).map((name) => [name, 38]);
        expect([...results]).toEqual(expected);
        // The same library without walls, so that the test could fail.
        const free = await resultsOf("none");
        expect([free.get("socket"), free.get("clone"), free.get("socketpair")]).toEqual([0, 0, 0]);
      },
    );
  },
);

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

  it("runs on the real engines too", async () => {
    for (const engine of ["quickjs", "isolate"] as const) {
      await using sandbox = await createProcessSandbox({ ...options, engine, engineModule: undefined! });
      const source = "export default (event) => ({ seen: event.a })";
      const program = { key: `${engine} walls`, name: "hook.js", source };
      const outcome = await sandbox.call(callOf("default", ['{"a":1}'], { program, limits: slow }));
      expect(said(outcome)).toEqual({ seen: 1 });
    }
  });
});

// Containers and hardened machines often forbid user namespaces: a namespace in which there can be no other shows it.
describe.skipIf(!isContained)(
  `a machine without user namespaces${isContained ? "" : ` (not here: ${why})`}`,
  () => {
    const modules = ["containment/index.ts", "process/index.ts"].map(
      (path) => new URL(`../../src/${path}`, import.meta.url).href,
    );
    const run = (script: string): string => {
      const file = join(folder, "forbidden.ts");
      const [containment, pool] = modules.map((href) => JSON.stringify(href));
      writeFileSync(
        file,
        `import { describeContainment } from ${containment};
      import { createProcessSandbox } from ${pool};
      ${script}`,
      );
      const forbid = `echo 0 > /proc/sys/user/max_user_namespaces && exec "$0" --no-warnings "$1"`;
      const args = ["--user", "--map-root-user", "/bin/sh", "-c", forbid, process.execPath, file];
      return execFileSync("/usr/bin/unshare", args, { encoding: "utf8" }).trim();
    };

    it("still runs hooks under `auto`, and says what is missing", () => {
      const said = run(`
      await using sandbox = await createProcessSandbox({ engine: "quickjs", startMs: 30000 });
      const { backend, walls } = await describeContainment();
      console.log(backend, walls.filter(({ inForce }) => inForce).map(({ wall }) => wall).join());`);
      expect(said).toBe("setpriv limits");
    });

    it("refuses under `required`, with the walls and what to install", () => {
      const said = run(`
      await createProcessSandbox({ engine: "quickjs", containment: "required" })
        .catch(({ name, message }) => console.log(name + ": " + message));`);
      expect(said).toMatch(
        /^ContainmentMissingError: containment is required, and these walls are missing: `files` \(bubblewrap: /,
      );
      expect(said).toContain("install bubblewrap");
      expect(said).not.toContain("`limits`");
    });
  },
);

describe("the table of walls", () => {
  it("has an attack, or a test above, for every wall", () => {
    const attacked = new Set<string>([...attacks.flatMap(({ walls }) => walls), "privileges", "limits"]);
    expect(Object.keys(wallTable).filter((wall) => !attacked.has(wall))).toEqual([]);
  });
});
