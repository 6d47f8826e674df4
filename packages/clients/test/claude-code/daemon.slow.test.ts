import { lstatSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { programs } from "../../src/hook/programs.ts";
import { hookDefaults } from "../../src/index.ts";
import { daemonFiles, ownFolder, shortName } from "../../src/hook/runtime-folder.ts";
import { write } from "../../../../test/cli/cli.ts";
import { bashEvent, type HookPlace, hookPlace } from "./hook-process.ts";
import { packFiles } from "./hook-pack.ts";

const denied = (run: { answer: any }): boolean =>
  run.answer?.hookSpecificOutput?.permissionDecision === "deny";
const folderOf = (place: HookPlace): string => join(place.run, "hookwarden");

async function until(met: () => boolean | Promise<boolean>): Promise<boolean> {
  for (let tries = 0; tries < 300; tries++) {
    if (await met()) return true;
    await sleep(100);
  }
  return false;
}

describe("the daemon", () => {
  test("is one, also when twenty clients come at once", async () => {
    await using place = await hookPlace();
    const runs = await Promise.all(
      Array.from({ length: 20 }, () => place.call(bashEvent("rm"), ["--idle", "30"])),
    );
    expect(runs.map((run) => [run.code, denied(run)])).toEqual(runs.map(() => [0, true]));
    expect(await place.daemons()).toHaveLength(1);
  }, 90_000);

  test("keeps its files from others", async () => {
    await using place = await hookPlace();
    await place.call(bashEvent("ls"));
    expect(lstatSync(folderOf(place)).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(folderOf(place))) {
      expect([name, lstatSync(join(folderOf(place), name)).mode & 0o077]).toEqual([name, 0]);
    }
  });

  test("ends when no client has come for a while, and a new one takes its place", async () => {
    await using place = await hookPlace();
    await place.call(bashEvent("ls"));
    const [first] = await place.daemons();
    expect(await until(async () => (await place.daemons()).length === 0)).toBe(true);
    expect(readdirSync(folderOf(place)).filter((name) => name.endsWith(".sock"))).toEqual([]);
    expect(denied(await place.call(bashEvent("rm")))).toBe(true);
    expect(await place.daemons()).not.toContain(first);
  });

  // Node's recursive `mkdir` never settles in such a folder: the decision hangs, and so did the end of the daemon.
  test.skipIf(process.platform !== "linux")(
    "ends at SIGTERM though a decision never settles",
    async () => {
      await using place = await hookPlace();
      const child = place.start(["--deadline", "3000", "--idle", "3600"], { XDG_STATE_HOME: "/proc/1/x" });
      child.stdin?.end(JSON.stringify(bashEvent("ls")));
      await new Promise((done) => child.on("close", done));
      const [pid = 0] = await place.daemons();
      expect(pid).toBeGreaterThan(0);
      process.kill(pid, "SIGTERM");
      expect(await until(async () => !(await place.daemons()).includes(pid))).toBe(true);
    },
    60_000,
  );

  test("that was killed is replaced", async () => {
    await using place = await hookPlace();
    await place.call(bashEvent("ls"));
    const [first = 0] = await place.daemons();
    process.kill(first, "SIGKILL");
    expect(await until(async () => !(await place.daemons()).includes(first))).toBe(true);
    expect(denied(await place.call(bashEvent("rm")))).toBe(true);
  });

  // A rule that was just tightened must hold for the very next call.
  test("decides with the pack as it is now, and with none that does not load", async () => {
    await using place = await hookPlace();
    expect(denied(await place.call(bashEvent("ls"), ["--idle", "30"]))).toBe(false);
    const stricter = {
      on: ["PreToolUse"],
      actions: ["deny"],
      does: `() => ({ action: "deny", reason: "all" })`,
    };
    await write(place.pack, packFiles(stricter));
    expect(denied(await place.call(bashEvent("ls"), ["--idle", "30"]))).toBe(true);
    await writeFile(join(place.pack, "one/hook.js"), "export default () => {{{");
    const broken = await place.call(bashEvent("ls"), ["--idle", "30"]);
    expect([broken.code, denied(broken)]).toEqual([2, true]);
    await write(place.pack, packFiles({ ...stricter, does: "() => undefined" }));
    expect(await place.call(bashEvent("ls"), ["--idle", "30"])).toMatchObject({ code: 0, answer: {} });
    expect(await place.daemons()).toHaveLength(1);
    await rm(place.pack, { recursive: true });
    expect((await place.call(bashEvent("ls"), ["--idle", "30"])).code).toBe(2);
  });

  test("remembers what hooks count, also from one daemon to the next", async () => {
    const does = `(event, ctx) => [{ action: "set_state", value: (ctx.state ?? 0) + 1 },
      ...(ctx.state >= 2 ? [{ action: "deny", reason: "the third" }] : [])]`;
    await using place = await hookPlace({
      on: ["PreToolUse"],
      actions: ["deny", "set_state"],
      does,
      state: { scope: "session", maxBytes: 64 },
    });
    expect(denied(await place.call(bashEvent("ls")))).toBe(false);
    for (const pid of await place.daemons()) process.kill(pid, "SIGTERM");
    expect(await until(async () => (await place.daemons()).length === 0)).toBe(true);
    expect(denied(await place.call(bashEvent("ls"), ["--no-daemon", "--isolation", "inline"]))).toBe(false);
    expect(denied(await place.call(bashEvent("ls")))).toBe(true);
  });
});

/** Sits where the daemon would, and knows its secrets by default: another program of the same user. */
async function impostor(
  place: HookPlace,
  behave: (socket: Socket, secrets: readonly string[]) => void,
): Promise<{ readonly server: Server; readonly files: ReturnType<typeof daemonFiles> } & AsyncDisposable> {
  const { identityOf } = await import("../../src/hook/identity.ts");
  const [state, home] = [process.env["XDG_STATE_HOME"], process.env["HOME"]];
  Object.assign(process.env, { XDG_STATE_HOME: place.env["XDG_STATE_HOME"], HOME: place.env["HOME"] });
  const identity = identityOf(
    { ...hookDefaults, pack: place.pack, idleSeconds: 2, deadlineMs: 4_000 },
    programs().daemon,
  );
  if (state === undefined) delete process.env["XDG_STATE_HOME"];
  else process.env["XDG_STATE_HOME"] = state;
  if (home !== undefined) process.env["HOME"] = home;
  mkdirSync(folderOf(place), { mode: 0o700 });
  const files = daemonFiles(folderOf(place), identity);
  const secrets = ["a".repeat(64), "b".repeat(64)];
  writeFileSync(files.secrets, secrets.join("\n"), { mode: 0o600 });
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    behave(socket, secrets);
  });
  await new Promise<void>((done) => server.listen(files.socket, done));
  return {
    server,
    files,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}

