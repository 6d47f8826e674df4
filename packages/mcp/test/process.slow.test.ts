import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { writePack } from "./packs.ts";
import { cache, proxied } from "./reference.ts";
import type { Message } from "./wire.ts";
import { isAlive } from "../../../test/support/is-alive.ts";

const scripted = [process.execPath, new URL("servers/scripted.ts", import.meta.url).pathname];
const posix = process.platform !== "win32";

// Many processes at the same time.
vi.setConfig({ testTimeout: 120_000 });

let scratch: string;
let pack: string;

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "hookwarden-mcp-"));
  pack = await writePack(join(scratch, "pack"), [
    { name: "quiet", on: ["PreToolUse"], actions: ["deny"], script: "export default () => undefined;" },
  ]);
});
afterAll(() => rm(scratch, { recursive: true, force: true }));

/** A proxy as a client starts it, with its pipes in the hands of a test. */
class Running implements AsyncDisposable {
  readonly child: ChildProcess;
  readonly lines: AsyncIterator<string>;
  errors = "";
  readonly #closed: Promise<unknown>;

  constructor(server: readonly string[], options: readonly string[] = [], env: NodeJS.ProcessEnv = {}) {
    const [command, ...args] = proxied(pack, "srv", server, ...options);
    this.child = spawn(command as string, args, { stdio: "pipe", env: { ...process.env, ...cache, ...env } });
    this.child.stderr?.on("data", (chunk: Buffer) => (this.errors += chunk.toString()));
    this.child.stdin?.on("error", () => undefined);
    this.#closed = once(this.child, "close");
    this.lines = createInterface({ input: this.child.stdout! })[Symbol.asyncIterator]();
  }

  write(text: string): void {
    this.child.stdin?.write(`${text}\n`);
  }

  call(id: unknown, name: string, args: object = {}): void {
    this.write(
      JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args } }),
    );
  }

  async next(): Promise<Message> {
    const { value, done } = await this.lines.next();
    if (done) throw new Error(`the proxy has ended: ${this.errors}`);
    return JSON.parse(value) as Message;
  }

  async text(id: unknown, name: string, args: object = {}): Promise<string> {
    this.call(id, name, args);
    return (await this.next())["result"].content[0].text;
  }

  /** When everything that it and its server wrote has been read, too. */
  async exit(): Promise<number | null> {
    await this.#closed;
    return this.child.exitCode;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill("SIGKILL");
    await this.exit();
  }
}

async function gone(pid: number): Promise<boolean> {
  for (let tries = 0; isAlive(pid) && tries < 100; tries++) await new Promise((done) => setTimeout(done, 50));
  return !isAlive(pid);
}

