import { once } from "node:events";
import { connect } from "node:net";
import { text as textOf } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventOf, guard, packOf } from "../../../test/bench/server/setup.ts";
import { firstOf, head, raw, startTestServer, statusOf, type TestServer } from "./support.ts";
import { propertyRuns } from "../../../test/support/property-runs.ts";

const good = JSON.stringify(eventOf());

describe("requests for decisions", () => {
  let test: TestServer;
  let key: string;

  beforeAll(async () => {
    test = await startTestServer({
      audit: "off",
      limits: { headersMs: 700, requestMs: 900, keepAliveMs: 2_000, eventBytes: 20_000, batchBytes: 40_000 },
    });
    ({ key } = await test.tenant("acme", guard));
  });
  afterAll(() => test[Symbol.asyncDispose]());

  const requestOf = (
    body: string,
    { authorization = `Bearer ${key}`, ...headers }: { [name: string]: string } = {},
  ): string =>
    head("POST", "/v1/decisions", {
      "content-type": "application/json",
      authorization,
      "content-length": String(Buffer.byteLength(body)),
      ...headers,
    }) + body;

  const ask = (text: string): Promise<string> => raw(test.port, text);

  it.each<[string, number, () => [string, { [name: string]: string }?]]>([
    ["a decision", 200, () => [good]],
    ["a batch", 200, () => [`[${good},${good}]`]],
    ["words of all languages", 200, () => [JSON.stringify(eventOf("s1", "echo 'Grüße, 你好 😀'"))]],
    ["another system's words", 200, () => [good, { "hookwarden-dialect": "claude-code" }]],
    ["an unknown system", 404, () => [good, { "hookwarden-dialect": "unknown" }]],
    ["a key for one answer", 200, () => [good, { "idempotency-key": "one" }]],
    ["a key that is none", 400, () => [good, { "idempotency-key": "o ne" }]],
    ["no event", 400, () => ["{}"]],
    ["no JSON", 400, () => ["{"]],
    ["an event that is too large", 413, () => [JSON.stringify(eventOf("s1", "x".repeat(21_000)))]],
    ["no credential", 401, () => [good, { authorization: "Bearer x" }]],
    ["an operator's credential", 403, () => [good, { authorization: `Bearer ${test.operatorKey}` }]],
    ["another type", 415, () => [good, { "content-type": "text/plain" }]],
    ["a compressed body", 415, () => [good, { "content-encoding": "gzip" }]],
    ["another name of this machine", 421, () => [good, { host: "evil.invalid" }]],
    ["a foreign page", 421, () => [good, { origin: "https://evil.invalid" }]],
  ])("are answered by status: %s", async (_what, status, of) => {
    expect(statusOf(await firstOf(test.port, requestOf(...of())))).toBe(status);
  });

  // What comes over a network comes in pieces of any length; what stands behind a request is the next one.
  it("may come in any pieces, and many at a time: each is answered, in its order", async () => {
    const kinds = {
      plain: [requestOf(good), 200],
      danger: [requestOf(JSON.stringify(eventOf("s1", "rm -rf /"))), 200],
      wide: [requestOf(JSON.stringify(eventOf("s1", "é😀".repeat(50)))), 200],
      chunked: [
        `${head("POST", "/v1/decisions", { "content-type": "application/json", authorization: `Bearer ${key}`, "transfer-encoding": "chunked" })}${good.length.toString(16)}\r\n${good}\r\n0\r\n\r\n`,
        200,
      ],
      unknown: [head("GET", "/nowhere", {}), 404],
      health: [head("GET", "/health", {}), 200],
    } as const;
    const names = Object.keys(kinds) as (keyof typeof kinds)[];
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...names, "plain", "plain"), { minLength: 1, maxLength: 6 }),
        fc.array(fc.nat(), { maxLength: 6 }),
        async (chosen, cuts) => {
          const bytes = Buffer.from(chosen.map((name) => kinds[name as keyof typeof kinds][0]).join(""));
          const ends = [...cuts.map((cut) => cut % bytes.length), bytes.length].sort((a, b) => a - b);
          const answers = await conversation(test.port, bytes, ends, chosen.length);
          expect(answers).toEqual(chosen.map((name) => kinds[name as keyof typeof kinds][1]));
        },
      ),
      { numRuns: propertyRuns(20) },
    );
  });

  it("get an error when they end too early", async () => {
    const socket = connect({ port: test.port, host: "127.0.0.1", allowHalfOpen: true });
    socket.end(requestOf(good).slice(0, -5));
    expect(statusOf(await textOf(socket))).toBe(400);
  });

  it("have their time: a connection that says nothing, one that stops in a body, one that rests", async () => {
    const whole = requestOf(good);
    const [silent, stopped, resting] = await Promise.all([
      lasting(test.port, ""),
      lasting(test.port, whole.slice(0, -5)),
      lasting(test.port, whole),
    ]);
    expect(statusOf(silent.text)).toBe(408);
    expect(statusOf(stopped.text)).toBe(408);
    expect(statusOf(resting.text)).toBe(200);
    // Each by its own limit: what rests may do so for longest.
    expect(silent.ms).toBeLessThan(resting.ms);
    expect(stopped.ms).toBeLessThan(resting.ms);
  });

  // Each byte comes alone: kept one by one they would cost a hundred times as much as they hold.
  it("may come byte by byte", async () => {
    const body = JSON.stringify(eventOf("s1", "x")).slice(0, -1).padEnd(300) + "}";
    const whole = requestOf(body);
    const socket = connect({ port: test.port, host: "127.0.0.1", noDelay: true });
    socket.write(whole.slice(0, -150));
    for (const byte of whole.slice(-150)) {
      socket.write(byte);
      await sleep(1);
    }
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(statusOf(answer.toString())).toBe(200);
    socket.destroy();
  });

  it("lose the credential with the key, on a connection that is open too", async () => {
    const { client, key: own } = await test.tenant("brief", guard);
    const [{ id } = { id: "" }] = await test.operator.getKeys("brief");
    const socket = connect(test.port, "127.0.0.1");
    const say = async (): Promise<number> => {
      socket.write(requestOf(good, { authorization: `Bearer ${own}` }));
      const [answer] = (await once(socket, "data")) as [Buffer];
      return statusOf(answer.toString());
    };
    expect(await say()).toBe(200);
    expect(await say()).toBe(200);
    await test.operator.revokeKey(id);
    expect(await say()).toBe(401);
    await once(socket, "close");
    await expect(client.decide(eventOf())).rejects.toMatchObject({ status: 401 });
  });

  // Each unread answer stays in the server's memory, and answers of this size are not counted.
  it("are not decided for a client that reads no answers", async () => {
    const long = packOf("export default () => ({ action: 'notify', text: 'x'.repeat(12_000) })");
    const { key: own } = await test.tenant("reads-nothing", long, { limits: { requestsPerSecond: 100_000 } });
    const tenant = test.server.context.registry.get("reads-nothing")!;
    const socket = connect({ port: test.port, host: "127.0.0.1", noDelay: true });
    socket.pause().on("error", () => undefined);
    const one = requestOf(good, { authorization: `Bearer ${own}` });
    const wanted = 4_000;
    let asked = 0;
    for (let waited = 0; asked < wanted && waited < 300;) {
      if (tenant.decisions < asked) {
        await sleep(1);
        waited++;
        continue;
      }
      waited = 0;
      socket.write(one);
      asked++;
    }
    // As much as the system keeps for the two ends of a connection, which is less than 48 MB.
    expect(tenant.decisions).toBeGreaterThan(10);
    expect(tenant.decisions).toBeLessThan(wanted - 100);
    // A client that starts to read gets all that there is, and is served again.
    const decided = tenant.decisions;
    socket.resume();
    await expect.poll(() => tenant.decisions, { timeout: 10_000 }).toBe(asked);
    expect(asked).toBeGreaterThan(decided);
    socket.destroy();
  });

  // A connection that continues after `connection: close`: nothing that comes then may be processed.
  it("are not heard on a connection that ends", async () => {
    const { key: own } = await test.tenant("ends", guard);
    const tenant = test.server.context.registry.get("ends")!;
    const socket = connect({ port: test.port, host: "127.0.0.1", noDelay: true });
    socket.on("error", () => undefined);
    socket.write(requestOf("{", { authorization: `Bearer ${own}` }));
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(statusOf(answer.toString())).toBe(400);
    socket.write(requestOf(good, { authorization: `Bearer ${own}` }));
    await once(socket, "close");
    expect(tenant.decisions).toBe(0);
  });

  // A request that travels with a refused one must not be decided unseen: its client would send it again, and it would be
  // decided and recorded twice.
  it("are not decided behind one that is refused", async () => {
    const { key: own } = await test.tenant("behind", guard);
    const tenant = test.server.context.registry.get("behind")!;
    const behind = requestOf(good, { authorization: `Bearer ${own}` });
    for (const refused of [
      requestOf(good, { authorization: "Bearer x" }),
      requestOf("{", { authorization: `Bearer ${own}` }),
      requestOf(good, { authorization: `Bearer ${own}`, "content-type": "text/plain" }),
    ]) {
      const answer = await ask(`${refused}${behind}${behind}`);
      expect(answer.match(/HTTP\/1\.1 \d{3}/g)).toHaveLength(1);
      expect(answer.toLowerCase()).toContain("connection: close");
    }
    expect(tenant.decisions).toBe(0);
  });

  // The answer to a broken request, sent at once, would be taken for the answer to the request before it.
  it("are answered before the broken one behind them, whose 400 comes last", async () => {
    const brokenOnes = [
      "NOT HTTP\r\n\r\n",
      head("GET", "/health", { host: "localhost\r\nhost: localhost" }),
      `${head("POST", "/v1/decisions", { authorization: `Bearer ${key}`, "content-type": "application/json", "transfer-encoding": "chunked" })}zz\r\n`,
    ];
    for (const broken of brokenOnes) {
      const answer = await ask(`${requestOf(good)}${requestOf(good)}${broken}`);
      expect(answer.match(/HTTP\/1\.1 (\d{3})/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 200", "HTTP/1.1 400"]);
      expect(answer.match(/"verdict":/g)).toHaveLength(2);
    }
  });

  it("that are broken cut a stream under way off, and write nothing into it", async () => {
    const watch = head("GET", "/v1/admin/live", { authorization: `Bearer ${test.operatorKey}` });
    const socket = connect({ port: test.port, host: "127.0.0.1" });
    let text = "";
    socket.on("data", (chunk) => (text += chunk.toString("latin1"))).on("error", () => undefined);
    socket.write(`${watch}NOT HTTP\r\n\r\n`);
    await expect.poll(() => text).toContain(": watching");
    await sleep(100);
    expect(text.match(/HTTP\/1\.1 \d{3}/g)).toEqual(["HTTP/1.1 200"]);
    socket.destroy();
  });

  // Large answers that the client does not read would fill the server's memory.
  it("count what was answered and not read", async () => {
    const long = packOf("export default () => ({ action: 'notify', text: 'x'.repeat(30_000) })", {
      limits: { outputBytes: 65_536 },
    });
    const { key: own } = await test.tenant("reads-late", long);
    const answer = await ask(requestOf(good, { authorization: `Bearer ${own}` }));
    expect(statusOf(answer)).toBe(200);
    expect(answer.length).toBeGreaterThan(30_000);
    await expect.poll(() => test.server.context.unsent.of("reads-late"), { timeout: 10_000 }).toBe(0);
  });
});

