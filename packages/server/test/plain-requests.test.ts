import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text as textOf } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readPlainHead } from "../src/http/plain-request.ts";
import { eventOf, guard, packOf } from "../../../test/bench/server/setup.ts";
import { head, raw, startTestServer, statusOf, type TestServer } from "./support.ts";
import { propertyRuns } from "../../../test/support/property-runs.ts";

const line = "POST /v1/decisions HTTP/1.1";
const good = JSON.stringify(eventOf());

/** Heads near to those that are plain: what two readers could read in two ways is among them. */
const pieces = fc.oneof(
  fc.constantFrom(
    "host: localhost",
    "Host: localhost",
    "content-length: 5",
    "Content-Length:5",
    "content-length: 05",
    "content-length: +5",
    "content-length: 5, 5",
    "content-length: 5 ",
    "content-length: 0",
    "content-length: 5\t",
    "content-length : 5",
    " content-length: 5",
    "transfer-encoding: chunked",
    "Transfer-Encoding:\tchunked",
    "transfer-encoding",
    "connection: keep-alive",
    "Connection: Keep-Alive",
    "connection: close",
    "connection: keep-alive, content-length",
    "connection: upgrade",
    "upgrade: h2c",
    "expect: 100-continue",
    "x-a: b\r\n c",
    "x-a: b\rc: d",
    "x-a: b\ncontent-length: 9",
    "x-a: \x00",
    "x-a: é",
    "x-a:",
    "x-a: a b\tc  ",
    "__proto__: x",
    "constructor: x",
    "",
  ),
  fc
    .tuple(
      fc.string({ unit: "binary-ascii", maxLength: 4 }),
      fc.string({ unit: "binary-ascii", maxLength: 6 }),
    )
    .map(([name, value]) => `${name}: ${value}`),
);
const heads = fc
  .tuple(
    fc.constantFrom(
      line,
      line,
      line,
      "POST  /v1/decisions HTTP/1.1",
      "POST /v1/decisions HTTP/1.0",
      `${line} `,
    ),
    fc.array(pieces, { maxLength: 4 }),
    fc.boolean(),
  )
  .map(([first, fields, isWhole]) =>
    [first, ...(isWhole ? ["host: localhost", "content-length: 5"] : []), ...fields]
      .join("\r\n")
      .concat("\r\n\r\n"),
  );

describe("a head that is plain", () => {
  let url: URL;
  const reader = createServer({ requireHostHeader: true }, (request, response) => {
    void describeRequest(request).then((said) => response.end(said));
  });

  beforeAll(async () => {
    await once(reader.listen(0, "127.0.0.1"), "listening");
    url = new URL(`http://127.0.0.1:${(reader.address() as AddressInfo).port}`);
  });
  afterAll(() => void reader.close());

  // Whoever gets a request past a proxy that reads it otherwise than we do speaks in the name of whoever comes next. What
  // is plain is read here in the one way in which Node.js reads it too; everything else is left to Node.js.
  it("is read as Node.js reads it", async () => {
    let taken = 0;
    await fc.assert(
      fc.asyncProperty(heads, async (text) => {
        const plain = readPlainHead(text, line);
        if (!plain) return;
        taken++;
        const body = "x".repeat(plain.bodyBytes);
        const said = await answerOf(Number(url.port), `${text}${body}`);
        expect(JSON.parse(said)).toEqual({
          method: "POST",
          url: "/v1/decisions",
          headers: { ...plain.headers },
          body,
        });
      }),
      { numRuns: propertyRuns(2_000) },
    );
    expect(taken).toBeGreaterThan(50);
  });

  it.each([
    ["two lengths", "content-length: 5\r\ncontent-length: 5"],
    ["an encoding of the body", "content-length: 5\r\ntransfer-encoding: chunked"],
    ["no length", "x-a: b"],
    ["a length of nothing", "content-length: 0"],
    ["a length that is a sum of money", "content-length: 1e1"],
    ["two hosts", "content-length: 5\r\nhost: localhost"],
    ["a wish to be asked for more", "content-length: 5\r\nexpect: 100-continue"],
    ["another protocol", "content-length: 5\r\nupgrade: h2c"],
    ["an end of the connection", "content-length: 5\r\nconnection: close"],
    ["a folded line", "content-length: 5\r\nx-a: b\r\n c"],
    ["a line that a line feed ends", "content-length: 5\r\nx-a: b\nx-c: d"],
    ["a blank in a name", "content-length: 5\r\nx-a : b"],
    ["more fields than anybody needs", `content-length: 5${"\r\nx: y".repeat(101)}`],
  ])("does not have %s", (_what, fields) => {
    expect(readPlainHead(`${line}\r\nhost: localhost\r\n${fields}\r\n\r\n`, line)).toBeNull();
    expect(readPlainHead(`${line}\r\nhost: localhost\r\ncontent-length: 5\r\n\r\n`, line)).not.toBeNull();
  });

  // A pattern that goes back and forth over a line takes the square of its length: seconds for a head.
  it("is looked at in a time that grows with its length only", () => {
    for (const value of [" ".repeat(60_000), `${" ".repeat(60_000)}\x01`, `a${" \t".repeat(30_000)}b\x7f`]) {
      const begun = process.cpuUsage();
      readPlainHead(`${line}\r\nhost: x\r\nx-a:${value}\r\ncontent-length: 5\r\n\r\n`, line);
      expect(process.cpuUsage(begun).user / 1_000).toBeLessThan(500);
    }
  });
});