describe.concurrent("the server's process", () => {
  test("gets the user's own environment, and its standard error is the user's", async () => {
    await using proxy = new Running(scripted, [], { MY_TOKEN: "t0k3n" });
    expect(await proxy.text(1, "env", { name: "MY_TOKEN" })).toBe("t0k3n");
    expect(proxy.errors).toMatch(/scripted: started/);
  });

  test("that crashes leaves an error with each call that waits, and its exit status", async () => {
    await using proxy = new Running(scripted);
    proxy.call(1, "wait");
    proxy.call("two", "exit", { code: 9 });
    const answers = [await proxy.next(), await proxy.next()];
    expect(answers).toMatchObject([
      {
        id: 1,
        error: { code: -32000, message: "the server has ended with exit status 9, so there is no answer" },
      },
      { id: "two", error: { code: -32000 } },
    ]);
    expect(await proxy.exit()).toBe(9);
    expect(proxy.errors).toMatch(/hookwarden: the server has ended with exit status 9/);
  });

  test.runIf(posix)("that a signal ends gives the status that a shell would give", async () => {
    await using proxy = new Running(scripted);
    proxy.call(1, "kill", { signal: "SIGKILL" });
    expect(await proxy.next()).toMatchObject({ id: 1, error: { message: /ended by SIGKILL/ } });
    expect(await proxy.exit()).toBe(137);
  });

  test("that cannot be started is said so, with status 69", async () => {
    await using proxy = new Running(["/no/such/server"]);
    expect(await proxy.exit()).toBe(69);
    expect(proxy.errors).toMatch(
      /^server-failed: the server `\/no\/such\/server` cannot be started: it is not there\./,
    );
  });

  test("ends with its client, with status 0", async () => {
    await using proxy = new Running(scripted);
    const pid = Number(await proxy.text(1, "pid"));
    proxy.child.stdin?.end();
    expect(await proxy.exit()).toBe(0);
    expect(await gone(pid)).toBe(true);
  });

  test("answers what it was asked before its client closed", async () => {
    await using proxy = new Running(scripted);
    proxy.call(1, "echo");
    proxy.child.stdin?.end();
    expect(await proxy.next()).toMatchObject({ id: 1, result: {} });
    expect(await proxy.exit()).toBe(0);
  });

  test("that does not end by itself is ended", async () => {
    await using proxy = new Running(scripted, [], { STUBBORN: "1" });
    const pid = Number(await proxy.text(1, "pid"));
    proxy.child.stdin?.end();
    expect(await proxy.exit()).toBe(0);
    expect(proxy.errors).toMatch(/scripted: SIGTERM/);
    expect(await gone(pid)).toBe(true);
  });

  test.runIf(posix)("leaves no children behind", async () => {
    await using proxy = new Running(scripted);
    const pid = Number(await proxy.text(1, "child"));
    expect(isAlive(pid)).toBe(true);
    proxy.child.stdin?.end();
    await proxy.exit();
    expect(await gone(pid)).toBe(true);
  });

  test.runIf(posix)("gets the signals that the proxy gets", async () => {
    await using proxy = new Running(scripted);
    const pid = Number(await proxy.text(1, "pid"));
    proxy.child.kill("SIGINT");
    expect(await proxy.exit()).toBe(130);
    expect(proxy.errors).toMatch(/scripted: SIGINT/);
    expect(await gone(pid)).toBe(true);
  });

  test.runIf(posix)("sees its input end when the proxy is killed", async () => {
    await using proxy = new Running(scripted);
    const pid = Number(await proxy.text(1, "pid"));
    proxy.child.kill("SIGKILL");
    expect(await gone(pid)).toBe(true);
  });
});

