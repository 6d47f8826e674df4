import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { buildBundle, generateKey } from "hookwarden/bundle";
import { allProblems, problemTable } from "../src/problem.ts";
import { eventOf, guard, packOf } from "../../../test/bench/server/setup.ts";
import { head, startTestServer, type TestServer } from "./support.ts";

// Case http-010 of `test/hostile/NON-SCRIPT.md`: every way for a request to fail is forced, with `NODE_ENV` unset, which
// many libraries read as leave to tell everything. What comes back is a code and a request id, and, where only the
// caller's own input is at fault, what is wrong with it and where: the sender of a broken event or pack must be able to
// mend it without an operator's log. It is never a stack, path, version or line of our sources, and no name of another
// tenant or of its hooks.

const nodeEnv = process.env["NODE_ENV"];
const theirs = { tenant: "other-tenant-1a2b", hook: "their-hook-3c4d" };
const good = JSON.stringify(eventOf());
/** Codes of problems that may say what was wrong with the caller's own input. */
const aboutInput = [
  "bad-request",
  "event-not-json",
  "event-invalid",
  "event-unknown",
  "event-too-large",
  "dialect-unknown",
  "pack-not-found",
  "pack-not-json",
  "pack-invalid",
  "path-outside-pack",
  "load-failed",
  "matcher-invalid",
  "file-unreadable",
  "bundle-invalid",
  "bundle-untrusted",
  "too-much-memory",
  "too-many-hooks",
];
/** Code → an answer that carried it. */
const seen = new Map<string, string>();

let test: TestServer;
let key: string;

beforeAll(async () => {
  delete process.env["NODE_ENV"];
  test = await startTestServer({ audit: "off" });
  ({ key } = await test.tenant("acme", guard));
  await test.tenant(theirs.tenant, packOf("export default () => undefined", { name: theirs.hook }));
});

afterAll(async () => {
  if (nodeEnv !== undefined) process.env["NODE_ENV"] = nodeEnv;
  await test[Symbol.asyncDispose]();
});

interface Ask {
  readonly method?: string;
  readonly path?: string;
  readonly body?: string | Uint8Array;
  readonly headers?: { readonly [name: string]: string };
  readonly key?: string;
}

/** Asks over a connection of its own, byte for byte as given. @returns status and code. */
async function ask(of: Ask = {}): Promise<string> {
  const { method = "POST", path = "/v1/decisions", body = method === "POST" ? good : "" } = of;
  const socket = connect(test.port, "127.0.0.1");
  socket.write(
    head(method, path, {
      authorization: `Bearer ${of.key ?? key}`,
      "content-length": String(Buffer.byteLength(body)),
      connection: "close",
      ...(body.length > 0 ? { "content-type": "application/json" } : {}),
      ...of.headers,
    }),
  );
  socket.write(body);
  return note(await allOf(socket));
}

/** All that comes until the other side closes. */
function allOf(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (chunk) => (text += chunk.toString("latin1")));
  socket.on("error", () => undefined);
  return new Promise((done) => socket.once("close", () => done(text)));
}

/** Holds an answer that is a refusal to what it may tell. */
function note(answer: string): string {
  const [top = "", ...rest] = answer.split("\r\n\r\n");
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(top)?.[1]);
  if (status < 400) return String(status);
  const text = rest.join("");
  expect(top).toMatch(/content-type: application\/problem\+json/i);
  // Neither what it runs on, nor in which version.
  expect(top).not.toMatch(/^(server|x-powered-by|via):/im);
  const body = JSON.parse(text) as { status: number; code: string; request_id: string; message?: string };
  const { message, ...others } = body;
  const own = ["status", "code", "request_id"];
  const members = Object.keys(others).filter((name) => !own.includes(name));
  expect(Object.keys(others).slice(0, 3)).toEqual(own);
  if (message === undefined) expect(members).toEqual([]);
  else expect(aboutInput).toContain(body.code);
  for (const name of members) expect(["file", "line", "column", "pointer"]).toContain(name);
  expect(body.status).toBe(status);
  const id = /x-request-id: (\S+)/i.exec(top)?.[1];
  expect(body.request_id).toBe(id ?? "none");
  expect(body.code).toMatch(/^[a-z-]+$/);
  expect(allProblems().get(body.code)).toBe(status);
  expect(answer).not.toMatch(/\/work|\/tmp|\/home|node_modules|node:|\bat \S+ \(/);
  for (const name of [theirs.tenant, theirs.hook]) expect(answer).not.toContain(name);
  // Words of a script are its sender's own, and files of a pack are in it; nothing else says anything like it.
  const shown = JSON.stringify({ ...body, message: undefined, file: undefined });
  expect(`${top}${shown}`).not.toMatch(/\.[cm]?[jt]s\b|\w+Error\b|hunter2|guard|acme/);
  seen.set(body.code, answer);
  return `${status} ${body.code}`;
}