it("are answered while the server ends, and the connection with them", async () => {
  const test = await startTestServer({ audit: "off" });
  const { key } = await test.tenant("acme", guard);
  const socket = connect(test.port, "127.0.0.1");
  const text = `${head("POST", "/v1/decisions", {
    "content-type": "application/json",
    authorization: `Bearer ${key}`,
    "content-length": String(good.length),
  })}${good}`;
  socket.write(text);
  const [first] = (await once(socket, "data")) as [Buffer];
  expect(statusOf(first.toString())).toBe(200);
  // Something that is decided when the server begins to end.
  const { decisions } = test.server.context;
  const decide = decisions.decide.bind(decisions);
  const asked = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  decisions.decide = async (request) => {
    asked.resolve();
    const reply = await decide(request);
    await goOn.promise;
    return reply;
  };
  socket.write(text);
  await asked.promise;
  const closed = test[Symbol.asyncDispose]();
  setTimeout(goOn.resolve, 100);
  const answer = await textOf(socket);
  await closed;
  expect(statusOf(answer)).toBe(200);
  expect(answer.toLowerCase()).toContain("connection: close");
});

/** Statuses of the answers to bytes that are sent in pieces. */
function conversation(
  port: number,
  bytes: Buffer,
  ends: readonly number[],
  wanted: number,
): Promise<number[]> {
  return new Promise((done, failed) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    let text = "";
    const statuses = (): number[] =>
      [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((found) => Number(found[1]));
    socket.on("error", failed);
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      if (statuses().length >= wanted) socket.destroy();
    });
    socket.on("close", () => done(statuses()));
    void (async () => {
      let at = 0;
      for (const end of ends) {
        socket.write(bytes.subarray(at, end));
        at = end;
        await sleep(1);
      }
    })();
  });
}

/** What comes on a connection until it is closed, and after how long. */
function lasting(port: number, text: string): Promise<{ readonly text: string; readonly ms: number }> {
  return new Promise((done) => {
    const begun = performance.now();
    const socket = connect(port, "127.0.0.1");
    let answer = "";
    socket.on("error", () => undefined);
    socket.on("data", (chunk) => (answer += chunk.toString("latin1")));
    socket.on("close", () => done({ text: answer, ms: performance.now() - begun }));
    if (text !== "") socket.write(text);
  });
}