describe.concurrent("what goes over the wire", () => {
  test("passes byte for byte where no hook changes it", async () => {
    await using proxy = new Running(scripted);
    const line =
      '{ "method":"tools/call", "params":{"arguments":{"n":1.0,"2":0,"1":0},"name":"echo"}, "id":"\\u0031", "jsonrpc":"2.0" }';
    proxy.write(line);
    expect((await proxy.next())["result"].content[0].text).toBe(line);
  });

  // Hooks would have judged 12345678901234567000.
  test("an integer that hooks cannot see exactly is refused", async () => {
    await using proxy = new Running(scripted);
    proxy.write(
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"n":12345678901234567890}}}',
    );
    const { result } = await proxy.next();
    expect(result).toMatchObject({ isError: true });
    expect(result.content[0].text).toMatch(/too many digits to be judged exactly/);
  });

  test("a batch is taken apart, and refused whole where an integer in it would change by that", async () => {
    await using proxy = new Running(scripted);
    const call = (id: number, n: string): string =>
      `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"echo","arguments":{"n":${n}}}}`;
    proxy.write(`[${call(1, "1")},${call(2, "2")}]`);
    expect([await proxy.next(), await proxy.next()].map(({ id }) => id)).toEqual([1, 2]);
    proxy.write(`[${call(3, "12345678901234567890")},${call(4, "4")}]`);
    expect(await proxy.next()).toMatchObject({
      error: { message: /number in the message cannot be passed on exactly/ },
    });
  });

  test("a call that can be read in two ways is refused", async () => {
    await using proxy = new Running(scripted);
    proxy.write('{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"echo","name":"exit"}}');
    expect(await proxy.next()).toMatchObject({ id: 5, error: { code: -32600 } });
    expect(await proxy.text(6, "pid")).toMatch(/^\d+$/);
  });

  test("what a server prints beside the protocol is reported, and does no harm", async () => {
    await using proxy = new Running(scripted);
    proxy.call(1, "print", { text: "debug: \u001b[31mhello\n" });
    expect(await proxy.text(2, "pid")).toMatch(/^\d+$/);
    expect(proxy.errors).toMatch(/hookwarden: the server has sent what is refused/);
    expect(proxy.errors).not.toMatch(/\u001b/);
  });

  test("an answer that can be read in two ways is refused, and the call fails", async () => {
    await using proxy = new Running(scripted);
    proxy.call(1, "print", { text: '{"jsonrpc":"2.0","id":1,"result":{"content":[],"content":[]}}\n' });
    expect(await proxy.next()).toMatchObject({ id: 1, error: { message: /^the answer was refused/ } });
  });

  test("a message that is too large is refused on both sides", async () => {
    await using proxy = new Running(scripted, ["--max-message-bytes", "2048"]);
    proxy.call(1, "echo", { text: "x".repeat(4_000) });
    expect(await proxy.next()).toMatchObject({ error: { message: "a message is larger than 2048 bytes" } });
    proxy.call(2, "print", { text: `${"y".repeat(1_000)}` });
    proxy.call(3, "print", { text: `${"y".repeat(1_500)}\n` });
    const failed = [await proxy.next(), await proxy.next()];
    expect(failed).toMatchObject([
      { id: 2, error: { message: /larger than 2048 bytes/ } },
      { id: 3, error: {} },
    ]);
    expect(await proxy.text(4, "pid")).toMatch(/^\d+$/);
  });
});

describe.concurrent("a wrong call", () => {
  test.each([
    ["no server", [], [], /the server command is missing/],
    ["a server and an address", scripted, ["--url", "http://127.0.0.1:1/mcp"], /beside `--url`/],
    ["a header for a command", scripted, ["--header", "A: b"], /`--header` belongs to `--url`/],
    [
      "a header that is none",
      [],
      ["--url", "http://127.0.0.1:1/mcp", "--header", "a\nb"],
      /a name, a colon and a value/,
    ],
    ["a name that can be read in two ways", scripted, ["--name", "a__b"], /the server's name `a__b`/],
    ["an address that is none", [], ["--url", "file:///etc/passwd"], /must be one of http or https/],
    ["listening to the world", scripted, ["--listen", "0.0.0.0:80"], /a loopback address and a port/],
    ["a size that is none", scripted, ["--max-message-bytes", "1"], /1024 to 268435456/],
  ])("%s: exit status 64 and a sentence", async (_, server, options, message) => {
    await using proxy = new Running(server, options);
    expect(await proxy.exit()).toBe(64);
    expect(proxy.errors).toMatch(message);
    expect(proxy.errors.trim().split("\n")).toHaveLength(1);
  });

  test("a pack that is not there: exit status 65, and no server is started", async () => {
    await using proxy = new Running(scripted, ["--pack", "/no/such/pack"]);
    expect(await proxy.exit()).toBe(65);
    expect(proxy.errors).not.toMatch(/scripted/);
  });
});

// The listener has no users: another local user's process that connects acts with the credentials of this one.
test.each([
  ["with", ["--header", "Authorization: Bearer t0k3n"], true],
  ["without", [], false],
])("a proxy that listens %s a header warns that local users share it", async (_, header, warns) => {
  const options = ["--url", "http://127.0.0.1:1/mcp", "--listen", "127.0.0.1:0", ...header];
  await using proxy = new Running([], options);
  await vi.waitFor(() => expect(proxy.errors).toContain("listening at"), { timeout: 60_000 });
  expect(proxy.errors.split("every local user").length - 1).toBe(warns ? 1 : 0);
  expect(proxy.errors).not.toContain("t0k3n");
});
