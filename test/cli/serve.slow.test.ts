import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { createServer as createNetServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { generateKey } from "../../src/bundle/index.ts";
import { createClient } from "@hookwarden/client";
import { childrenOf } from "../bench/server/process.ts";
import { eventOf, guard } from "../bench/server/setup.ts";
import { natsMissing, startNats } from "../support/nats-server.ts";
import { startServe } from "../support/serve-process.ts";
import { start } from "./cli.ts";
import { isAlive } from "../support/is-alive.ts";

const folder = mkdtempSync(join(tmpdir(), "hookwarden-cli-serve-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const danger = eventOf("s1", "rm -rf /");
const onLinux = process.platform === "linux";
/** Processes that a server has started. */
const startedBy = (pid: number): number[] => (onLinux ? childrenOf(pid) : []);

describe("hookwarden serve", () => {
  it.each(["SIGTERM", "SIGINT"] as const)(
    "ends at %s in order: exit status 0, no process left",
    async (signal) => {
      await using server = await startServe({ args: ["--no-console"] });
      const started = startedBy(server.pid);
      if (onLinux) expect(started.length).toBeGreaterThan(0);
      expect(await server.stop(signal)).toBe(0);
      expect(server.said()).toContain('"event":"closed"');
      await expect.poll(() => started.filter(isAlive), { timeout: 5_000 }).toEqual([]);
    },
  );

  it("says in words why it cannot listen, and ends: another program has the port", async () => {
    const other = createNetServer();
    await new Promise<void>((done) => other.listen(0, "127.0.0.1", done));
    const { port } = other.address() as { port: number };
    try {
      const child = start(["serve", "--data", join(folder, "taken"), "--port", String(port), "--no-console"]);
      child.stdin.end();
      let said = "";
      child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
      child.stdout.resume();
      expect(await once(child, "close")).toEqual([69, null]);
      expect(said).toContain(
        `listen-failed: cannot listen at \`127.0.0.1:${port}\`: another program listens there (EADDRINUSE)`,
      );
      expect(said).not.toMatch(/^\s+at /m);
      // A key that is written by a start that fails is a valid key that is not expected.
      expect(existsSync(join(folder, "taken", "operator.key"))).toBe(false);
      await using server = await startServe({ args: ["--data", join(folder, "taken"), "--no-console"] });
      expect(server.said()).toContain('"event":"operator-key-written"');
    } finally {
      other.close();
    }
  });

  it("ends at a signal that comes while it starts", async () => {
    const data = join(folder, "early");
    const child = start(["serve", "--data", data, "--port", "0", "--no-console"]);
    child.stdin.end();
    child.stdout.resume();
    child.stderr.resume();
    const ended = once(child, "close");
    // It opens its files first, then starts its processes, and only then waits for its end.
    await expect.poll(() => existsSync(join(data, "server.db")), { interval: 2, timeout: 20_000 }).toBe(true);
    child.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
  });
});

describe.skipIf(natsMissing)("two `hookwarden serve --nats`", { timeout: 120_000 }, () => {
  it("are one: a pack that is put on one decides on the other, and each ends in order", async () => {
    const nats = await startNats();
    const keyFile = join(folder, "fleet.jwk");
    writeFileSync(keyFile, JSON.stringify(await generateKey("fleet")));
    const fleet = ["--nats", nats.url, "--fleet-key", keyFile, "--no-console", "--node"];
    try {
      await using one = await startServe({ args: [...fleet, "one"] });
      // Keys are everybody's, so that the second one finds an operator's, and makes none of its own.
      const operatorKey = one.operatorKey!;
      await using two = await startServe({ args: [...fleet, "two"] });
      expect(two.operatorKey).toBeNull();

      const operator = createClient({ url: one.url, key: operatorKey });
      await operator.putTenant("acme");
      const { key } = await operator.makeKey({
        tenant: "acme",
        name: "agents",
        scopes: ["decide", "packs", "audit"],
      });
      const here = createClient({ url: one.url, key });
      const there = createClient({ url: two.url, key });
      await here.putPack("acme", { files: guard });
      expect(await here.decide(danger)).toMatchObject({ verdict: "deny", decided_by: "guard" });
      const verdict = async (): Promise<string> =>
        there.decide(danger).then(
          (decision) => decision.verdict,
          (error: { code: string }) => error.code,
        );
      await expect.poll(verdict, { timeout: 20_000 }).toBe("deny");
      expect((await there.decide(eventOf())).verdict).toBe("continue");
      // The pack goes on the other one, and is gone here too.
      await there.removePack("acme");
      await expect
        .poll(() => here.decide(danger).catch((error: { code: string }) => error.code), { timeout: 20_000 })
        .toBe("no-pack");
      // Either lists both.
      const nodes = async (): Promise<string[]> =>
        (await createClient({ url: two.url, key: operatorKey }).getNodes()).map(({ node }) => node).sort();
      await expect.poll(nodes, { timeout: 20_000 }).toEqual(["one", "two"]);

      const started = [...startedBy(one.pid), ...startedBy(two.pid)];
      expect(await two.stop()).toBe(0);
      // What is left goes on alone.
      await here.putPack("acme", { files: guard });
      await expect.poll(() => here.decide(danger).then(({ verdict }) => verdict)).toBe("deny");
      expect(await one.stop()).toBe(0);
      await expect.poll(() => [one.pid, two.pid, ...started].filter(isAlive), { timeout: 5_000 }).toEqual([]);
    } finally {
      await nats.close();
    }
  });
});
