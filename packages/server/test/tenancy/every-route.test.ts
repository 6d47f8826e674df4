import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildBundle, generateKey, toPublicKey, type Trust } from "hookwarden/bundle";
import { createClient } from "@hookwarden/client";
import { components } from "../../src/http/schemas.ts";
import { tenantLimitNames } from "../../src/limits.ts";
import { routes } from "../../src/routes/index.ts";
import { type Cell, type CheckPoint, type Switch, switchNames, uses } from "../../src/tenancy/uses.ts";
import { eventOf, guard } from "../../../../test/bench/server/setup.ts";
import { startTestServer, type TestServer } from "../support.ts";

// A limit that holds on one route and not on the next is no limit: a tenant that was switched off went on running its code
// as trials, and one that may only have signed packs activated an unsigned one that it had stored before. So every route
// is asked with every switch thrown. What is expected stands in the table, and what the table lacks fails here.

const signer = await generateKey("signer");
/** The trust file, in a form that a test can change while the server runs. */
const trust: { keys: Trust["keys"] } = { keys: [toPublicKey(signer)] };
const files = new Map(Object.entries(guard).map(([path, text]) => [path, Buffer.from(text)]));
const bundles: Buffer[] = [];
let test: TestServer;
let count = 0;

async function bundle(version: string, key?: unknown): Promise<Buffer> {
  const made = await buildBundle(files, { name: "guard", version, nodeModules: [], ...(key ? { key } : {}) });
  return Buffer.from(made.bytes);
}

beforeAll(async () => {
  bundles.push(await bundle("1.0.0", signer), await bundle("1.0.1", signer), await bundle("1.0.2"));
  test = await startTestServer({ trust: trust as Trust, audit: "off" });
});
afterAll(() => test[Symbol.asyncDispose]());

interface Setup {
  readonly name: string;
  readonly key: string;
  readonly keyId: string;
}

/** A tenant with three revisions, two of them signed; the first serves, the second has served. */
async function tenantOf(): Promise<Setup> {
  const name = `t${count++}`;
  const { client } = await test.tenant(name);
  for (const one of [bundles[1], bundles[0], bundles[2]] as Buffer<ArrayBuffer>[])
    await client.putPack(name, one, { rollout: "none" });
  await client.activatePack(name, { revision: 1 });
  await client.activatePack(name, { revision: 2 });
  const { key, record } = await test.operator.makeKey({
    tenant: name,
    name: "walk",
    scopes: ["decide", "packs", "audit", "approve"],
  });
  return { name, key, keyId: record.id };
}

/** How each switch is thrown against a tenant whose packs were right before; whether stored revisions are unsigned. */
const throws: { readonly [Name in Switch]: (setup: Setup) => Promise<unknown> | void } = {
  credential: ({ keyId }) => test.operator.revokeKey(keyId),
  disabled: ({ name }) => test.operator.putTenant(name, { disabled: true }),
  signedOnly: ({ name }) => {
    // Without a word to the registry, which would stop what serves: here it is the route that has to refuse.
    const tenant = test.server.context.registry.get(name)!;
    tenant.record = { ...tenant.record, signedOnly: true };
  },
  trust: () => void (trust.keys = [{ ...toPublicKey(signer), revoked: true }]),
  requestsPerSecond: ({ name }) => {
    const { rate } = test.server.context.registry.get(name)!;
    rate.perSecond = 0.001;
    rate.take(1e9);
  },
  concurrency: ({ name }) => void hold(name),
  queued: ({ name }) => void hold(name),
  cpuMsPerMinute: ({ name }) => test.server.context.registry.get(name)!.cpu.add(3_600_000_000),
  memoryKb: ({ name }) => limit(name, { memoryKb: 1 }),
  residentHooks: ({ name }) => limit(name, { residentHooks: 0 }),
  stateBytes: ({ name }) => limit(name, { stateBytes: 1 }),
};

function limit(name: string, limits: object): void {
  const tenant = test.server.context.registry.get(name)!;
  tenant.limits = { ...tenant.limits, ...limits };
}

