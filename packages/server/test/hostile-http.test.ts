import crypto from "node:crypto";
import { request as httpRequest } from "node:http";
import { syncBuiltinESMExports } from "node:module";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Decision } from "hookwarden/broker";
import { routes } from "../src/routes/index.ts";
import { eventOf, guard, packOf } from "../../../test/bench/server/setup.ts";
import { head, raw, startTestServer, statusOf, type TestServer } from "./support.ts";

/** The cases of `test/hostile/NON-SCRIPT.md` on HTTP and tenants, by their ids. */
let test: TestServer;
let key: string;

beforeAll(async () => {
  test = await startTestServer({
    audit: "off",
    limits: { headersMs: 600, requestMs: 900, keepAliveMs: 1_000, connectionsPerAddress: 64, pipelined: 4 },
  });
  ({ key } = await test.tenant("acme", guard));
});

afterAll(() => test[Symbol.asyncDispose]());

function post(
  body: string | Uint8Array<ArrayBuffer>,
  headers: { [name: string]: string } = {},
  path = "/v1/decisions",
): Promise<Response> {
  return fetch(`${test.url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    body,
  });
}

const good = JSON.stringify(eventOf());
const bearer = (): { authorization: string } => ({ authorization: `Bearer ${key}` });

async function isAlive(): Promise<boolean> {
  return (await post(good)).status === 200;
}

describe("http-002: clients that send slower than anyone would", () => {
  it("closes connections whose headers or bodies do not come, and serves others meanwhile", async () => {
    const begun = performance.now();
    const slow = Array.from({ length: 40 }, (_, at) => {
      const socket = connect(test.port, "127.0.0.1");
      socket.on("error", () => undefined);
      const body = head("POST", "/v1/decisions", {
        ...bearer(),
        "content-type": "application/json",
        "content-length": "500",
      });
      socket.write(at % 2 === 0 ? "POST /v1/decisions HTTP/1.1\r\nhost: loc" : `${body}{`);
      const drip = setInterval(() => socket.write(at % 2 === 0 ? "a" : " "), 200);
      return new Promise<void>((done) => {
        socket.once("close", () => {
          clearInterval(drip);
          done();
        });
        socket.resume();
      });
    });
    expect(await isAlive()).toBe(true);
    await Promise.all(slow);
    expect(performance.now() - begun).toBeLessThan(10_000);
  });

  it("takes only so many connections from one address", async () => {
    const sockets = Array.from({ length: 100 }, () =>
      connect({ port: test.port, host: "127.0.0.1", localAddress: "127.0.0.9" }),
    );
    const closed = { count: 0 };
    for (const socket of sockets) {
      socket.on("error", () => undefined);
      socket.once("close", () => closed.count++);
    }
    await expect.poll(() => closed.count).toBeGreaterThanOrEqual(36);
    // From another address, all is as it was.
    expect(await isAlive()).toBe(true);
    for (const socket of sockets) socket.destroy();
  });
});

describe("http-003: requests that two readers would read in two ways", () => {
  const cases: readonly [string, string][] = [
    [
      "both lengths",
      `POST /v1/decisions HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    [
      "two different lengths",
      "POST /v1/decisions HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello!",
    ],
    ["a folded header", "GET /health HTTP/1.1\r\nhost: localhost\r\nx-a: b\r\n c\r\n\r\n"],
    ["bare line feeds", "GET /health HTTP/1.1\nhost: localhost\n\n"],
    ["two hosts", "GET /health HTTP/1.1\r\nhost: localhost\r\nhost: evil.invalid\r\n\r\n"],
    ["no host", "GET /health HTTP/1.1\r\n\r\n"],
    ["an absolute target", "GET http://evil.invalid/health HTTP/1.1\r\nhost: localhost\r\n\r\n"],
    ["white space before the colon", "GET /health HTTP/1.1\r\nhost : localhost\r\n\r\n"],
    [
      "an encoding behind the chunks",
      "POST /v1/decisions HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked, identity\r\n\r\n0\r\n\r\n",
    ],
    [
      "an encoding twice",
      "POST /v1/decisions HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
    [
      "an encoding with a tab before it",
      "POST /v1/decisions HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding:\x0bchunked\r\n\r\n0\r\n\r\n",
    ],
    [
      "a length with a sign",
      "POST /v1/decisions HTTP/1.1\r\nhost: localhost\r\ncontent-length: +5\r\n\r\nhello",
    ],
    [
      "a length of two values",
      "POST /v1/decisions HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5, 5\r\n\r\nhello",
    ],
    ["a NUL in a header", "GET /health HTTP/1.1\r\nhost: localhost\r\nx-a: b\0c\r\n\r\n"],
    [
      "an encoding that is no chunking",
      "POST /v1/decisions HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: xchunked\r\n\r\n0\r\n\r\n",
    ],
  ];
  it.each(cases)("answers %s with 400 and closes", async (_name, text) => {
    const answer = await raw(test.port, text, "GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n");
    expect(statusOf(answer)).toBe(400);
    expect(answer.match(/HTTP\/1\.1 \d{3}/g)).toHaveLength(1);
    expect(answer.toLowerCase()).toContain("connection: close");
  });

  it("closes a connection with too many requests that are not answered yet", async () => {
    // The first one never ends, so that all others wait behind it.
    const endless = head("GET", "/v1/admin/live", { authorization: `Bearer ${test.operatorKey}` });
    const begun = performance.now();
    await raw(test.port, endless, head("GET", "/health", {}).repeat(30));
    expect(performance.now() - begun).toBeLessThan(1_400);
  });
});

/** The public part of a key and its secret, which may hold any character of base64url. */
function partsOf(whole: string): [string, string] {
  return [whole.slice(3, 15), whole.slice(16)];
}

describe("http-007: credentials that are none", () => {
  it("answers 401 to whatever is no valid credential", async () => {
    const [id, secret] = partsOf(key);
    const other = secret.startsWith("A") ? `B${secret.slice(1)}` : `A${secret.slice(1)}`;
    const wrong = [
      "",
      "Bearer ",
      "Bearer x",
      `Basic ${key}`,
      key,
      `Bearer hw_${id}_${other}`,
      `Bearer hw_${"0".repeat(12)}_${secret}`,
    ];
    for (const authorization of wrong) {
      expect((await post(good, { authorization })).status, authorization).toBe(401);
    }
    const none = await fetch(`${test.url}/v1/decisions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: good,
    });
    expect(none.status).toBe(401);
    // A key in the query would stand in the logs of everything in between.
    const query = await fetch(`${test.url}/v1/decisions?key=${key}&access_token=${key}`, {
      method: "POST",
      body: good,
    });
    expect(query.status).toBe(401);
  });

  it("refuses a credential of a megabyte without reading it, and one of kilobytes without looking it up", async () => {
    // Longer than all headers may be: refused before there is a request, so the status is not 401.
    const answer = await raw(
      test.port,
      head("GET", "/v1/admin/tenants", { authorization: `Bearer ${"x".repeat(1_048_576)}` }),
    );
    expect(statusOf(answer)).toBe(431);
    expect((await post(good, { authorization: `Bearer ${"x".repeat(15_000)}` })).status).toBe(401);
  });

  // Time that depends on how much of a guess is right lets it be guessed piece by piece. What is compared are digests, of
  // one length whatever was sent; also where there is no such key, so that timing does not reveal which keys exist.
  it("compares in constant time, a key that does not exist too", async () => {
    const [id, secret] = partsOf(key);
    const compared: [number, number][] = [];
    const { timingSafeEqual } = crypto;
    crypto.timingSafeEqual = (one, other) => {
      compared.push([one.byteLength, other.byteLength]);
      return timingSafeEqual(one, other);
    };
    syncBuiltinESMExports();
    try {
      const wrong = "A".repeat(43);
      const guesses = [
        `hw_${id}_${wrong}`,
        `hw_${id}_${secret.slice(0, 40)}AAA`,
        `hw_${"0".repeat(12)}_${wrong}`,
      ];
      for (const guess of guesses) {
        expect((await post(good, { authorization: `Bearer ${guess}` })).status).toBe(401);
      }
      expect(compared).toEqual(guesses.map(() => [32, 32]));
    } finally {
      crypto.timingSafeEqual = timingSafeEqual;
      syncBuiltinESMExports();
    }
  });

  it("writes no credential to a log, a metric or the audit, neither a good one nor a guess", async () => {
    await using audited = await startTestServer();
    const own = await audited.tenant("acme", guard);
    const guess = `hw_guess0guess0_${"Gu3ss".repeat(9).slice(0, 43)}`;
    const ask = (token: string, path = "/v1/decisions"): Promise<Response> =>
      fetch(`${audited.url}${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: good,
      });
    for (const token of [own.key, guess]) {
      await ask(token);
      await ask(token, `/v1/decisions?key=${token}`);
      await ask(token, `/v1/tenants/acme/${token}`);
    }
    // The server's own failures are logged, without the request's content.
    const { packs } = audited.server.context.stores;
    packs.list = () => {
      throw new Error(`no such thing: ${own.key}`);
    };
    await own.client.getPacks("acme").catch(() => undefined);
    const metrics = await fetch(`${audited.url}/metrics`, {
      headers: { authorization: `Bearer ${audited.operatorKey}` },
    });
    const shown = [
      ...audited.lines,
      await metrics.text(),
      await new Response(await own.client.exportAudit("acme")).text(),
      JSON.stringify(await audited.operator.getKeys()),
    ].join("\n");
    expect(shown).toContain("internal-error");
    expect(shown).toContain('"decision_id"');
    for (const secret of [own.key, guess, audited.operatorKey]) {
      expect(shown).not.toContain(secret.slice(-20));
    }
  });

  it("forgets a revoked key at once, on connections that have used it too", async () => {
    const made = await test.operator.makeKey({ tenant: "acme", name: "short", scopes: ["decide"] });
    const ask = (): Promise<Response> => post(good, { authorization: `Bearer ${made.key}` });
    expect((await ask()).status).toBe(200);
    await test.operator.revokeKey(made.record.id);
    expect((await ask()).status).toBe(401);
  });
});

describe("http-008: web pages that ask the server at this machine", () => {
  /** `fetch` would not let us set these. */
  function ask(headers: { [name: string]: string }): Promise<number> {
    return new Promise((done, failed) => {
      const request = httpRequest(
        {
          port: test.port,
          host: "127.0.0.1",
          method: "POST",
          path: "/v1/decisions",
          headers: { ...bearer(), "content-type": "application/json", ...headers },
        },
        (response) => {
          expect(response.headers["access-control-allow-origin"]).toBeUndefined();
          response.resume();
          done(response.statusCode ?? 0);
        },
      );
      request.on("error", failed);
      request.end(good);
    });
  }

  it("answers only to its own names", async () => {
    expect(await ask({ host: `localhost:${test.port}` })).toBe(200);
    for (const host of [
      "evil.invalid",
      `evil.invalid:${test.port}`,
      "localhost.evil.invalid",
      "127.0.0.1.evil.invalid",
      "localhost@evil.invalid",
    ]) {
      expect(await ask({ host }), host).toBe(421);
    }
  });

  it("refuses what a browser sends for another page, even with a good credential", async () => {
    expect(await ask({ origin: "http://evil.invalid" })).toBe(421);
    expect(await ask({ origin: "null" })).toBe(421);
    expect(await ask({ "sec-fetch-site": "cross-site" })).toBe(421);
    expect(await ask({ host: `localhost:${test.port}`, origin: `http://localhost:${test.port}` })).toBe(200);
  });

  it("refuses pages where it asks for no credentials as well", async () => {
    await using open = await startTestServer({ credentials: "none", audit: "off" });
    const simple = await fetch(`${open.url}/v1/decisions`, {
      method: "POST",
      headers: { "content-type": "text/plain" },
      body: good,
    });
    expect(simple.status).toBe(415);
    const page = await fetch(`${open.url}/v1/admin/keys`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: "http://evil.invalid" },
      body: '{"tenant":null,"name":"x"}',
    });
    expect(page.status).toBe(421);
  });
});