describe("requests that are plain, and those that are not", () => {
  let test: TestServer;
  let key: string;
  let seen = 0;
  const count = (): void => void seen++;

  beforeAll(async () => {
    test = await startTestServer({
      audit: "off",
      limits: { headersMs: 700, requestMs: 900, keepAliveMs: 2_000, eventBytes: 20_000, batchBytes: 40_000 },
    });
    ({ key } = await test.tenant("acme", guard));
    // Node.js tells here of each request that it has read.
    subscribe("http.server.request.start", count);
  });
  afterAll(async () => {
    unsubscribe("http.server.request.start", count);
    await test[Symbol.asyncDispose]();
  });

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

  /** How many requests Node.js has read while something was done. */
  async function readByNode(work: () => Promise<unknown>): Promise<number> {
    const before = seen;
    await work();
    return seen - before;
  }

  it("go two ways", async () => {
    expect(await readByNode(() => ask(requestOf(good)))).toBe(0);
    expect(await readByNode(() => ask(requestOf(good, { connection: "close" })))).toBe(1);
    expect(await readByNode(() => fetch(`${test.url}/v1/decisions`, fetched()))).toBe(0);
    expect(await readByNode(() => fetch(`${test.url}/health`))).toBe(1);
  });

  const fetched = (): RequestInit => ({
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    body: good,
  });
  const ask = (text: string): Promise<string> => raw(test.port, text);

  it.each<[string, number, () => [string, { [name: string]: string }?]]>([
    ["a decision", 200, () => [good]],
    ["a batch", 200, () => [`[${good},${good}]`]],
    ["words of all languages", 200, () => [JSON.stringify(eventOf("s1", "echo 'Grüße, 你好 😀'"))]],
    ["another system's words", 200, () => [good, { "hookwarden-dialect": "claude-code" }]],
    ["a system that nobody knows", 404, () => [good, { "hookwarden-dialect": "nobody" }]],
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
  ])("get the same answer: %s", async (_what, status, of) => {
    const [body, headers] = of();
    // A header that comes twice is not plain, and changes nothing.
    const [plain, other] = await Promise.all([
      ask(requestOf(body, headers)),
      ask(requestOf(body, headers).replace("\r\n\r\n", "\r\nx-a: 1\r\nx-a: 2\r\n\r\n")),
    ]);
    expect(statusOf(plain)).toBe(status);
    expect(outline(plain)).toEqual(outline(other));
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

  it("are told when they end too early, and others too", async () => {
    const answers = ["", "\r\nx-a: 1\r\nx-a: 2"].map((more) => {
      const socket = connect({ port: test.port, host: "127.0.0.1", allowHalfOpen: true });
      socket.end(requestOf(good).replace("\r\n\r\n", `${more}\r\n\r\n`).slice(0, -5));
      return textOf(socket);
    });
    const [plain, other] = await Promise.all(answers);
    expect(statusOf(plain!)).toBe(400);
    expect(plain).toBe(other);
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

  // Each answer that nobody reads stays in the server's memory, and answers of this size are not counted.
  it("are not decided for whoever reads no answers", async () => {
    const long = packOf("export default () => ({ action: 'notify', text: 'x'.repeat(12_000) })");
    const { key: own } = await test.tenant("reads-nothing", long, { limits: { requestsPerSecond: 100_000 } });
    const tenant = test.server.parts.registry.get("reads-nothing")!;
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
    // Whoever begins to read gets all that there is, and is heard again.
    const decided = tenant.decisions;
    socket.resume();
    await expect.poll(() => tenant.decisions, { timeout: 10_000 }).toBe(asked);
    expect(asked).toBeGreaterThan(decided);
    socket.destroy();
  });

  // A connection that has been told that it ends, and goes on: nothing of what comes then may be done.
  it("are not heard on a connection that ends", async () => {
    const { key: own } = await test.tenant("ends", guard);
    const tenant = test.server.parts.registry.get("ends")!;
    const socket = connect({ port: test.port, host: "127.0.0.1", noDelay: true });
    socket.on("error", () => undefined);
    socket.write(requestOf("{", { authorization: `Bearer ${own}` }));
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(statusOf(answer.toString())).toBe(400);
    socket.write(requestOf(good, { authorization: `Bearer ${own}` }));
    await once(socket, "close");
    expect(tenant.decisions).toBe(0);
  });

  // Whoever asks for large answers and reads none would fill the server's memory with them.
  it("count what was answered and not read", async () => {
    const long = packOf("export default () => ({ action: 'notify', text: 'x'.repeat(30_000) })", {
      limits: { outputBytes: 65_536 },
    });
    const { key: own } = await test.tenant("reads-late", long);
    const answer = await ask(requestOf(good, { authorization: `Bearer ${own}` }));
    expect(statusOf(answer)).toBe(200);
    expect(answer.length).toBeGreaterThan(30_000);
    await expect.poll(() => test.server.parts.unread.of("reads-late"), { timeout: 10_000 }).toBe(0);
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
  const { decisions } = test.server.parts;
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

async function describeRequest(request: IncomingMessage): Promise<string> {
  const { method, url, headers } = request;
  return JSON.stringify({ method, url, headers, body: await textOf(request) });
}

/** The body of the answer to a request. */
function answerOf(port: number, text: string): Promise<string> {
  return new Promise((done, failed) => {
    const socket = connect(port, "127.0.0.1");
    let answer = "";
    socket.on("error", failed);
    socket.on("data", (chunk) => {
      answer += chunk.toString("latin1");
      const at = answer.indexOf("\r\n\r\n");
      const length = /content-length: (\d+)/i.exec(answer)?.[1];
      if (at < 0 || answer.length < at + 4 + Number(length ?? 0)) return;
      socket.destroy();
      done(answer.slice(at + 4));
    });
    socket.on("close", () => done(answer));
    socket.write(text, "latin1");
  });
}

/** What of an answer must be the same for every way that it goes. */
function outline(answer: string): object {
  const [top = "", ...body] = answer.split("\r\n\r\n");
  const [first, ...fields] = top.split("\r\n");
  return {
    first,
    fields: fields
      .map((one) => one.toLowerCase().replace(/^(date|x-request-id|content-length): .*/, "$1"))
      .sort(),
    body: body
      .join("\r\n\r\n")
      .replaceAll(/"(decision_id|request_id)":"[^"]+"/g, '"$1":""')
      .replaceAll(/"(duration_us|memory_bytes|steps)":\d+/g, '"$1":0'),
  };
}

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