const put = (files: object, of: Ask = {}): Promise<string> =>
  ask({ method: "PUT", path: "/v1/tenants/acme/packs", body: JSON.stringify({ files }), ...of });

it.each<[string, Ask]>([
  ["400 event-not-json", { body: "{" }],
  ["400 event-invalid", { body: "{}" }],
  ["400 event-unknown", { body: good.replace("PreToolUse", "Nope") }],
  ["413 event-too-large", { body: good.replace('"Bash"', JSON.stringify("B".repeat(7_000_000))) }],
  ["413 body-too-large", { headers: { "content-length": "1073741824" } }],
  ["400 bad-request", { path: "/v1/tenants/acme/try", body: '{"events":[]}' }],
  ["400 bad-request", { path: "/v1/tenants/acme/try", body: "{" }],
  ["400 bad-request", { headers: { "idempotency-key": "a b" } }],
  ["400 bad-request", { method: "GET", path: "/v1/tenants/acme/packs?limit=x" }],
  ["400 bad-request", { method: "GET", path: "/v1/tenants/acme/packs?__proto__=1" }],
  ["400 bad-request", { method: "GET", path: "/%ff" }],
  ["400 bad-request", { method: "GET", path: `/v1/tenants/${"a".repeat(500)}/packs` }],
  ["401 unauthorized", { key: "x" }],
  ["403 forbidden", { path: `/v1/tenants/${theirs.tenant}/try`, body: "{}" }],
  ["403 forbidden", { method: "GET", path: `/v1/tenants/${theirs.tenant}/hooks` }],
  ["403 forbidden", { method: "GET", path: "/v1/admin/overview" }],
  ["404 not-found", { path: "/v1/nothing" }],
  ["404 not-found", { method: "GET", path: "/v1/tenants/acme/packs/99" }],
  ["404 dialect-unknown", { path: "/v1/dialects/klingon/decisions" }],
  ["405 method-not-allowed", { method: "GET" }],
  ["415 wrong-media-type", { headers: { "content-type": "text/plain" } }],
  ["421 host-not-allowed", { headers: { host: "evil.invalid" } }],
  ["421 host-not-allowed", { headers: { origin: "http://evil.invalid" } }],
  ["431 headers-too-large", { headers: { "x-long": "x".repeat(20_000) } }],
])("answers `%s`, and no more than that", async (expected, of) => {
  expect(await ask(of)).toBe(expected);
});

it("reports what is wrong with a broken pack to its sender, and nothing about the machine", async () => {
  const broken: [string, object][] = [
    ["422 pack-not-found", { "x.txt": "" }],
    ["422 pack-not-json", { ...guard, "hookwarden.json": "{" }],
    ["422 pack-invalid", { ...guard, "hookwarden.json": "{}" }],
    ["422 path-outside-pack", { ...guard, "../../etc/passwd": "x" }],
    ["422 load-failed", packOf("throw new Error('hunter2')")],
    [
      "422 matcher-invalid",
      packOf("export default () => 1", { on: [{ event: "PreToolUse", matcher: "(" }] }),
    ],
    ["422 file-unreadable", packOf("export default () => 1", { entry: "nothing.js" })],
  ];
  const answers = [];
  for (const [, files] of broken) answers.push(await put(files));
  expect(JSON.parse(seen.get("load-failed")!.split("\r\n\r\n")[1]!)).toMatchObject({
    message: expect.stringContaining("hunter2") as string,
  });
  // Which of the codes it is belongs to the packs' own tests.
  for (const answer of answers) expect(answer).toMatch(/^(422|400) /);
  expect(await put({}, { body: "x", headers: { "content-type": "application/gzip" } })).toBe(
    "422 bundle-invalid",
  );
});

