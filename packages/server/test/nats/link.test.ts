import { describe, expect, test } from "vitest";
import { NatsLink } from "../../src/nats/link.ts";
import { fleetNames, tenantOf, tokenOf } from "../../src/nats/names.ts";
import { natsMissing, startNats } from "../../../../test/support/nats-server.ts";

describe("names in NATS", () => {
  test("every tenant has a token of its own, of characters that mean nothing to NATS", () => {
    const tenants = [
      "a",
      "A",
      "a.b",
      "a.*",
      ">",
      "*",
      " ",
      "é",
      "e\u0301",
      "日本",
      "x".repeat(256),
      "$KV",
      "_INBOX",
    ];
    const tokens = tenants.map(tokenOf);
    expect(new Set(tokens).size).toBe(tenants.length);
    for (const [at, token] of tokens.entries()) {
      expect(token).toMatch(/^[A-Za-z0-9_-]+$/);
      expect(tenantOf(token)).toBe(tenants[at]);
    }
  });

  // Two spellings of one tenant would be two subjects of one: what is allowed for one of them would do for the other.
  test("a token in another spelling, of broken text or of too much is nobody's", () => {
    for (const token of [
      "",
      "=",
      "YQ==",
      "YR",
      "_w",
      "!!",
      "a.b",
      tokenOf("x".repeat(257)),
      "A".repeat(5_000),
    ]) {
      expect(tenantOf(token), token.slice(0, 20)).toBeNull();
    }
  });

  test("a prefix or node that could reach into other subjects is refused", () => {
    for (const wrong of ["", "a.b", "*", "a b", "1a", "$JS", "x".repeat(33)]) {
      expect(() => fleetNames(wrong)).toThrow("prefix");
    }
    for (const wrong of ["", "a.b", "*", ">", "a b", "x".repeat(65)]) {
      expect(() => fleetNames().decideAt(wrong, "t")).toThrow("node's name");
    }
  });
});

describe.skipIf(natsMissing)("the connection to NATS", () => {
  test("uses the URL's user and password, and reveals neither", async () => {
    const nats = await startNats(["--user", "ada", "--pass", "s3cret/+"]);
    const good = new NatsLink({
      servers: `nats://ada:${encodeURIComponent("s3cret/+")}@127.0.0.1:${nats.port}`,
    });
    const bad = new NatsLink({ servers: `nats://ada:guess@127.0.0.1:${nats.port}` });
    try {
      await good.up();
      expect(good.connected).toBe(true);
      await expect.poll(() => bad.lastError).not.toBeNull();
      expect(bad.connected).toBe(false);
      const shown = `${bad.lastError} ${JSON.stringify(bad)} ${JSON.stringify(good)}`;
      expect(shown).not.toMatch(/guess|s3cret|ada/);
      expect(() => bad.parts()).toThrow("there is no connection to NATS");
    } finally {
      await good.close();
      await bad.close();
      await nats.close();
    }
  });

  test("a URL that cannot be used is refused without being repeated", () => {
    for (const servers of ["http://u:hidden@x", "nats://", "://hidden", "nats://u:hidden@:4222", ""]) {
      const open = (): NatsLink => new NatsLink({ servers });
      expect(open).toThrow("a NATS server is given as `nats://host:port` or `tls://host:port`");
    }
  });
});