describe("something that pretends to be the daemon", () => {
  const call = (place: HookPlace) =>
    place.call(bashEvent("rm -rf /"), ["--deadline", "4000", "--isolation", "process"]);
  const welcome = (socket: Socket, secrets: readonly string[], then: (data: string) => void): void => {
    let greeted = false;
    socket.on("data", (data) => {
      if (greeted) return then(String(data));
      greeted = true;
      socket.write(`${JSON.stringify({ welcome: secrets[1] })}\n`);
    });
  };

  // Another user's program, a left-over of another version: it does not know the secret, and gets no event.
  test("without the secret gets no event, and decides nothing", async () => {
    await using place = await hookPlace();
    let heard = "";
    await using _ = await impostor(place, (socket) => {
      socket.on("data", (data) => {
        heard += String(data);
        socket.write('{"welcome":"guess"}\n{"exit":0,"out":2,"err":0}\n{}');
      });
    });
    expect(denied(await call(place))).toBe(true);
    expect(heard).toContain("hello");
    expect(heard).not.toContain("rm -rf");
  });

  test.each([
    ["no status", '{"out":2,"err":0}\n{}'],
    ["a status that lets run", '{"exit":1,"out":2,"err":0}\n{}'],
    ["no JSON", '{"exit":0,"out":5,"err":0}\nhello'],
    ["a list", '{"exit":0,"out":2,"err":0}\n[]'],
    ["less than it says", '{"exit":0,"out":9999,"err":0}\n{}'],
    ["more than may be", '{"exit":0,"out":99999999999,"err":0}\n{}'],
    ["a line without end", "x".repeat(200_000)],
    ["nothing at all", ""],
  ])("and answers with %s opens nothing", async (_, answer) => {
    await using place = await hookPlace();
    await using __ = await impostor(place, (socket, secrets) =>
      welcome(socket, secrets, () => socket.end(answer)),
    );
    const run = await call(place);
    expect([run.code, denied(run)]).toEqual([2, true]);
  });

  test("and is silent opens nothing", async () => {
    await using place = await hookPlace();
    await using _ = await impostor(place, (socket, secrets) => welcome(socket, secrets, () => undefined));
    const run = await call(place);
    expect([run.code, denied(run)]).toEqual([2, true]);
    expect(run.err).toContain("no decision was made within 4000 ms");
  });
});

describe("the folder of the sockets", () => {
  test("is refused where it is a link, a file, or open", async () => {
    await using place = await hookPlace();
    const uid = process.getuid?.() ?? 0;
    writeFileSync(join(place.path, "file"), "");
    expect(() => ownFolder(join(place.path, "file"), uid)).toThrow("is no folder");
    mkdirSync(join(place.path, "open"), { mode: 0o755 });
    expect(() => ownFolder(join(place.path, "open"), uid)).toThrow("is open to other users");
    expect(() => ownFolder(place.run, uid + 1)).toThrow("belongs to another user");
    expect(ownFolder(place.run, uid)).toBe(place.run);
  });

  test("distinguishes daemons by short names", () => {
    const names = new Set(
      Array.from({ length: 10_000 }, (_, index) => shortName(`/home/user/pack-${index}`)),
    );
    expect(names.size).toBe(10_000);
    expect([...names].every((name) => /^[0-9a-f]{16}$/.test(name))).toBe(true);
    expect(() => daemonFiles(`/${"x".repeat(100)}`, "y")).toThrow("too long");
  });
});
