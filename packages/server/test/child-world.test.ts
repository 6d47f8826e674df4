import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Client, createClient } from "@hookwarden/client";
import { childrenOf } from "../../../test/bench/server/process.ts";
import { isForkServer } from "../../../sandbox/test/process/support.ts";
import { type ServeProcess, startServe } from "../../../test/support/serve-process.ts";
import { eventOf, guard, packOf } from "../../../test/bench/server/setup.ts";

const onLinux = process.platform === "linux";
if (!onLinux) console.warn("skipped: processes are looked at through /proc, which is Linux's");

// Case ipc-007 of `test/hostile/NON-SCRIPT.md`, as seen from a running server: an operator who debugs it, or starts it with
// secrets in its environment, must not open the processes of its hooks to them. An inspector is a way to run anything.
describe.skipIf(!onLinux)("ipc-007: the processes of a server that is debugged", () => {
  let server: ServeProcess;
  let client: Client;
  let pids: number[];

  beforeAll(async () => {
    server = await startServe({
      args: ["--audit", "off", "--no-console"],
      config: { processes: { processes: 2, spares: 1 } },
      env: {
        NODE_OPTIONS: "--conditions=hookwarden-source --inspect=127.0.0.1:0 --enable-source-maps",
        NODE_EXTRA_CA_CERTS: "/nowhere/hunter2.pem",
        TEST_SECRET: "hunter2",
      },
    });
    await server.operator.putTenant("acme");
    const { key } = await server.operator.makeKey({
      tenant: "acme",
      name: "test",
      scopes: ["decide", "packs"],
    });
    client = createClient({ url: server.url, key });
    await client.putPack("acme", {
      files: packOf(guard["guard/hook.js"] as string, { limits: { wallMs: 10_000 } }),
    });
    await decides();
    for (let looks = 0; looks < 100 && !childrenOf(server.pid).some(isForkServer); looks++) await sleep(100);
    pids = childrenOf(server.pid);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  async function decides(): Promise<void> {
    expect(await client.decide(eventOf("s1", "rm -rf /"))).toMatchObject({
      verdict: "deny",
      trace: [{ outcome: "honoured" }],
    });
  }

  it("have nothing of its environment, and no option of it", () => {
    // The server itself has an open inspector: what is checked here can be seen.
    expect(server.said()).toContain("Debugger listening");
    expect(listening(server.pid)).toBe(2);
    expect(pids.length).toBeGreaterThanOrEqual(2);
    for (const pid of pids) {
      const line = readFileSync(`/proc/${pid}/cmdline`, "utf8");
      const names = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").filter(Boolean);
      // What starts the others has a channel to the server, and no hook in it.
      if (isForkServer(pid)) for (const name of names) expect(name).toMatch(/^NODE_CHANNEL_/);
      else {
        // Bubblewrap says where the process is, which is the root.
        expect(names.filter((name) => name !== "PWD=/")).toEqual(["TZ=UTC"]);
        expect(line).toContain("--permission");
      }
      expect(line).not.toMatch(/inspect|source-maps|hunter2/);
      expect(line).toContain("--disable-sigusr1");
      expect(readlinkSync(`/proc/${pid}/cwd`)).toBe("/");
    }
  });

  it("listen nowhere, and open no inspector at SIGUSR1", async () => {
    for (const pid of pids) {
      expect(listening(pid)).toBe(0);
      try {
        process.kill(pid, "SIGUSR1");
      } catch (error) {
        // A containment launcher ends by the signal, and its child with it.
        if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
      }
    }
    await sleep(500);
    for (const pid of childrenOf(server.pid)) expect(listening(pid)).toBe(0);
    expect(server.said().match(/Debugger listening/g)).toHaveLength(1);
    // Whether they have ended by it or not: decisions go on.
    for (let count = 0; count < 10; count++) await decides();
  });

  it("hold none of its descriptors, such as the socket that it listens on", () => {
    const own = new Set(sockets(server.pid));
    expect(own.size).toBeGreaterThan(0);
    for (const pid of childrenOf(server.pid)) {
      expect(sockets(pid).filter((name) => own.has(name))).toEqual([]);
    }
  });

  it("end with it", async () => {
    const last = childrenOf(server.pid);
    expect(await server.stop()).toBe(0);
    expect(last.filter((pid) => descriptors(pid).length > 0)).toEqual([]);
  });
});

/** What the descriptors of a process lead to; nothing for one that is not there. */
function descriptors(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((name) => {
      try {
        return [readlinkSync(`/proc/${pid}/fd/${name}`)];
      } catch {
        return [];
      }
    });
  } catch {
    return [];
  }
}

/** Sockets of the internet that a process holds; its pipes to its children are none. */
function sockets(pid: number): string[] {
  const known = new Set(tcp(pid).map(({ inode }) => `socket:[${inode}]`));
  return descriptors(pid).filter((name) => known.has(name));
}

/** TCP sockets on which a process listens. */
function listening(pid: number): number {
  const open = new Set(
    tcp(pid)
      .filter(({ state }) => state === "0A")
      .map(({ inode }) => `socket:[${inode}]`),
  );
  return descriptors(pid).filter((name) => open.has(name)).length;
}

/** All TCP sockets of the machine, as the kernel lists them; none for a process that a signal has ended. */
function tcp(pid: number): { readonly state: string; readonly inode: string }[] {
  return ["tcp", "tcp6"].flatMap((name) => {
    const file = `/proc/${pid}/net/${name}`;
    if (!existsSync(file)) return [];
    const rows = readFileSync(file, "utf8").trim().split("\n").slice(1);
    return rows.map((row) => {
      const fields = row.trim().split(/\s+/);
      return { state: fields[3] as string, inode: fields[9] as string };
    });
  });
}
