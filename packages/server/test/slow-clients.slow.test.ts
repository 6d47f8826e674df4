import { readdirSync, readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { type Client, createClient } from "@hookwarden/client";
import { type ServeProcess, startServe } from "../../../test/support/serve-process.ts";
import { eventOf, guard } from "../../../test/bench/server/setup.ts";
import { head } from "./support.ts";

/** Case http-002 of `test/hostile/NON-SCRIPT.md`: as many slow clients as it names. */
const wanted = 5_000;
/** A byte every so often: as in the case, fewer than one for each deadline of the server. */
const dripMs = 2_500;
const limits = { headersMs: 5_000, requestMs: 7_000, keepAliveMs: 7_000 };
/** Descriptors that a process needs for everything else. */
const reserved = 500;

const may = Math.min(wanted, openFilesLimit() - reserved);
if (process.platform !== "linux")
  console.warn("skipped: connections from many addresses are made on Linux only");
else if (may < wanted)
  console.warn(
    `http-002: ${may} slow connections instead of ${wanted}, as this process may open no more files`,
  );

// A connection costs its client nothing, and the server a descriptor and memory. They come from
// several addresses, each of which stays below what one may have, and hang where a request can hang: in its headers, in
// its body, and after an answer.
it.skipIf(process.platform !== "linux")(
  `http-002: closes ${may} connections on which headers, bodies or requests do not come, and serves others meanwhile`,
  { timeout: 120_000 },
  async () => {
    await using server = await startServe({ config: { limits }, args: ["--audit", "off", "--no-console"] });
    const { client, key } = await tenantOf(server);
    await decideBoth(client);
    const before = descriptorsOf(server.pid);

    const others = new AbortController();
    let most = 0;
    const served = serveOthers(client, others.signal, () => {
      most = Math.max(most, descriptorsOf(server.pid) - before);
    });
    // Looked at when all is closed.
    served.catch(() => undefined);
    const slow = new SlowClients(server.port, key);
    await slow.open(may);
    await slow.allClosed;
    others.abort();
    const { answered, longestMs } = await served;

    // Most of them at the same time, and not one after the other.
    expect(most).toBeGreaterThan(may * 0.6);
    expect(answered).toBeGreaterThan(20);
    expect(longestMs).toBeLessThan(10_000);
    // The server closed them, and late requests got a timeout response.
    expect([...slow.answers].sort()).toEqual(["200", "408"]);
    await expect.poll(() => descriptorsOf(server.pid), { timeout: 10_000 }).toBeLessThan(before + 20);
  },
);

const danger = eventOf("s1", "rm -rf /");

async function tenantOf({ operator, url }: ServeProcess): Promise<{ client: Client; key: string }> {
  await operator.putTenant("acme");
  const { key } = await operator.makeKey({ tenant: "acme", name: "test", scopes: ["decide", "packs"] });
  const client = createClient({ url, key });
  await client.putPack("acme", { files: guard });
  return { client, key };
}

async function decideBoth(client: Client): Promise<void> {
  expect((await client.decide(danger)).verdict).toBe("deny");
  expect((await client.decide(eventOf())).verdict).toBe("continue");
}

/** Somebody who just wants decisions, and must get each of them. */
async function serveOthers(
  client: Client,
  signal: AbortSignal,
  each: () => void,
): Promise<{ readonly answered: number; readonly longestMs: number }> {
  let answered = 0;
  let longestMs = 0;
  while (!signal.aborted) {
    const begun = performance.now();
    await decideBoth(client);
    longestMs = Math.max(longestMs, performance.now() - begun);
    answered += 2;
    each();
    await sleep(20);
  }
  return { answered, longestMs };
}

/** Clients that send hardly anything, a thousand from each address. */
class SlowClients {
  /** Statuses that came on a connection until it was closed. */
  readonly answers = new Set<string>();
  readonly allClosed: Promise<void>;
  readonly #port: number;
  readonly #starts: readonly string[];
  readonly #dripping = new Set<Socket>();
  #open = 0;
  #done!: () => void;

  constructor(port: number, key: string) {
    this.#port = port;
    const body = head("POST", "/v1/decisions", {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "content-length": "5000",
    });
    this.#starts = ["POST /v1/decisions HTTP/1.1\r\nhost: loc", `${body}{`, head("GET", "/health", {})];
    this.allClosed = new Promise((done) => (this.#done = done));
  }

  async open(count: number): Promise<void> {
    this.#open = count;
    for (let at = 0; at < count; at++) {
      this.#connect(at);
      // As many as a listening socket may keep waiting.
      if (at % 500 === 499) await sleep(50);
    }
    const drip = setInterval(() => {
      for (const socket of this.#dripping) socket.write(" ");
    }, dripMs);
    void this.allClosed.then(() => clearInterval(drip));
  }

  #connect(at: number): void {
    const localAddress = `127.0.0.${2 + Math.floor(at / 1_000)}`;
    const socket = connect({ port: this.#port, host: "127.0.0.1", localAddress });
    const kind = at % this.#starts.length;
    socket.write(this.#starts[kind] as string);
    // What rests after an answer sends nothing: a byte would begin the next request.
    if (kind < 2) this.#dripping.add(socket);
    let text = "";
    socket.on("data", (chunk) => (text += chunk.toString("latin1")));
    socket.on("error", () => undefined);
    socket.once("close", () => {
      this.#dripping.delete(socket);
      this.answers.add([...text.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map((found) => found[1]).join(" "));
      if (--this.#open === 0) this.#done();
    });
  }
}

function descriptorsOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** Files that this process may have open; Node.js takes as many as it can get. */
function openFilesLimit(): number {
  if (process.platform !== "linux") return 0;
  const most = /^Max open files\s+(\d+|unlimited)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
  return most === undefined || most === "unlimited" ? Infinity : Number(most);
}