it("reports only that a limit was exceeded", async () => {
  const { operator } = test;
  const bigger = packOf("export default () => 1", { limits: { memoryKb: 100_000 } });
  expect(await put(bigger)).toBe("422 too-much-memory");
  await operator.putTenant("acme", { limits: { residentHooks: 1 } });
  const two = packOf("export default () => 1", { name: "second" });
  const both = { ...guard, ...two, "hookwarden.json": '{"apiVersion":1,"hooks":["guard","second"]}' };
  expect(await put(both)).toBe("422 too-many-hooks");
  await operator.putTenant("acme", { limits: { requestsPerSecond: 1 } });
  const answers = [await ask(), await ask(), await ask()];
  expect(answers).toContain("429 rate-limited");
  await operator.putTenant("acme", { limits: {} });
});

it("reports only that a tenant is off, without a pack, or has used its time", async () => {
  const { operator } = test;
  await operator.putTenant("acme", { disabled: true });
  expect(await ask()).toBe("403 tenant-disabled");
  await operator.putTenant("acme", { disabled: false });
  const bare = await test.tenant("bare");
  expect(await ask({ key: bare.key })).toBe("409 no-pack");
  const tenant = test.server.context.registry.get("acme")!;
  tenant.cpu.add(3_600_000_000);
  expect(await ask()).toBe("429 cpu-exhausted");
  const changed = { method: "POST", path: "/v1/tenants/acme/packs/activate" };
  expect(await ask({ ...changed, body: '{"revision":1,"expected":99}' })).toBe("409 conflict");
});

it("reports nothing about either request when an idempotency key is reused for another", async () => {
  const { key: own } = await test.tenant("repeats", guard);
  const headers = { "idempotency-key": "one" };
  expect(await ask({ key: own, headers })).toBe("200");
  const other = JSON.stringify(eventOf("s2"));
  expect(await ask({ key: own, headers, body: other })).toBe("422 idempotency-mismatch");
});

it("reports nothing about the requests before one that waits too long", async () => {
  const { key: own } = await test.tenant("waits", guard, { limits: { concurrency: 1, queued: 1 } });
  const tenant = test.server.context.registry.get("waits")!;
  const { flow, lane } = tenant.chooseSandbox();
  // One decision is under way, and one waits.
  expect(lane.limiter.enter(flow)).toBe(true);
  const waiting = lane.limiter.enter(flow);
  expect(await ask({ key: own })).toBe("429 queue-full");
  lane.limiter.leave(flow, 0);
  await waiting;
  lane.limiter.leave(flow, 0);
});

it("reports nothing about answers that were not read", async () => {
  const { unsent, settings } = test.server.context;
  const long = packOf("export default () => ({ action: 'notify', text: 'hunter2 '.repeat(5_000) })");
  const { key: own } = await test.tenant("reads-nothing", long);
  const read = unsent.hold("reads-nothing", settings.limits.unsentBytes - 1);
  expect(await ask({ key: own })).toBe("429 slow-consumer");
  read!();
  expect(await ask({ key: own })).toBe("200");
});

it("gives no words of our own failures away", async () => {
  const { registry, stores } = test.server.context;
  const list = stores.packs.list.bind(stores.packs);
  stores.packs.list = () => {
    throw new Error("SQLITE_CORRUPT: /secret/path/server.db hunter2");
  };
  expect(await ask({ method: "GET", path: "/v1/tenants/acme/packs" })).toBe("500 internal");
  stores.packs.list = list;
  expect(test.lines.at(-1)).toContain("internal-error");
  expect(test.lines.at(-1)).not.toMatch(/secret|hunter2/);
  // A pack that was good, and cannot be loaded any more.
  const { key: own } = await test.tenant("broken", guard);
  const tenant = registry.get("broken")!;
  await tenant.serve(null);
  tenant.broken = "storage-failed";
  expect(await ask({ key: own })).toBe("503 not-ready");
});

