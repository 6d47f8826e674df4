import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { deflateRawSync, gunzipSync } from "node:zlib";
import { SignJWT, exportJWK, generateKeyPair } from "jose";
import { describe, expect, it } from "vitest";
import {
  buildBundle,
  generateKey,
  toPublicKey,
  openBundle,
  type ReviewRecord,
  signReview,
} from "hookwarden/bundle";
import { createClient, ServerError } from "@hookwarden/client";
import { HookwardenError } from "hookwarden/errors";
import { verifyLog } from "hookwarden/log";
import { createServer } from "../src/index.ts";
import { openApi } from "../src/http/openapi.ts";
import { httpLimitTable, tenantLimitTable } from "../src/limits.ts";
import { problemTable } from "../src/problem.ts";
import { routes } from "../src/routes/index.ts";
import { serveFolder } from "../src/folder-pack.ts";
import { eventOf, guard, packOf } from "../../../test/bench/server/setup.ts";
import { head, startTestServer } from "./support.ts";

const danger = eventOf("s1", "rm -rf /");

async function codeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => "none",
    (error: unknown) => (error instanceof ServerError ? error.code : String(error)),
  );
}

describe("decisions", () => {
  it("come one by one, in batches and in dialects", async () => {
    await using test = await startTestServer();
    const { client } = await test.tenant("acme", guard);
    expect(await client.decide(danger)).toMatchObject({
      verdict: "deny",
      decided_by: "guard",
      tenant: "acme",
    });
    const batch = await client.decideBatch([danger, eventOf(), { hook_event_name: "Nope" }]);
    expect(batch.map((one) => ("answer" in one ? one.answer.verdict : one.code))).toEqual([
      "deny",
      "continue",
      "event-unknown",
    ]);
    expect(await client.decideInDialect("claude-code", { ...danger, transcript_path: "/x" })).toMatchObject({
      hookSpecificOutput: { permissionDecision: "deny" },
    });
    expect(await codeOf(client.decideInDialect("klingon", danger))).toBe("dialect-unknown");
  });

  it("are refused where there is no pack: nothing is ever let through for lack of one", async () => {
    await using test = await startTestServer();
    const { client } = await test.tenant("acme");
    expect(await codeOf(client.decide(danger))).toBe("no-pack");
    await client.putPack("acme", { files: guard });
    expect((await client.decide(danger)).verdict).toBe("deny");
    await client.removePack("acme");
    expect(await codeOf(client.decide(danger))).toBe("no-pack");
  });

  it("keep the order of a session's events in a batch", async () => {
    await using test = await startTestServer();
    const counter = packOf(
      "export default (event, ctx) => [{ action: 'set_state', value: (ctx.state ?? 0) + 1 }, { action: 'notify', text: String(ctx.state ?? 0) }];",
      { state: { scope: "session", maxBytes: 100 }, actions: ["set_state", "notify"] },
    );
    const { client } = await test.tenant("acme", counter);
    const batch = await client.decideBatch(Array.from({ length: 20 }, (_, at) => eventOf(`s${at % 2}`)));
    const counts = batch.map((one) => ("answer" in one ? one.answer.additions.notices[0]?.text : ""));
    expect(counts).toEqual(Array.from({ length: 20 }, (_, at) => String(Math.floor(at / 2))));
  });
});

