import { gzipSync } from "node:zlib";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventOf, guard, packOf } from "../../../test/bench/server/setup.ts";
import { head, raw, startTestServer, statusOf, type TestServer } from "./support.ts";

/** The cases of `test/hostile/NON-SCRIPT.md` on bodies of requests, by their ids. */
let test: TestServer;
let key: string;

beforeAll(async () => {
  test = await startTestServer({
    audit: "off",
    limits: { headersMs: 300, requestMs: 900, keepAliveMs: 1_000 },
  });
  ({ key } = await test.tenant("acme", guard));
});

afterAll(() => test[Symbol.asyncDispose]());

function post(
  body: string | Uint8Array<ArrayBuffer>,
  headers: { [name: string]: string } = {},
): Promise<Response> {
  return fetch(`${test.url}/v1/decisions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    body,
  });
}

const good = JSON.stringify(eventOf());
const MiB = 1_048_576;

/** The head of a request for a decision. */
function decisionHead(headers: { readonly [name: string]: string }): string {
  return head("POST", "/v1/decisions", {
    authorization: `Bearer ${key}`,
    "content-type": "application/json",
    ...headers,
  });
}

const statuses = (answer: string): string[] =>
  [...answer.matchAll(/HTTP\/1\.1 (\d{3})/g)].map((found) => found[1] as string);
const decisions = (): number => test.server.context.registry.get("acme")!.decisions;

/** Sends a piece again and again, as fast as it is taken, until the other side closes or a gigabyte has gone. */
function pour(start: string, piece: Buffer): Promise<{ readonly answer: string; readonly taken: number }> {
  return new Promise((done) => {
    const socket = connect(test.port, "127.0.0.1");
    let answer = "";
    socket.on("data", (chunk) => (answer += chunk.toString("latin1")));
    socket.on("error", () => undefined);
    socket.once("close", () => done({ answer, taken: socket.bytesWritten }));
    const more = (): void => {
      while (!socket.destroyed && socket.bytesWritten < 1_024 * MiB) if (!socket.write(piece)) return;
      socket.end();
    };
    socket.on("drain", more);
    socket.write(start);
    more();
  });
}

describe("http-001: bodies that are larger than they may be, or say so", () => {
  // The limit is 8 MiB; what is on its way through the sockets of this machine comes on top.
  const most = 40 * MiB;

  it("refuses a length above the limit before anything of the body has come", async () => {
    // A gigabyte is announced, and not one byte of it is sent: the answer must not wait for it.
    const answer = await raw(test.port, decisionHead({ "content-length": "1073741824" }));
    expect(statusOf(answer)).toBe(413);
    expect(answer.toLowerCase()).toContain("connection: close");
  });

  it("takes nothing of a gigabyte that is sent all the same", async () => {
    const begun = process.memoryUsage.rss();
    const { taken } = await pour(decisionHead({ "content-length": "1073741824" }), Buffer.alloc(65_536, " "));
    expect(taken).toBeLessThan(most);
    expect(process.memoryUsage.rss() - begun).toBeLessThan(200 * MiB);
  });

  it("ends chunks that never end at the limit", async () => {
    const begun = process.memoryUsage.rss();
    const chunk = Buffer.from(`10000\r\n${" ".repeat(65_536)}\r\n`);
    const { taken } = await pour(decisionHead({ "transfer-encoding": "chunked" }), chunk);
    expect(taken).toBeLessThan(most);
    expect(process.memoryUsage.rss() - begun).toBeLessThan(200 * MiB);
    // Who sends no more than a little beyond the limit gets to read why.
    const answer = await raw(
      test.port,
      decisionHead({ "transfer-encoding": "chunked" }),
      ...Array<Buffer>(140).fill(chunk),
    );
    expect(statuses(answer)).toEqual(["413"]);
    expect(answer.toLowerCase()).toContain("connection: close");
  });

  it("ends extensions of chunks that never end", async () => {
    // They are no part of the body, so that no limit of bodies counts them.
    const { taken } = await pour(
      `${decisionHead({ "transfer-encoding": "chunked" })}1;`,
      Buffer.alloc(65_536, "x"),
    );
    expect(taken).toBeLessThan(most);
  });

  it("takes a body without a length for none, and what follows for no request", async () => {
    const before = decisions();
    const answer = await raw(test.port, decisionHead({}), good);
    expect(statuses(answer)).toEqual(["400"]);
    expect(decisions()).toBe(before);
  });

  // Two readers that take the size of a chunk for two numbers disagree about where the next request begins.
  it.each([
    ["in another notation", "0x5\r\nhello\r\n0\r\n\r\n"],
    ["with a sign", "+5\r\nhello\r\n0\r\n\r\n"],
    ["of 17 digits", "10000000000000005\r\nhello\r\n0\r\n\r\n"],
    ["below its bytes", "2\r\nhello\r\n0\r\n\r\n"],
    ["with a bare line feed", "5\nhello\r\n0\r\n\r\n"],
  ])("takes no chunk whose size is %s", async (_name, chunks) => {
    const before = decisions();
    const answer = await raw(
      test.port,
      decisionHead({ "transfer-encoding": "chunked" }),
      chunks,
      head("GET", "/health", {}),
    );
    expect(statuses(answer)).toEqual(["400"]);
    expect(decisions()).toBe(before);
  });

  // Each member of a gzip file is small, and so is the file: what it becomes is a gigabyte.
  it("takes no compressed body, whatever it would become", async () => {
    const member = gzipSync(Buffer.alloc(16 * MiB, " "));
    const bomb = Buffer.concat([...Array<Buffer>(64).fill(member), gzipSync(good)]);
    expect(bomb.length).toBeLessThan(2 * MiB);
    const begun = process.memoryUsage.rss();
    for (const encoding of ["gzip", "x-gzip", "GZIP", "deflate", "br", "zstd", "identity, gzip"]) {
      expect((await post(bomb, { "content-encoding": encoding })).status, encoding).toBe(415);
    }
    // Nothing looks into it where it does not say what it is.
    expect((await post(bomb)).status).toBe(400);
    expect((await post(gzipSync(good))).status).toBe(400);
    expect(process.memoryUsage.rss() - begun).toBeLessThan(200 * MiB);
    const answer = await raw(test.port, decisionHead({ "transfer-encoding": "gzip, chunked" }), bomb);
    expect(statuses(answer)).toEqual(["400"]);
  });

  it("decides nothing on a body that is shorter than its length", async () => {
    const before = decisions();
    const short = decisionHead({ "content-length": String(good.length + 10) });
    // A client that waits gets a timeout response.
    const waited = await raw(test.port, short, good);
    expect(statuses(waited)).toEqual(["408"]);
    expect(waited.toLowerCase()).toContain("connection: close");
    // A client that disconnects there has sent no request.
    const ended = await new Promise<string>((done) => {
      let text = "";
      const socket = connect({ port: test.port, host: "127.0.0.1", allowHalfOpen: true });
      socket.on("data", (chunk) => (text += chunk.toString("latin1")));
      socket.on("error", () => undefined);
      socket.once("close", () => done(text));
      socket.on("end", () => socket.destroy());
      socket.end(`${short}${good}`);
    });
    expect(statuses(ended).filter((status) => status !== "400")).toEqual([]);
    expect(decisions()).toBe(before);
  });

  it("takes what is longer than its length for another request, which is none", async () => {
    const before = decisions();
    // The event is cut, and the rest of it begins a request.
    const cut = await raw(test.port, decisionHead({ "content-length": String(good.length - 1) }), good);
    expect(statuses(cut)).toEqual(["400"]);
    expect(cut.toLowerCase()).toContain("connection: close");
    expect(decisions()).toBe(before);
    // The event is whole, and nonsense follows: that is refused at once, also where the decision has not come yet.
    const more = await raw(test.port, decisionHead({ "content-length": String(good.length) }), `${good}}}`);
    expect(["400", "200 400"]).toContain(statuses(more).join(" "));
    expect(decisions()).toBeLessThanOrEqual(before + 1);
  });

  // The second request is in the body's place, so that something in between may have taken it for a part of the first.
  it("gives a request behind a body nothing of the first one's credential", async () => {
    const answer = await raw(
      test.port,
      decisionHead({ "content-length": String(good.length) }),
      good,
      head("GET", "/v1/tenants/acme/packs", {}),
    );
    expect(statuses(answer)).toEqual(["200", "401"]);
  });
});

describe("http-004: bodies of another type, and JSON that is none", () => {
  it.each([
    ["text/plain"],
    ["application/x-www-form-urlencoded"],
    ["multipart/form-data; boundary=x"],
    ["application/json; charset=utf-16"],
    ["application/json, text/plain"],
    ["application/jsonx"],
    [""],
  ])("answers type `%s` with 415", async (type) => {
    expect((await post(good, { "content-type": type })).status).toBe(415);
  });

  it("answers a missing type with 415", async () => {
    const answer = await raw(
      test.port,
      head("POST", "/v1/decisions", {
        authorization: `Bearer ${key}`,
        "content-length": String(good.length),
      }),
      good,
    );
    expect(statusOf(answer)).toBe(415);
  });

  it.each([
    ["JSON5", "{hook_event_name: 'Stop'}"],
    ["a trailing comma", `${good.slice(0, -1)},}`],
    ["a byte order mark", `\ufeff${good}`],
    ["two documents", `${good}${good}`],
    ["a comment", `/* */${good}`],
    ["nothing", ""],
    ["a number that is none", good.replace('"s1"', "NaN")],
  ])("answers %s with 400", async (_name, body) => {
    expect((await post(body)).status).toBe(400);
  });

  it("answers UTF-16 and invalid UTF-8 with 400", async () => {
    expect((await post(Buffer.from(good, "utf16le"))).status).toBe(400);
    expect(
      (await post(Buffer.concat([Buffer.from(good.slice(0, -1)), Buffer.from([0xff, 0x7d])]))).status,
    ).toBe(400);
  });
});

describe("http-005: events that smuggle something in", () => {
  const tool = '"tool_name":"Bash"';
  const nested = (depth: number): string => `${"[".repeat(depth)}${"]".repeat(depth)}`;
  it.each([
    ["`__proto__`", good.replace(tool, `${tool},"__proto__":{"verdict":"allow"}`)],
    ["`__proto__` in escapes", good.replace(tool, `${tool},"\\u005f_proto__":{}`)],
    ["a duplicate tool name", good.replace(tool, `${tool},"tool_name":"Read"`)],
    ["a duplicate in escapes", good.replace(tool, `${tool},"tool_nam\\u0065":"Read"`)],
    ["an unknown event", good.replace("PreToolUse", "PreToolUSe")],
    ["an event called `constructor`", good.replace("PreToolUse", "constructor")],
    ["nesting of 10,000", good.replace('"Looks', `${nested(10_000)},"x":"Looks`)],
    ["a lone surrogate in a key", good.replace(tool, `${tool},"\\ud800":1`)],
    ["a NUL in the tool's name", good.replace('"Bash"', '"Ba\\u0000sh"')],
    ["a line feed in the tool's name", good.replace('"Bash"', '"Bash\\n"')],
    ["a number beyond doubles", good.replace(tool, `${tool},"x":1e999`)],
  ])("answers %s with 400", async (_name, body) => {
    expect((await post(body)).status).toBe(400);
  });

  // A lone surrogate in a text is no character: it is U+FFFD for everybody, before anything looks at it.
  it("reads a lone surrogate in a text in one way only", async () => {
    const { client } = await test.tenant(
      "surrogates",
      packOf(
        "export default ({ tool_input }) => ({ action: 'deny', reason: JSON.stringify([...tool_input.command].map((c) => c.codePointAt(0))) })",
      ),
    );
    const event = eventOf("s1", "a\ud800b");
    expect(JSON.stringify(event)).toContain("\\ud800");
    expect((await client.decide(event)).reason).toBe("[97,65533,98]");
  });

  it("answers a tool's name of 2 MB and 10^6 keys with 400 or 413", async () => {
    expect([400, 413]).toContain(
      (await post(good.replace('"Bash"', JSON.stringify("B".repeat(2_000_000))))).status,
    );
    const keys = Array.from({ length: 1_000_000 }, (_, at) => `"${at.toString(36)}":0`).join(",");
    expect([400, 413]).toContain((await post(good.replace(tool, `${tool},${keys}`))).status);
  });

  it("holds each event of a batch to the same", async () => {
    const answer = await post(`[${good},${good.replace("PreToolUse", "Nope")}]`);
    expect(answer.status).toBe(200);
    expect(((await answer.json()) as { status: number }[]).map(({ status }) => status)).toEqual([200, 400]);
    expect((await post(`[${good},${good.replace(tool, `${tool},"__proto__":{}`)}]`)).status).toBe(400);
    expect((await post(`[${Array<string>(257).fill("{}").join(",")}]`)).status).toBe(413);
  });
});