/** Takes the one place that the tenant has, and the one place in its queue. */
function hold(name: string): void {
  limit(name, { concurrency: 1 });
  const tenant = test.server.context.registry.get(name)!;
  const { flow, lane } = tenant.chooseSandbox();
  flow.maxWaiting = 0;
  expect(lane.limiter.enter(flow)).toBe(true);
}

/** What a thrown switch answers. */
const codes: { readonly [Name in Switch]: string } = {
  credential: "unauthorized",
  disabled: "tenant-disabled",
  signedOnly: "bundle-untrusted",
  trust: "bundle-untrusted",
  requestsPerSecond: "rate-limited",
  concurrency: "queue-full",
  queued: "queue-full",
  cpuMsPerMinute: "cpu-exhausted",
  memoryKb: "too-much-memory",
  residentHooks: "too-many-hooks",
  // Refused inside of the decision, by the state store.
  stateBytes: "none",
};

/** What is sent to a route so that it would do its work. Unsigned where signatures are what is asked for. */
function requestOf(id: string, of: Switch): { readonly body?: string | Buffer; readonly type?: string } {
  const isUnsigned = of === "signedOnly";
  const revision = isUnsigned ? 3 : 1;
  const events = [eventOf()];
  const json: { readonly [id: string]: object } = {
    decide: eventOf(),
    decideInDialect: eventOf(),
    activatePack: { revision },
    rollbackPack: {},
    try: { events, revision },
    answerApproval: { answer: "deny", input: `sha256:${"0".repeat(64)}` },
  };
  if (id === "putPack" || id === "checkPack")
    return { body: bundles[isUnsigned ? 2 : 0] as Buffer, type: "application/gzip" };
  return json[id] ? { body: JSON.stringify(json[id]), type: "application/json" } : {};
}

async function ask(route: (typeof routes)[number], { name, key }: Setup, of: Switch): Promise<string> {
  const { body, type } = requestOf(route.id, of);
  const path = route.path
    .replace("{tenant}", name)
    .replace("{dialect}", "claude-code")
    .replace("{node}", "local")
    .replace("{id}", "apr_none")
    .replace("{n}", "1");
  const answer = await fetch(test.url + path, {
    method: route.method,
    headers: { authorization: `Bearer ${key}`, ...(type ? { "content-type": type } : {}) },
    ...(body === undefined ? {} : { body: body as string | Buffer<ArrayBuffer> }),
  });
  const text = await answer.text();
  return /"code":"([a-z-]+)"/.exec(text)?.[1] ?? "none";
}

/** Routes of tenants; those that take the pack away come last. */
const ofTenants = routes
  .filter(({ needs }) => ["decide", "packs", "audit", "approve"].includes(needs))
  .sort((one, other) => Number(one.use === "withdraw") - Number(other.use === "withdraw"));
const isChecked = (cell: Cell): cell is CheckPoint => typeof cell === "string";

describe("the table of routes and switches", () => {
  it("has every setting of a tenant as a switch", () => {
    const { properties } = components.TenantSettings as { properties: { [name: string]: { type?: string } } };
    const settings = Object.keys(properties).filter((name) => name !== "limits");
    expect(new Set(switchNames)).toEqual(new Set(["credential", "trust", ...settings, ...tenantLimitNames]));
  });

  it("has a decided cell for every route and every switch", () => {
    for (const { id, use } of routes) {
      expect(uses, id).toHaveProperty(use);
      for (const name of switchNames) {
        const cell: Cell | undefined = uses[use][name];
        expect(isChecked(cell) || cell.exempt.length > 5, `${id} ${name}`).toBe(true);
      }
    }
  });

  it("lets no route that a tenant may use go without its credential and its switch", () => {
    for (const { id, use } of ofTenants) {
      expect(["request", "stream"], id).toContain(uses[use].credential);
      expect(["request", "run", "stream"], id).toContain(uses[use].disabled);
    }
  });
});