describe("http-011: the same request again", () => {
  const ask = async (headers: { [name: string]: string }, body = good): Promise<Decision> =>
    (await (await post(body, headers)).json()) as Decision;

  it("is answered once, also where it comes many times at once", async () => {
    const tenant = test.server.context.registry.get("acme")!;
    const { decisions } = tenant;
    const keyed = { "idempotency-key": "many" };
    const all = await Promise.all(Array.from({ length: 20 }, () => ask(keyed)));
    expect(new Set(all.map(({ decision_id }) => decision_id)).size).toBe(1);
    expect(tenant.decisions).toBe(decisions + 1);
  });

  it("belongs to its tenant, its body and its time", async () => {
    const { key: theirs } = await test.tenant("other-one", guard);
    const keyed = { "idempotency-key": "one" };
    const first = await ask(keyed);
    expect((await ask(keyed)).decision_id).toBe(first.decision_id);
    // Another body, or the same one in another system's words, is another request.
    expect((await post(JSON.stringify(eventOf("s1", "rm -rf /")), keyed)).status).toBe(422);
    expect((await post(good, keyed, "/v1/dialects/claude-code/decisions")).status).toBe(422);
    const stranger = await ask({ ...keyed, authorization: `Bearer ${theirs}` });
    expect(stranger.tenant).toBe("other-one");
    expect(stranger.decision_id).not.toBe(first.decision_id);
    // A later replay gets a new decision, not the recorded one.
    const now = Date.now();
    const clock = vi.spyOn(Date, "now").mockImplementation(() => now + 600_001);
    try {
      expect((await ask(keyed)).decision_id).not.toBe(first.decision_id);
    } finally {
      clock.mockRestore();
    }
  });

  it("is no key where it could be anything else", async () => {
    for (const wrong of ["a b", "\u00e9", "x".repeat(129)]) {
      expect((await post(good, { "idempotency-key": wrong })).status, wrong).toBe(400);
    }
  });
});