describe("tenants", () => {
  it("come from the credential alone, and see nothing of each other", async () => {
    await using test = await startTestServer();
    const one = await test.tenant("one", guard);
    const two = await test.tenant("two", packOf("export default () => undefined"));
    expect((await two.client.decide(danger)).verdict).toBe("continue");
    const asks = [
      () => two.client.getPacks("one"),
      () => two.client.getHooks("one"),
      () => two.client.getAudit("one"),
      () => two.client.removePack("one"),
      () => two.client.try("one", { events: [danger] }),
      () => two.client.getTenants(),
      () => test.operator.decide(danger),
    ];
    for (const ask of asks) expect(await codeOf(ask())).toBe("forbidden");
    expect((await one.client.decide(danger)).verdict).toBe("deny");
  });

  it("can do only what the scopes of their key say", async () => {
    await using test = await startTestServer();
    await test.tenant("acme", guard);
    const { key } = await test.operator.makeKey({ tenant: "acme", name: "agent", scopes: ["decide"] });
    const agent = createClient({ url: test.url, key });
    expect((await agent.decide(danger)).verdict).toBe("deny");
    expect(await codeOf(agent.removePack("acme"))).toBe("forbidden");
    expect(await codeOf(agent.getAudit("acme"))).toBe("forbidden");
  });

  it("are held to their limits, and get a retry delay", async () => {
    await using test = await startTestServer();
    const { client } = await test.tenant("acme", guard, { limits: { requestsPerSecond: 5 } });
    const begun = performance.now();
    const codes = await Promise.all(Array.from({ length: 50 }, () => codeOf(client.decide(danger))));
    const seconds = (performance.now() - begun) / 1_000;
    expect(codes.filter((code) => code === "none").length).toBeLessThanOrEqual(6 + 5 * seconds);
    expect(new Set(codes)).toEqual(new Set(["none", "rate-limited"]));
    const burner = await test.tenant(
      "burner",
      packOf("export default () => { for (let i = 0; i < 300000; i++); }"),
      {
        limits: { cpuMsPerMinute: 5 },
      },
    );
    await burner.client.decide(danger);
    await burner.client.decide(danger).catch(() => undefined);
    const refused = await burner.client.decide(danger).catch((error: unknown) => error as ServerError);
    expect(refused).toMatchObject({ status: 429, code: "cpu-exhausted", retryAfter: 5 });
    const greedy = await test.tenant("greedy", undefined, { limits: { residentHooks: 1, memoryKb: 8_192 } });
    expect(
      await codeOf(
        greedy.client.putPack("greedy", {
          files: packOf("export default () => undefined", { limits: { memoryKb: 65_536 } }),
        }),
      ),
    ).toBe("too-much-memory");
  });

  it("are refused while they are switched off", async () => {
    await using test = await startTestServer();
    const { client } = await test.tenant("acme", guard);
    await test.operator.putTenant("acme", { disabled: true });
    expect(await codeOf(client.decide(danger))).toBe("tenant-disabled");
    await test.operator.putTenant("acme");
    expect((await client.decide(danger)).verdict).toBe("deny");
  });
});

