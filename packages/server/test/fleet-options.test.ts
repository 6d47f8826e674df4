import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { fleetFrom } from "../src/commands/fleet-options.ts";

const folder = mkdtempSync(join(tmpdir(), "hookwarden-fleet-options-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("without `--nats` there is no fleet, and an option for one is an error", async () => {
  expect(await fleetFrom({}, "data")).toBeNull();
  await expect(fleetFrom({ fleetKey: "x" }, "data")).rejects.toThrow("`--fleet-key` needs `--nats`");
  await expect(fleetFrom({ natsCa: "x" }, "data")).rejects.toMatchObject({ code: "usage" });
});

test("a node needs a key, or keys to trust", async () => {
  const nats = "nats://127.0.0.1";
  await expect(fleetFrom({ nats }, "data")).rejects.toThrow("--fleet-key");
});

test("what is given is handed on: addresses, credentials, certificates, names", async () => {
  const key = join(folder, "key.jwk");
  writeFileSync(key, '{"kid":"fleet"}');
  const given = {
    nats: "nats://a,nats://b",
    node: "eu-1",
    fleetKey: key,
    fleetTrust: "trust.json",
    natsCredentials: "user.creds",
    natsCa: "ca.pem",
    natsCert: "cert.pem",
    natsCertKey: "cert.key",
    natsPrefix: "mine",
    natsReplicas: "3",
  } as const;
  expect(await fleetFrom(given, "data")).toEqual({
    servers: "nats://a,nats://b",
    node: "eu-1",
    folder: join("data", "fleet"),
    replicas: 3,
    key: { kid: "fleet" },
    trust: "trust.json",
    credentials: "user.creds",
    tls: { caFile: "ca.pem", certFile: "cert.pem", keyFile: "cert.key" },
    prefix: "mine",
  });
});

test("a node is called after its host where it has no name, in characters that NATS takes", async () => {
  const made = await fleetFrom({ nats: "nats://a", fleetTrust: "t" }, "data");
  expect(made?.node).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
});
