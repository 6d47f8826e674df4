import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildBundle } from "hookwarden/bundle";
import { type Client, createClient } from "@hookwarden/client";
import { requestSchemas } from "../src/http/request-schemas.ts";
import { routes } from "../src/routes/index.ts";
import { validateRequest } from "../src/generated/validators.js";
import { type ServeProcess, startServe } from "../../../test/support/serve-process.ts";
import { eventOf, guard } from "../../../test/bench/server/setup.ts";

/** Says at the start, and again and again, whether the process makes code from strings. */
const probe = `
  const say = (when) => {
    try {
      Function("return 1")();
      console.error(when + ": made");
    } catch {
      console.error(when + ": refused");
    }
  };
  say("start");
  setInterval(say, 50, "later").unref();
`;

describe("a server whose process makes no code from strings", { timeout: 60_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), "hookwarden-no-code-"));
  let served: ServeProcess;
  let client: Client;
  let key = "";

  beforeAll(async () => {
    writeFileSync(join(folder, "probe.mjs"), probe);
    const NODE_OPTIONS = `--conditions=hookwarden-source --disallow-code-generation-from-strings --import ${join(folder, "probe.mjs")}`;
    served = await startServe({ env: { NODE_OPTIONS } });
    await served.operator.putTenant("acme", { limits: { concurrency: 8 } });
    ({ key } = await served.operator.makeKey({
      tenant: "acme",
      name: "all",
      scopes: ["decide", "packs", "audit"],
    }));
    client = createClient({ url: served.url, key });
  });
  afterAll(async () => {
    await served[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  test("is what this test has started", () => {
    expect(served.said()).toContain("start: refused");
  });

  test("takes packs as files and as bundles, and decides", async () => {
    const { revision } = await client.putPack("acme", { files: guard });
    expect(revision.revision).toBe(1);
    const event = eventOf("s1", "rm -rf /");
    expect(await client.decide(event as never)).toMatchObject({ verdict: "deny", decided_by: "guard" });
    const files = new Map(Object.entries(guard).map(([path, text]) => [path, Buffer.from(text)]));
    const { bytes } = await buildBundle(files, { name: "acme", version: "1.0.0" });
    expect((await client.putPack("acme", Buffer.from(bytes))).revision.revision).toBe(2);
    expect(await client.decide(event as never)).toMatchObject({ verdict: "deny" });
    expect((await client.getHooks("acme")).length).toBe(1);
  });

  test("tries a script", async () => {
    const results = await client.try("acme", {
      events: [eventOf()],
      script: { source: `export default () => ({ action: "deny", reason: "no" });`, on: ["PreToolUse"] },
    });
    expect(results).toMatchObject([{ answer: { verdict: "deny", reason: "no" } }]);
  });

  test("serves its pages, its description and its metrics", async () => {
    const get = (path: string, bearer = ""): Promise<Response> =>
      fetch(served.url + path, { headers: bearer ? { authorization: `Bearer ${bearer}` } : {} });
    for (const path of ["/console/", "/console/console.js", "/health", "/ready", "/openapi.json"]) {
      expect([path, (await get(path)).status]).toEqual([path, 200]);
    }
    expect((await get("/nothing")).status).toBe(404);
    expect((await get("/v1/decisions")).status).toBe(405);
    expect((await get("/v1/tenants/acme/audit/local", key)).status).toBe(200);
    expect((await get("/metrics", key)).status).toBe(403);
  });

  test("refuses what is no request, as any other does", async () => {
    const put = (path: string, body: string): Promise<Response> =>
      fetch(`${served.url}/v1/tenants/acme/packs${path}`, {
        method: "PUT",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body,
      });
    expect((await put("", `{"files":{"a":1}}`)).status).toBe(400);
    expect((await put("?rollout=never", `{"files":{}}`)).status).toBe(400);
    expect((await put("?percent=101", `{"files":{}}`)).status).toBe(400);
    expect((await put("?other=1", `{"files":{}}`)).status).toBe(400);
  });

  test("makes none after it has started either", async () => {
    await expect
      .poll(() =>
        served
          .said()
          .match(/later: \w+/g)
          ?.at(-1),
      )
      .toBe("later: refused");
    expect(await served.stop()).toBe(0);
  });
});

describe("the compiled validators of requests", () => {
  test("are those of the routes", () => {
    const wanted = routes.flatMap((route) => [...requestSchemas(route).keys()]);
    expect([...validateRequest.keys()]).toEqual(wanted);
    expect(wanted.length).toBeGreaterThan(10);
  });

  test("stand alone: no import, no require, no Function", () => {
    const file = new URL("../src/generated/validators.js", import.meta.url);
    expect(readFileSync(file, "utf8")).not.toMatch(/\brequire\b\s*\(|\bimport\b|new Function|\beval\b/);
  });

  // A member that only `Object.prototype` has must not do for one that is missing.
  test("take no member that is only inherited", () => {
    const validate = validateRequest.get("makeKey application/json")!;
    const bare = Object.create({ tenant: "acme", name: "agents" }) as object;
    expect(validate(bare)).toBe(false);
    expect(validate({ tenant: "acme", name: "agents" })).toBe(true);
    expect(validate({ tenant: "acme", name: "agents", admin: true })).toBe(false);
    expect(validate({ tenant: "../acme", name: "agents" })).toBe(false);
  });
});