describe("packs", () => {
  it("take each other's place, go on trial, and come back", async () => {
    await using test = await startTestServer();
    const { client } = await test.tenant("acme", guard);
    const lax = packOf("export default () => undefined");
    const staged = await client.putPack("acme", { files: lax }, { rollout: "monitor", percent: 100 });
    expect(staged.rollout).toMatchObject({ active: 1, candidate: { revision: 2, percent: 100 } });
    expect((await client.decide(danger)).verdict).toBe("deny");
    await expect
      .poll(async () => (await client.getPacks("acme")).candidate)
      .toMatchObject({ sampled: 1, looser: 1 });
    await client.activatePack("acme", { revision: 2 });
    expect((await client.decide(danger)).verdict).toBe("continue");
    expect((await client.getPacks("acme")).candidate).toBeNull();
    await client.rollbackPack("acme");
    expect((await client.decide(danger)).verdict).toBe("deny");
    const { rollout, history } = await client.getPacks("acme");
    expect(rollout).toMatchObject({ active: 1, generation: 4 });
    expect(history.map(({ what }) => what)).toEqual(["rollback", "activate", "stage", "activate"]);
    expect(await codeOf(client.activatePack("acme", { revision: 2, expected: 1 }))).toBe("conflict");
    expect(await codeOf(client.activatePack("acme", { revision: 99 }))).toBe("not-found");
  });

  it("that cannot serve leave the one before serving, and say why to their sender", async () => {
    await using test = await startTestServer();
    const { client } = await test.tenant("acme", guard);
    const broken = { ...guard, "guard/hook.js": "export default (event) => {" };
    expect(await codeOf(client.putPack("acme", { files: broken }))).toBe("load-failed");
    expect(await codeOf(client.putPack("acme", { files: packOf("throw new Error('at load')") }))).toBe(
      "load-failed",
    );
    expect(await codeOf(client.putPack("acme", { files: { ...guard, "../../etc/x": "" } }))).toBe(
      "path-outside-pack",
    );
    expect(await codeOf(client.putPack("acme", { files: {} }))).toBe("pack-not-found");
    expect(await codeOf(client.putPack("acme", Buffer.from("no bundle")))).toBe("bundle-invalid");
    const check = await client.checkPack("acme", { files: broken });
    expect(check).toMatchObject({
      ok: false,
      problem: { code: "load-failed", file: "guard/hook.js", line: 1 },
    });
    expect(check.problem?.message).not.toMatch(/\/tmp|\/work/);
    expect((await client.decide(danger)).verdict).toBe("deny");
    expect((await client.getPacks("acme")).revisions).toHaveLength(1);
  });

  it("can be held to signatures, to their keys and to rising versions", async () => {
    const key = await generateKey("ours");
    const stranger = await generateKey("theirs");
    await using test = await startTestServer({ trust: { keys: [toPublicKey(key)] } });
    const files = new Map(Object.entries(guard).map(([path, text]) => [path, Buffer.from(text)]));
    const bundle = async (signer: unknown, version: string): Promise<Buffer<ArrayBuffer>> =>
      Buffer.from((await buildBundle(files, { name: "guard", version, key: signer, nodeModules: [] })).bytes);
    const { client } = await test.tenant("acme", undefined, { signedOnly: true });
    expect(await codeOf(client.putPack("acme", { files: guard }))).toBe("bundle-untrusted");
    expect(await codeOf(client.putPack("acme", await bundle(undefined, "1.0.0")))).toBe("bundle-untrusted");
    expect(await codeOf(client.putPack("acme", await bundle(stranger, "1.0.0")))).toBe("bundle-untrusted");
    const { revision } = await client.putPack("acme", await bundle(key, "1.1.0"));
    expect(revision).toMatchObject({ signedBy: "ours", version: "1.1.0" });
    expect(await codeOf(client.putPack("acme", await bundle(key, "1.0.0")))).toBe("bundle-rollback");
  });

  // The same signed archive, compressed by somebody else: it was refused as other content under the version that serves.
  it("are known by their signed content, however the file is compressed", async () => {
    const key = await generateKey("ours");
    await using test = await startTestServer({ trust: { keys: [toPublicKey(key)] } });
    const files = new Map(Object.entries(guard).map(([path, text]) => [path, Buffer.from(text)]));
    const { bytes } = await buildBundle(files, { name: "guard", version: "1.0.0", key, nodeModules: [] });
    const tar = gunzipSync(bytes);
    const anew = Buffer.concat([
      bytes.subarray(0, 10),
      deflateRawSync(tar, { level: 0 }),
      bytes.subarray(-8),
    ]);
    const { client } = await test.tenant("acme", undefined, { signedOnly: true });
    const { revision: first } = await client.putPack("acme", Buffer.from(bytes));
    const { revision: second } = await client.putPack("acme", anew);
    expect(second).toMatchObject({ revision: 2, bundle: first.bundle, signedBy: "ours" });
    expect((await client.decide(danger)).verdict).toBe("deny");
    await client.activatePack("acme", { revision: 1 });
    expect((await client.decide(danger)).verdict).toBe("deny");
  });

  it("can be held to reviews, also where the review came after the pack", async () => {
    const reviewer = await generateKey("alice");
    const records = mkdtempSync(join(tmpdir(), "hookwarden-reviews-"));
    const requireReview = { records: [records], trust: { keys: [toPublicKey(reviewer)] } };
    await using test = await startTestServer({ requireReview });
    const files = new Map(Object.entries(guard).map(([path, text]) => [path, Buffer.from(text)]));
    const { bytes } = await buildBundle(files, { name: "guard", version: "1.0.0", nodeModules: [] });
    const { pack } = await openBundle(bytes, { trust: null });
    const write = async (decision: "approve" | "refuse"): Promise<void> => {
      const digest = `sha256:${"0".repeat(64)}`;
      const record: ReviewRecord = {
        format: "hookwarden-review-record-2",
        pack: pack.digest,
        scope: "pack",
        hooks: pack.hooks.map((hook) => ({ name: hook.name, digest: hook.digest })),
        tool: "hookwarden test",
        corpus: digest,
        findings: digest,
        counts: { high: 0, medium: 0, low: 0, info: 0 },
        decision,
        reviewer: "Alice",
        reviewed: "2026-01-01T00:00:00Z",
        expires: "2999-01-01T00:00:00Z",
      };
      writeFileSync(join(records, `${decision}.json`), JSON.stringify(await signReview(record, reviewer)));
    };
    const { client } = await test.tenant("acme");
    expect(await codeOf(client.putPack("acme", Buffer.from(bytes)))).toBe("review-required");
    await write("approve");
    await client.putPack("acme", Buffer.from(bytes));
    await client.putPack("acme", Buffer.from(bytes), { rollout: "none" });
    expect((await client.decide(danger)).verdict).toBe("deny");
    await write("refuse");
    expect(await codeOf(client.activatePack("acme", { revision: 2 }))).toBe("review-required");
    rmSync(records, { recursive: true });
  });

  it("can be tried without serving", async () => {
    await using test = await startTestServer();
    const { client } = await test.tenant("acme", guard);
    const script = {
      source: "export default () => ({ action: 'deny', reason: 'tried' })",
      on: ["PreToolUse"] as const,
    };
    expect(await client.try("acme", { events: [eventOf()], script })).toMatchObject([
      { answer: { verdict: "deny" } },
    ]);
    expect(await client.try("acme", { events: [danger, {}] })).toMatchObject([
      { answer: { verdict: "deny" } },
      { code: "event-invalid" },
    ]);
    expect((await client.decide(eventOf())).verdict).toBe("continue");
  });

  it("of a folder serve, and follow it", async () => {
    await using test = await startTestServer();
    const folder = mkdtempSync(join(tmpdir(), "hookwarden-folder-"));
    try {
      const files = packOf("export default () => undefined");
      mkdirSync(join(folder, "guard"));
      for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text);
      using _folder = await serveFolder(test.server.context, "default", folder, true);
      const { key } = await test.operator.makeKey({ tenant: "default", name: "x", scopes: ["decide"] });
      const client = createClient({ url: test.url, key });
      expect((await client.decide(danger)).verdict).toBe("continue");
      writeFileSync(
        join(folder, "guard/hook.js"),
        "export default () => ({ action: 'deny', reason: 'new' })",
      );
      await expect.poll(async () => (await client.decide(danger)).verdict, { timeout: 10_000 }).toBe("deny");
      writeFileSync(join(folder, "guard/hook.js"), "export default (");
      await expect
        .poll(() => test.lines.find((line) => line.includes("folder-refused")), { timeout: 10_000 })
        .toBeDefined();
      const refused = test.lines.find((line) => line.includes("folder-refused")) as string;
      expect(JSON.parse(refused)).toMatchObject({
        error: "load-failed",
        file: "guard/hook.js",
        line: 1,
        message: expect.stringMatching(/unexpected/i) as string,
      });
      expect((await client.decide(danger)).verdict).toBe("deny");
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe("quarantine", () => {
  const faulty = packOf(
    "export default (event) => { if (event.tool_input.command === 'fail') throw new Error('x'); }",
  );

  it("closes the gate of a guard that fails again and again, outlives a restart, and can be lifted", async () => {
    const data = mkdtempSync(join(tmpdir(), "hookwarden-quarantine-"));
    try {
      let key: string;
      {
        await using test = await startTestServer({ data });
        const made = await test.tenant("acme", faulty);
        ({ key } = made);
        for (let at = 0; at < 5; at++) await made.client.decide(eventOf("s", "fail"));
        const held = await made.client.decide(eventOf("s", "ls"));
        // The hook would have let this pass: in quarantine it cannot, and so its policy decides.
        expect(held).toMatchObject({ verdict: "deny", trace: [{ fault: { code: "quarantined" } }] });
        expect(await test.operator.getQuarantine()).toMatchObject([
          { tenant: "acme", hook: "guard", fault: "threw", times: 1 },
        ]);
      }
      await using again = await startTestServer({ data });
      const client = createClient({ url: again.url, key });
      expect((await client.decide(eventOf("s", "ls"))).verdict).toBe("deny");
      const [entry] = await again.operator.getQuarantine("acme");
      await again.operator.liftQuarantine(entry?.id as string);
      expect((await client.decide(eventOf("s", "ls"))).verdict).toBe("continue");
      expect(await codeOf(again.operator.liftQuarantine(entry?.id as string))).toBe("not-found");
    } finally {
      rmSync(data, { recursive: true, force: true });
    }
  });
});

describe("audit", () => {
  it("is a whole decision log for each tenant, over restarts", async () => {
    const data = mkdtempSync(join(tmpdir(), "hookwarden-audit-"));
    try {
      let keys: string[] = [];
      const ids: string[] = [];
      for (let run = 0; run < 3; run++) {
        await using test = await startTestServer({ data });
        if (run === 0) keys = [(await test.tenant("one", guard)).key, (await test.tenant("two", guard)).key];
        const client = createClient({ url: test.url, key: keys[0] as string });
        const decided = await Promise.all(Array.from({ length: 10 }, () => client.decide(danger)));
        ids.push(...decided.map(({ decision_id }) => decision_id));
        await createClient({ url: test.url, key: keys[1] as string }).decide(danger);
      }
      await using test = await startTestServer({ data });
      const client = createClient({ url: test.url, key: keys[0] as string });
      // The record of this start is written in the background: not between the two requests.
      await test.server.context.registry.get("one")?.log?.flush();
      const text = await new Response(await client.exportAudit("one")).text();
      const report = await verifyLog(Readable.from([Buffer.from(text)]));
      expect(report).toMatchObject({ problem: null, decisions: 30, tenants: 1, interruptions: [] });
      for (const id of ids) expect(text.split(`"decision_id":"${id}"`)).toHaveLength(2);
      const [chain] = await client.getAudit("one");
      expect(chain).toMatchObject({ node: "local", hash: report.head });
      // What is cut out of the middle shows.
      const lines = text.split("\n");
      const cut = [...lines.slice(0, 5), ...lines.slice(6)].join("\n");
      expect((await verifyLog(Readable.from([Buffer.from(cut)]))).problem).not.toBeNull();
      const part = await new Response(
        await client.exportAudit("one", "local", { after: 3, limit: 2 }),
      ).text();
      expect(part).toBe(`${lines.slice(3, 5).join("\n")}\n`);
    } finally {
      rmSync(data, { recursive: true, force: true });
    }
  });

  it("answers nothing that it cannot record", async () => {
    await using test = await startTestServer();
    const { client } = await test.tenant("acme", guard);
    const { audit } = test.server.context.stores;
    const append = audit.append.bind(audit);
    audit.append = () => Promise.reject(new Error("the disk is full"));
    expect(await codeOf(client.decide(danger))).toBe("log-failed");
    audit.append = append;
    await expect.poll(() => codeOf(client.decide(danger)), { timeout: 10_000 }).toBe("none");
    const text = await new Response(await client.exportAudit("acme")).text();
    expect((await verifyLog(Readable.from([Buffer.from(text)]))).problem).toBeNull();
  });
});

describe("JSON Web Tokens", () => {
  it("say the tenant, and hold only from the issuer, for the audience, in time and in an allowed algorithm", async () => {
    const { publicKey, privateKey } = await generateKeyPair("ES256");
    const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: "k", alg: "ES256" }] };
    await using test = await startTestServer({
      jwt: { jwks, issuer: "https://issuer.test", audience: "hookwarden" },
    });
    await test.tenant("acme", guard);
    await test.tenant("other", guard);
    const sign = (
      claims: { [name: string]: unknown },
      { expires = "1m", issuer = "https://issuer.test", audience = "hookwarden" } = {},
    ): Promise<string> =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: "ES256", kid: "k" })
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject("agent")
        .setExpirationTime(expires)
        .sign(privateKey);
    const ask = async (key: string): Promise<string> => {
      const client = createClient({ url: test.url, key });
      return client.decide(danger).then(
        ({ tenant }) => tenant,
        (error: ServerError) => error.code,
      );
    };
    expect(await ask(await sign({ tenant: "acme" }))).toBe("acme");
    expect(await ask(await sign({ tenant: "acme", scope: "audit" }))).toBe("forbidden");
    expect(await ask(await sign({ tenant: "acme" }, { expires: "-1m" }))).toBe("unauthorized");
    expect(await ask(await sign({ tenant: "acme" }, { issuer: "https://evil.test" }))).toBe("unauthorized");
    expect(await ask(await sign({ tenant: "acme" }, { audience: "another" }))).toBe("unauthorized");
    expect(await ask(await sign({}))).toBe("unauthorized");
    expect(await ask(await sign({ tenant: "../acme" }))).toBe("unauthorized");
    // Algorithm confusion: signed with what everybody knows, as if it were a shared secret; and not signed at all.
    const secret = createHash("sha256").update(JSON.stringify(jwks)).digest();
    const shared = await new SignJWT({ tenant: "acme" })
      .setProtectedHeader({ alg: "HS256", kid: "k" })
      .setIssuer("https://issuer.test")
      .setAudience("hookwarden")
      .setSubject("a")
      .setExpirationTime("1m")
      .sign(secret);
    expect(await ask(shared)).toBe("unauthorized");
    const none = `${Buffer.from('{"alg":"none"}').toString("base64url")}.${(await sign({ tenant: "acme" })).split(".")[1]}.`;
    expect(await ask(none)).toBe("unauthorized");
    // A token can never make an operator.
    const operator = createClient({
      url: test.url,
      key: await sign({ tenant: "acme", scope: "decide packs audit operator admin" }),
    });
    expect(await codeOf(operator.getTenants())).toBe("forbidden");
  });
});

