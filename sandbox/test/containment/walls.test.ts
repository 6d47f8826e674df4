/**
 * A child whose engine is broken, behind the walls of the operating system alone: the text of the hook runs with all of
 * Node.js, without its permission model, in the command line that a pool would use. What each backend stops is what the
 * table says that its walls stop, no less and no more.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { backends } from "../../src/containment/backends.ts";
import { describeContainment, wallTable } from "../../src/containment/index.ts";
import { createProcessSandbox } from "../../src/process/index.ts";
import { callOf, limitsWith, said } from "../process/support.ts";
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

it.skipIf(!isContained)(
  `a contained pool runs on the real engines${isContained ? "" : ` (not here: ${why})`}`,
  async () => {
    for (const engine of ["quickjs", "isolate"] as const) {
      await using sandbox = await createProcessSandbox({
        engine,
        containment: "required",
        processes: 1,
        graceMs: 2_000,
        startMs: 30_000,
      });
      const source = "export default (event) => ({ seen: event.a })";
      const program = { key: `${engine} walls`, name: "hook.js", source };
      const outcome = await sandbox.call(
        callOf("default", ['{"a":1}'], { program, limits: limitsWith({ wallMs: 10_000 }) }),
      );
      expect(said(outcome)).toEqual({ seen: 1 });
    }
  },
);

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
  it("has an attack, or a test of pools, for every wall", () => {
    const attacked = new Set<string>([...attacks.flatMap(({ walls }) => walls), "privileges", "limits"]);
    expect(Object.keys(wallTable).filter((wall) => !attacked.has(wall))).toEqual([]);
  });
});