describe("http-013: pages for operators", () => {
  const open = (): string[] =>
    routes
      .filter(({ needs }) => needs === "operator")
      .map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, "acme")}`);

  it("are for operators only, each of them", async () => {
    expect(open()).toContain("GET /metrics");
    expect(open().length).toBeGreaterThan(10);
    for (const route of open()) {
      const [method, path] = route.split(" ") as [string, string];
      const none = await fetch(`${test.url}${path}`, { method });
      expect(none.status, route).toBe(401);
      const tenants = await fetch(`${test.url}${path}`, { method, headers: bearer() });
      expect(tenants.status, route).toBe(403);
    }
    for (const path of ["/debug", "/debug/pprof", "/reload", "/admin", "/v1/admin", "/metrics/"]) {
      expect((await fetch(`${test.url}${path}`)).status, path).toBe(404);
      expect((await fetch(`${test.url}${path}`, { method: "POST" })).status, path).toBe(404);
    }
  });

  const metrics = async (): Promise<string> => {
    const headers = { authorization: `Bearer ${test.operatorKey}` };
    return (await fetch(`${test.url}/metrics`, { headers })).text();
  };

  it("have no labels that a tenant could choose", async () => {
    const { client } = await test.tenant(
      "labels",
      packOf("export default () => { throw new Error('x'); }", { name: "chosen-by-tenant" }),
    );
    await client.decide(eventOf());
    const text = await metrics();
    expect(text).toContain('hookwarden_faults_total{code="threw",blame="hook"}');
    expect(text).toContain('hookwarden_tenant_decisions{tenant="labels"} 1');
    expect(text).not.toContain("chosen-by-tenant");
  });

  // A name that ends its label would write lines of its own into the page.
  it("take no name of a tenant or of a hook that could end a label", async () => {
    const injection = 'x"} 1\ninjected{a="';
    const name = await fetch(`${test.url}/v1/admin/tenants/${encodeURIComponent(injection)}`, {
      method: "PUT",
      headers: { authorization: `Bearer ${test.operatorKey}`, "content-type": "application/json" },
      body: "{}",
    });
    expect(name.status).toBe(400);
    const files = packOf("export default () => undefined", { name: injection });
    const hook = await post(JSON.stringify({ files }), {}, "/v1/tenants/acme/packs/check");
    expect(await hook.json()).toMatchObject({ ok: false });
    expect(await metrics()).not.toContain("injected");
  });

  it("have so many labels at the most, however many tenants there are", async () => {
    const { registry } = test.server.context;
    const created = new Date().toISOString();
    for (let at = 0; at < 300; at++) {
      await registry.put({ tenant: `many-${at}`, created, disabled: false, limits: {}, signedOnly: false });
    }
    const lines = (await metrics()).match(/^hookwarden_tenant_decisions\{.*$/gm) ?? [];
    expect(lines.length).toBeLessThanOrEqual(201);
    expect(lines.at(-1)).toContain('tenant="other"');
  });
});