describe("starting and ending", () => {
  it("refuses to listen beyond this machine without credentials", async () => {
    for (const host of ["0.0.0.0", "::", "192.0.2.1", "example.com"]) {
      await expect(createServer({ data: "/nowhere", host, credentials: "none" })).rejects.toThrow(
        HookwardenError,
      );
    }
  });

  it("answers what is in flight before it ends, and refuses what comes later", async () => {
    const test = await startTestServer({ where: "process" });
    const { client } = await test.tenant(
      "acme",
      packOf("export default () => { for (let i = 0; i < 2000000; i++); }", { limits: { wallMs: 10_000 } }),
    );
    const inFlight = Array.from({ length: 5 }, () => codeOf(client.decide(danger)));
    const tenant = test.server.context.registry.get("acme")!;
    await expect.poll(() => tenant.inFlight + tenant.waiting, { timeout: 10_000, interval: 10 }).toBe(5);
    const closing = test.server.close();
    expect(new Set(await Promise.all(inFlight))).toEqual(new Set(["none"]));
    expect(["unreachable", "shutting-down"]).toContain(await codeOf(client.decide(danger)));
    await closing;
    await test[Symbol.asyncDispose]();
  });

  // A connection that is kept for the next request, on which nothing has come yet, or on which half a request has, would
  // hold the server up for as long as it waits for late ones.
  it("does not wait for connections on which nothing is asked", async () => {
    const test = await startTestServer({ audit: "off", limits: { shutdownMs: 300_000 } });
    const { client } = await test.tenant("acme", guard);
    expect((await client.decide(danger)).verdict).toBe("deny");
    const sockets = ["", head("GET", "/health", {}), "POST /v1/decisions HTTP/1.1\r\nhost: loc"].map(
      (text) => {
        const socket = connect(test.port, "127.0.0.1");
        socket.write(text);
        socket.resume();
        return socket;
      },
    );
    const gone = sockets.map((socket) => once(socket, "close"));
    const watched = Array.fromAsync(test.operator.watch("acme"));
    await expect.poll(() => sockets[1]!.bytesRead).toBeGreaterThan(0);
    await test.server.close();
    await Promise.all(gone);
    await watched;
    await test[Symbol.asyncDispose]();
  });

  it("streams live events", async () => {
    await using test = await startTestServer();
    const { client } = await test.tenant("acme", guard);
    const end = new AbortController();
    const seen: string[] = [];
    const watching = (async () => {
      for await (const event of test.operator.watch("acme", end.signal)) {
        seen.push(event.type === "decision" ? `${event.tool} ${event.verdict}` : event.type);
        if (seen.length === 2) return;
      }
    })();
    await expect
      .poll(async () => (await client.decide(danger), seen.length), { timeout: 10_000 })
      .toBeGreaterThanOrEqual(2);
    await watching;
    expect(seen[0]).toBe("Bash deny");
    end.abort();
  });
});