describe("every route answers as the table says", () => {
  it.each(switchNames.filter((name) => name !== "stateBytes"))(
    "with `%s` against the tenant",
    async (name) => {
      const setup = await tenantOf();
      if (name === "signedOnly") {
        // There is an unsigned one to go back to.
        const client = createClient({ url: test.url, key: setup.key });
        await client.activatePack(setup.name, { revision: 3 });
        await client.activatePack(setup.name, { revision: 1 });
      }
      try {
        await throws[name](setup);
        for (const route of ofTenants) {
          const code = await ask(route, setup, name);
          if (isChecked(uses[route.use][name])) expect(code, route.id).toBe(codes[name]);
          else expect(code, route.id).not.toBe(codes[name]);
        }
      } finally {
        trust.keys = [toPublicKey(signer)];
        if (name === "concurrency" || name === "queued") {
          const tenant = test.server.context.registry.get(setup.name)!;
          const { flow, lane } = tenant.sandboxes.fast;
          lane.limiter.leave(flow, 0);
        }
      }
    },
  );
});

describe("an operator", () => {
  it("is bound by no limit of a tenant where it looks after its packs, and still runs no code of one that is off", async () => {
    const setup = await tenantOf();
    await test.operator.putTenant(setup.name, { disabled: true });
    throws.requestsPerSecond(setup);
    const boss = { ...setup, key: test.operatorKey };
    const codes = new Map<string, string>();
    for (const route of ofTenants) {
      if (route.needs !== "decide") codes.set(route.id, await ask(route, boss, "memoryKb"));
    }
    // There is no trial that could be ended, and without one everything else works.
    expect(codes.get("withdrawPack")).toBe("not-found");
    expect(codes.get("try")).toBe("tenant-disabled");
    // Loading scripts takes the tenant's turn, and no more of its requests.
    expect(codes.get("putPack")).toBe("none");
    // There is no approval and no decision of that name.
    const absent = ["getApproval", "answerApproval", "getDecision"];
    for (const id of absent) expect(codes.get(id)).toBe("not-found");
    for (const id of ["withdrawPack", "try", ...absent]) codes.delete(id);
    expect(new Set(codes.values())).toEqual(new Set(["none"]));
  });
});

describe("a tenant that was switched off", () => {
  // An answer that is kept for a repeated request is an answer all the same.
  it("gets no answer from memory either", async () => {
    const setup = await tenantOf();
    const client = createClient({ url: test.url, key: setup.key });
    expect((await client.decide(eventOf(), { idempotencyKey: "one" })).verdict).toBe("continue");
    await test.operator.putTenant(setup.name, { disabled: true });
    await expect(client.decide(eventOf(), { idempotencyKey: "one" })).rejects.toMatchObject({
      code: "tenant-disabled",
    });
  });

  it("runs no more of what was waiting for its turn, nor of a pack on trial", async () => {
    const setup = await tenantOf();
    const tenant = test.server.context.registry.get(setup.name)!;
    const client = createClient({ url: test.url, key: setup.key });
    await client.activatePack(setup.name, { revision: 1, percent: 100 });
    expect((await client.decide(eventOf())).verdict).toBe("continue");
    await expect.poll(() => tenant.candidate?.report.sampled).toBe(1);
    limit(setup.name, { concurrency: 1 });
    const { flow, lane } = tenant.chooseSandbox();
    expect(lane.limiter.enter(flow)).toBe(true);
    const waiting = client.decide(eventOf()).catch((error: unknown) => error);
    await expect.poll(() => flow.waiting.length).toBe(1);
    await test.operator.putTenant(setup.name, { disabled: true });
    lane.limiter.leave(flow, 0);
    expect(await waiting).toMatchObject({ code: "tenant-disabled" });
    tenant.candidate!.see(eventOf(), {} as never, undefined);
    await expect.poll(() => tenant.candidate?.report).toMatchObject({ sampled: 1, skipped: 1 });
    expect(tenant.inFlight).toBe(0);
  });
});

describe("a trial", () => {
  it("has no more state than its tenant", async () => {
    const setup = await tenantOf();
    await test.operator.putTenant(setup.name, { limits: { stateBytes: 200 } });
    const client = createClient({ url: test.url, key: setup.key });
    const source = "export default () => ({ action: 'set_state', value: 'x'.repeat(2_000) })";
    const script = { source, on: ["PreToolUse"] as const };
    const [tried] = await client.try(setup.name, { events: [eventOf()], script });
    expect(JSON.stringify(tried)).toMatch(/"fault":\{"code":"[a-z-]+","message":"[^"]*state/);
  });
});