// A trust file that cannot be read is the host's mistake. Its error has the same code as a file that is missing in a
// pack, and its message holds the path: neither may reach the tenant, whose bundle has nothing to do with it.
it("says nothing of a trust file that cannot be read, but to operators", async () => {
  await using own = await startTestServer({ audit: "off", trust: "/tmp/nowhere-hunter2/trust.json" });
  const { key: theirKey } = await own.tenant("acme", guard);
  const signed = await buildBundle(
    new Map(Object.entries(guard).map(([path, text]) => [path, Buffer.from(text)])),
    {
      name: "guard",
      version: "1.0.0",
      key: await generateKey("k"),
      nodeModules: [],
    },
  );
  for (const [method, path] of [
    ["PUT", "packs"],
    ["POST", "packs/check"],
  ] as const) {
    const answer = await fetch(`${own.url}/v1/tenants/acme/${path}`, {
      method,
      headers: { authorization: `Bearer ${theirKey}`, "content-type": "application/gzip" },
      body: Buffer.from(signed.bytes),
    });
    const text = await answer.text();
    expect([answer.status, text]).toEqual([503, expect.stringContaining("trust-unavailable")]);
    expect(text).not.toMatch(/hunter2|tmp/);
    seen.set("trust-unavailable", text);
  }
  expect(own.lines.some((line) => line.includes("trust-unavailable") && line.includes("hunter2"))).toBe(true);
});

it("gives what failed on its side the same id in the answer and in the log", async () => {
  const { key: own } = await test.tenant("logged", guard);
  const tenant = test.server.context.registry.get("logged")!;
  tenant.count = () => {
    throw new TypeError("hunter2");
  };
  expect(await ask({ key: own })).toBe("500 internal");
  const id = /"request_id":"([^"]+)"/.exec(seen.get("internal")!)![1];
  expect(test.lines.at(-1)).toContain(`"event":"internal-error","request_id":"${id}"`);
});

it("holds the events of a batch to the same", async () => {
  const { client } = await test.tenant("batches", guard);
  const batch = await client.decideBatch([{ hook_event_name: "Nope" }, {}, eventOf()]);
  expect(batch.map((one) => ("answer" in one ? one.answer.verdict : Object.keys(one).join()))).toEqual([
    "status,code,message,pointer",
    "status,code,message,pointer",
    "continue",
  ]);
  expect(batch[1]).toMatchObject({ pointer: "/1/hook_event_name" });
});

it("reports nothing but its end while it closes, and has shown every problem by then", async () => {
  const own = await startTestServer({ audit: "off" });
  const { key: theirKey } = await own.tenant("acme", guard);
  const socket = connect(own.port, "127.0.0.1");
  const authorization = `Bearer ${theirKey}`;
  socket.write(
    head("POST", "/v1/decisions", {
      authorization,
      "content-type": "application/json",
      "content-length": String(good.length),
      expect: "100-continue",
    }),
  );
  const [go] = (await once(socket, "data")) as [Buffer];
  expect(go.toString("latin1")).toBe("HTTP/1.1 100 Continue\r\n\r\n");
  // The request has begun, and comes to its end when the server has come to its own.
  const closing = own.server.close();
  socket.write(good);
  socket.write(head("GET", "/v1/tenants/acme/packs", { authorization }));
  const answer = await allOf(socket);
  await closing;
  expect(answer.match(/HTTP\/1\.1 \d{3}/g)).toHaveLength(1);
  expect(answer.toLowerCase()).toContain("connection: close");
  expect(note(answer)).toBe("503 shutting-down");
  await own[Symbol.asyncDispose]();
  // Those of approvals are shown in `approvals.test.ts`.
  const others = Object.keys(problemTable).filter((code) => !/approval/.test(code));
  expect([...seen.keys()].sort()).toEqual(expect.arrayContaining(others.sort()));
});