describe("the page", () => {
  const page = readFileSync(new URL("../../../docs/server.md", import.meta.url), "utf8").replaceAll(
    / +/g,
    " ",
  );

  it("names every route, for whom it is, every problem, and every limit with its default", () => {
    for (const { method, path, needs } of routes) {
      expect(page).toContain(`| \`${method} ${path}\` | ${needs === "nothing" ? "" : `${needs} `}|`);
    }
    for (const [code, { status, means }] of Object.entries(problemTable)) {
      expect(page).toContain(`| \`${code}\` | ${status} | ${means} |`);
    }
    for (const [name, row] of Object.entries(tenantLimitTable)) {
      const value = name === "stateBytes" ? "64 MiB" : row.default.toLocaleString("en");
      expect(page).toContain(`| \`${name}\` | ${value} |`);
    }
    for (const name of Object.keys(httpLimitTable)) expect(page).toContain(`\`${name}\``);
  });
});

describe("the description", () => {
  it("names every route, and every reference in it leads somewhere", async () => {
    const description = openApi(routes) as {
      paths: { [path: string]: object };
      components: { schemas: object };
    };
    await using test = await startTestServer({ audit: "off" });
    expect(await (await fetch(`${test.url}/openapi.json`)).json()).toEqual(
      JSON.parse(JSON.stringify(description)),
    );
    const described = Object.entries(description.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(new Set(described)).toEqual(new Set(routes.map(({ method, path }) => `${method} ${path}`)));
    for (const [, name] of JSON.stringify(description).matchAll(/#\/components\/schemas\/(\w+)/g)) {
      expect(description.components.schemas).toHaveProperty(name as string);
    }
    expect(new Set(routes.map(({ id }) => id)).size).toBe(routes.length);
  });

  it("has a method of the client for every route that is not for machines", () => {
    const client = createClient({ url: "http://localhost" });
    const left = new Set(["getHealth", "getReady", "getMetrics", "getOpenApi"]);
    for (const { id } of routes) if (!left.has(id)) expect(client, id).toHaveProperty(id);
  });

  it("is kept by what the server answers", async () => {
    const { Ajv2020 } = await import("ajv/dist/2020.js");
    await using test = await startTestServer({ audit: "off" });
    const { client, key } = await test.tenant("acme", guard);
    await client.decide(danger);
    const ajv = new Ajv2020({ strict: false });
    ajv.addSchema({ $id: "x:", ...openApi(routes) });
    for (const { method, path, answers, needs } of routes) {
      const schema = answers["200"];
      if (method !== "GET" || typeof schema !== "object" || schema === null) continue;
      // Those of one approval or decision have tests of their own.
      if (/\{(?!tenant\})/.test(path)) continue;
      const url = `${test.url}${path.replace("{tenant}", "acme")}`;
      const answer = await fetch(url, {
        headers: { authorization: `Bearer ${needs === "operator" ? test.operatorKey : key}` },
      });
      const own = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"x:#/')) as object;
      expect(answer.status, path).toBe(200);
      const valid = ajv.validate(own, await answer.json());
      expect(valid, `${path}: ${ajv.errorsText()}`).toBe(true);
    }
  });
});
