import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { connect } from "node:net";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Answered, Client, Decision } from "@hookwarden/client";
import { readLines } from "../src/http/read-lines.ts";
import { eventOf, guard, packOf } from "../../../test/bench/server/setup.ts";
import { head, startTestServer, type TestServer } from "./support.ts";

const type = "application/x-ndjson";
const danger = eventOf("s1", "rm -rf /");
let test: TestServer;
let client: Client;
let key: string;

beforeAll(async () => {
  test = await startTestServer({ audit: "off", limits: { requestMs: 500, eventBytes: 20_000 } });
  ({ client, key } = await test.tenant("acme", guard));
});
afterAll(() => test[Symbol.asyncDispose]());

function post(body: string, headers: { [name: string]: string } = {}): Promise<Response> {
  return fetch(`${test.url}/v1/decisions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": type, ...headers },
    body,
  });
}

async function all(answers: AsyncIterable<Answered<Decision>>): Promise<Answered<Decision>[]> {
  return Array.fromAsync(answers);
}

describe("the lines of a request", () => {
  it("are the same however they are cut into chunks", async () => {
    const line = fc.string({ unit: fc.constantFrom("a", "é", " ", "\r", "{"), maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(line),
        fc.array(fc.nat({ max: 40 })),
        fc.boolean(),
        async (lines, cuts, ends) => {
          const bytes = Buffer.from(lines.join("\n") + (ends ? "\n" : ""));
          const chunks: Buffer[] = [];
          let from = 0;
          for (const cut of cuts) chunks.push(bytes.subarray(from, (from += cut)));
          chunks.push(bytes.subarray(from));
          const request = Readable.from(
            chunks.filter((chunk) => chunk.length > 0),
          ) as unknown as IncomingMessage;
          const read = await Array.fromAsync(readLines(request, { maxBytes: 8, maxMs: 1_000 }));
          const wanted = lines
            .filter((one) => Buffer.byteLength(one) > 8 || /[^ \r]/.test(one))
            .map((one) => (Buffer.byteLength(one) > 8 ? null : one.replaceAll(/^[ \r]+|[ \r]+$/g, "")));
          expect(read.map((one) => one && Buffer.from(one).toString())).toEqual(wanted);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe("a stream of events", () => {
  it("is answered line by line, in order, and a bad line in its place", async () => {
    const lines = [
      JSON.stringify(eventOf()),
      "{",
      "",
      JSON.stringify(danger),
      "[]",
      JSON.stringify(eventOf("s1", "x".repeat(30_000))),
      '{"hook_event_name":"Nothing"}',
      JSON.stringify(eventOf("s2")),
    ];
    const response = await post(lines.join("\n"));
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe(type);
    const answers = (await response.text()).trimEnd().split("\n");
    expect(answers.map((one) => JSON.parse(one))).toMatchObject([
      { status: 200, answer: { verdict: "continue" } },
      { status: 400, code: "event-not-json" },
      { status: 200, answer: { verdict: "deny" } },
      { status: 400, code: "event-invalid" },
      { status: 413, code: "event-too-large" },
      { status: 400, code: "event-unknown" },
      { status: 200, answer: { verdict: "continue" } },
    ]);
  });

  it("is refused as a whole without a credential, and with an idempotency key", async () => {
    const line = JSON.stringify(danger);
    expect((await post(line, { authorization: "Bearer x" })).status).toBe(401);
    expect((await post(line, { authorization: `Bearer ${test.operatorKey}` })).status).toBe(403);
    expect((await post(line, { "idempotency-key": "one" })).status).toBe(400);
  });

  it("is held to the tenant's limits, event by event", async () => {
    const { client: slow } = await test.tenant("slow", guard, { limits: { requestsPerSecond: 5 } });
    const answers = await all(slow.decideStream(Array.from({ length: 30 }, () => eventOf())));
    expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThan(15);
    expect(answers).toHaveLength(30);
  });

  // Unread responses would fill the server's memory: it must stop reading, and deciding.
  it("is not read further while its answers are not read", { timeout: 30_000 }, async () => {
    const long = packOf("export default () => ({ action: 'notify', text: 'x'.repeat(12_000) })");
    const { key: own } = await test.tenant("reads-nothing", long, { limits: { requestsPerSecond: 100_000 } });
    const tenant = test.server.context.registry.get("reads-nothing")!;
    const socket = connect({ port: test.port, host: "127.0.0.1" });
    socket.pause().on("error", () => undefined);
    socket.write(
      head("POST", "/v1/decisions", {
        authorization: `Bearer ${own}`,
        "content-type": type,
        "transfer-encoding": "chunked",
      }),
    );
    const line = `${JSON.stringify(eventOf())}\n`.repeat(10);
    const chunk = `${line.length.toString(16)}\r\n${line}\r\n`;
    const wanted = 8_000;
    for (let sent = 0; sent < wanted; sent += 10) socket.write(chunk);
    let before = -1;
    while (tenant.decisions !== before) {
      before = tenant.decisions;
      await sleep(500);
    }
    expect(tenant.decisions).toBeGreaterThan(10);
    expect(tenant.decisions).toBeLessThan(wanted - 100);
    socket.destroy();
  });

  it("ends where a line has begun and does not come to its end", async () => {
    const socket = connect({ port: test.port, host: "127.0.0.1" });
    socket.resume().on("error", () => undefined);
    socket.write(
      `${head("POST", "/v1/decisions", { authorization: `Bearer ${key}`, "content-type": type, "transfer-encoding": "chunked" })}1\r\n{\r\n`,
    );
    await once(socket, "close");
  });

  it("of a client that goes away is no failure of the server", async () => {
    const before = test.lines.length;
    const socket = connect({ port: test.port, host: "127.0.0.1" });
    socket.on("error", () => undefined);
    socket.write(
      head("POST", "/v1/decisions", {
        authorization: `Bearer ${key}`,
        "content-type": type,
        "transfer-encoding": "chunked",
      }),
    );
    await once(socket, "data");
    socket.resetAndDestroy();
    await sleep(100);
    expect(test.lines.slice(before)).toEqual([]);
  });
});

describe("decideStream of the client", () => {
  it("sends events as they come, and gives each answer before the next event is there", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    async function* events(): AsyncGenerator<object> {
      yield danger;
      await promise;
      yield eventOf("s1", "ls");
    }
    const answers = client.decideStream(events());
    expect((await answers.next()).value).toMatchObject({ status: 200, answer: { verdict: "deny" } });
    resolve();
    expect((await answers.next()).value).toMatchObject({ status: 200, answer: { verdict: "continue" } });
    expect((await answers.next()).done).toBe(true);
  });

  it("keeps the order of many sessions", async () => {
    const events = Array.from({ length: 200 }, (_, at) =>
      eventOf(`s${at % 7}`, at % 3 === 0 ? "rm -rf /" : "ls"),
    );
    const answers = await all(client.decideStream(events));
    expect(answers.map((one) => "answer" in one && one.answer.verdict)).toEqual(
      events.map((_, at) => (at % 3 === 0 ? "deny" : "continue")),
    );
  });

  it("rejects where the stream is refused", async () => {
    await test.operator.putTenant("disabled", { disabled: true });
    const { key: own } = await test.operator.makeKey({ tenant: "disabled", name: "k", scopes: ["decide"] });
    const { createClient } = await import("@hookwarden/client");
    const refused = createClient({ url: test.url, key: own });
    await expect(all(refused.decideStream([danger]))).rejects.toMatchObject({ code: "tenant-disabled" });
  });

  it("rejects where the server ends before every event is answered", async () => {
    const other = await startTestServer({ audit: "off" });
    const { client: one } = await other.tenant("acme", guard);
    async function* endless(): AsyncGenerator<object> {
      for (;;) {
        yield danger;
        await sleep(20);
      }
    }
    const answers = one.decideStream(endless());
    expect((await answers.next()).value).toMatchObject({ status: 200 });
    const closed = other[Symbol.asyncDispose]();
    await expect(all(answers)).rejects.toMatchObject({ name: "ServerError" });
    await closed;
  });
});
