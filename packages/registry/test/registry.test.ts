import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HookwardenError } from "hookwarden";
import { buildBundle, generateKey, toPublicKey } from "hookwarden/bundle";
import { sha256 } from "hookwarden/files";
import { artifactType, layerType } from "../src/artifact.ts";
import { pullBundle, pushBundle } from "../src/index.ts";
import { readReference } from "../src/reference.ts";
import { key, packFolder, trust } from "../../../test/bundle/support.ts";

interface Seen {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
}

/** A registry in memory: blobs, manifests, uploads, and whatever a test makes of its answers. */
class FakeRegistry {
  readonly blobs = new Map<string, Buffer>();
  readonly manifests = new Map<string, Buffer>();
  readonly seen: Seen[] = [];
  /** Answers in place of the registry; `false`: it does not. */
  instead: (request: IncomingMessage, response: ServerResponse) => boolean = () => false;
  readonly server = createServer((request, response) => void this.#answer(request, response));

  get host(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url!, "http://registry");
    const { authorization } = request.headers;
    this.seen.push({ method: request.method!, path: url.pathname, authorization });
    const body = Buffer.concat(await request.toArray());
    if (this.instead(request, response)) return;
    const [, kind, name = ""] = /\/(blobs|manifests)\/(.+?)\/?$/.exec(url.pathname) ?? [];
    const stored = (kind === "blobs" ? this.blobs : this.manifests).get(name);
    if (request.method === "POST") {
      response.writeHead(202, { location: "/v2/team/policies/blobs/uploads/1?state=x" }).end();
    } else if (request.method === "PUT" && kind === "blobs") {
      this.blobs.set(url.searchParams.get("digest")!, body);
      response.writeHead(201).end();
    } else if (request.method === "PUT") {
      this.manifests.set(name, body).set(sha256(body), body);
      response.writeHead(201).end();
    } else if (stored) {
      response.writeHead(200).end(request.method === "HEAD" ? undefined : stored);
    } else {
      response.writeHead(404).end();
    }
  }
}

const registry = new FakeRegistry();
let bundle: Uint8Array;
let unsigned: Uint8Array;

beforeAll(async () => {
  registry.server.listen(0, "127.0.0.1");
  await once(registry.server, "listening");
  const pack = packFolder({ name: "policies", version: "1.2.0+b.1" });
  bundle = (await buildBundle(pack, { key })).bytes;
  unsigned = (await buildBundle(pack, {})).bytes;
});

afterAll(() => {
  registry.server.closeAllConnections();
  registry.server.close();
});

const address = (): string => `oci://${registry.host}/team/policies`;

async function failure(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  return error instanceof HookwardenError ? `${error.code}: ${error.message}` : String(error);
}

describe("a bundle in a registry", () => {
  it("is pushed, and pulled by digest and by tag", async () => {
    const pushed = await pushBundle(bundle, address(), { credentials: null });
    expect(pushed.reference).toBe(`${address()}:1.2.0_b.1@${pushed.manifest}`);
    for (const from of [pushed.reference, `${address()}:1.2.0_b.1`, `${address()}@${pushed.manifest}`]) {
      const pulled = await pullBundle(from, { trust, credentials: null });
      expect(Buffer.from(pulled.bytes).equals(bundle)).toBe(true);
      expect(pulled.bundle.digest).toBe(pushed.digest);
      expect(pulled.manifest).toBe(pushed.manifest);
    }
  });

  it("has the same digest however often it is pushed, and is uploaded once", async () => {
    const first = await pushBundle(bundle, `${address()}:again`, { credentials: null });
    registry.seen.length = 0;
    const second = await pushBundle(bundle, `${address()}:again`, { credentials: null });
    expect(second).toEqual(first);
    expect(registry.seen.filter(({ method }) => method === "POST")).toEqual([]);
  });

  it("is an artifact that other tools recognise", async () => {
    const { manifest } = await pushBundle(bundle, address(), { credentials: null });
    expect(JSON.parse(registry.manifests.get(manifest)!.toString())).toMatchObject({
      schemaVersion: 2,
      artifactType,
      layers: [{ mediaType: layerType, digest: sha256(bundle), size: bundle.length }],
    });
  });

  it("is not pushed without a signature, unless asked for", async () => {
    expect(await failure(pushBundle(unsigned, address(), { credentials: null }))).toMatch(
      /^bundle-untrusted/,
    );
    await pushBundle(unsigned, `${address()}:unsigned`, { credentials: null, unsigned: true });
    expect(await failure(pullBundle(`${address()}:unsigned`, { trust, credentials: null }))).toMatch(
      /^bundle-untrusted: the bundle is not signed/,
    );
  });

  it("is not pushed if it is no bundle", async () => {
    expect(await failure(pushBundle(Buffer.from("PK"), address(), { credentials: null }))).toMatch(
      /^bundle-invalid/,
    );
  });
});

describe("a registry that lies", () => {
  // Attack: an attacker who controls the registry replaces what a pinned digest leads to.
  it("cannot change a bundle, its manifest, or what a digest leads to", async () => {
    const { manifest, reference } = await pushBundle(bundle, address(), { credentials: null });
    const blob = registry.blobs.get(sha256(bundle))!;
    const changed = Buffer.from(blob);
    changed[changed.length - 9]! ^= 1;
    registry.blobs.set(sha256(bundle), changed);
    expect(await failure(pullBundle(reference, { trust, credentials: null }))).toMatch(
      /^registry-failed: the registry sent another bundle/,
    );
    registry.blobs.set(sha256(bundle), Buffer.concat([blob, Buffer.from("x")]));
    expect(await failure(pullBundle(reference, { trust, credentials: null }))).toMatch(/^registry-failed/);
    registry.blobs.set(sha256(bundle), blob);
    const kept = registry.manifests.get(manifest)!;
    registry.manifests.set(manifest, Buffer.from(`${kept.toString()} `));
    expect(await failure(pullBundle(reference, { trust, credentials: null }))).toMatch(
      /^registry-failed: the registry sent another manifest/,
    );
    registry.manifests.set(manifest, kept);
  });

  // Attack: a tag is moved to a bundle that somebody else signed.
  it("cannot move a tag to a bundle of a stranger", async () => {
    const stranger = await generateKey("release");
    await pushBundle(bundle, `${address()}:moved`, { credentials: null });
    const other = { keys: [toPublicKey(stranger)] };
    expect(await failure(pullBundle(`${address()}:moved`, { trust: other, credentials: null }))).toMatch(
      /^bundle-untrusted/,
    );
  });

  // Attack: an endless body fills the memory of the host that pulls.
  it("cannot send more than a bundle or a manifest may have", async () => {
    registry.instead = (request, response) => {
      response.writeHead(200);
      const part = Buffer.alloc(1_048_576);
      const more = (): void => {
        while (response.write(part));
      };
      response.on("drain", more).on("error", () => {});
      request.on("close", () => response.destroy());
      more();
      return true;
    };
    expect(await failure(pullBundle(`${address()}:x`, { trust, credentials: null }))).toMatch(
      /^registry-failed: the registry sent more than the 4194304 bytes/,
    );
    registry.instead = () => false;
  });

  // Attack: the challenge of a hostile or intercepted registry names a place of the attacker's, which is sent the password.
  it("is not sent a password elsewhere without encryption", async () => {
    registry.instead = (_, response) => {
      const challenge = 'Bearer realm="http://evil.example/token",service="x"';
      response.writeHead(401, { "www-authenticate": challenge }).end();
      return true;
    };
    const credentials = { username: "ann", password: "secret" };
    expect(await failure(pullBundle(`${address()}:x`, { trust, credentials }))).toMatch(
      /^registry-failed: .*asks for a login at `http:\/\/evil\.example`, which is not HTTPS/,
    );
    registry.instead = () => false;
  });

  // Attack: an upload address on another host collects the token.
  it("is not sent a token at another origin", async () => {
    const other = new FakeRegistry();
    other.server.listen(0, "127.0.0.1");
    await once(other.server, "listening");
    registry.instead = (request, response) => {
      if (request.headers.authorization === undefined) {
        response.writeHead(401, { "www-authenticate": 'Basic realm="r"' }).end();
      } else if (request.method === "HEAD") {
        response.writeHead(404).end();
      } else if (request.method === "POST") {
        response.writeHead(202, { location: `http://${other.host}/v2/team/policies/blobs/x` }).end();
      } else {
        return false;
      }
      return true;
    };
    const credentials = { username: "ann", password: "secret" };
    await pushBundle(bundle, `${address()}:elsewhere`, { credentials });
    expect(other.seen.length).toBeGreaterThan(0);
    expect(other.seen.filter(({ authorization }) => authorization !== undefined)).toEqual([]);
    registry.instead = () => false;
    other.server.closeAllConnections();
    other.server.close();
  });
});

describe("a registry with a login", () => {
  const credentials = { username: "ann", password: "secret" };

  it("gets a token for exactly this repository", async () => {
    const asked: string[] = [];
    registry.instead = (request, response) => {
      const url = new URL(request.url!, "http://registry");
      if (url.pathname === "/token") {
        asked.push(`${url.search} ${request.headers.authorization}`);
        response.writeHead(200).end('{"token":"t0ken"}');
      } else if (request.headers.authorization !== "Bearer t0ken") {
        const challenge = `Bearer realm="http://${registry.host}/token",service="registry"`;
        response.writeHead(401, { "www-authenticate": challenge }).end();
      } else {
        return false;
      }
      return true;
    };
    await pushBundle(bundle, `${address()}:login`, { credentials });
    expect(asked).toEqual([
      `?scope=repository%3Ateam%2Fpolicies%3Apull%2Cpush&service=registry Basic ${btoa("ann:secret")}`,
    ]);
    registry.instead = () => false;
  });

  it("says what to do where there are no credentials, or wrong ones", async () => {
    registry.instead = (_, response) => {
      response.writeHead(401, { "www-authenticate": 'Basic realm="r"' }).end();
      return true;
    };
    expect(await failure(pullBundle(`${address()}:x`, { trust, credentials: null }))).toMatch(
      /requires a login: run `oras login 127\.0\.0\.1:\d+`/,
    );
    expect(await failure(pullBundle(`${address()}:x`, { trust, credentials }))).toMatch(
      /answered 401 .*the credentials are not accepted/,
    );
    registry.instead = () => false;
  });
});

describe("failures", () => {
  it("are named where there is no registry, or no such bundle", async () => {
    expect(await failure(pullBundle("oci://127.0.0.1:1/a:b", { trust, credentials: null }))).toMatch(
      /^registry-unavailable: the registry at `http:\/\/127\.0\.0\.1:1` cannot be reached \(/,
    );
    expect(await failure(pullBundle(`${address()}:nothing`, { trust, credentials: null }))).toMatch(
      /answered 404 .*no such repository, tag or digest/,
    );
  });

  it.each([
    ["no scheme", "registry.example/team/policies:1"],
    ["upper case", "oci://registry.example/Team/policies:1"],
    ["a path that leaves", "oci://registry.example/../v2/x:1"],
    ["credentials", "oci://ann:secret@registry.example/team:1"],
    ["a query", "oci://registry.example/team?x:1"],
    ["another digest", "oci://registry.example/team@sha512:00"],
    ["a short digest", "oci://registry.example/team@sha256:00"],
    ["a port that is none", "oci://registry.example:99999/team:1"],
    ["a line break", "oci://registry.example/team:1\n"],
  ])("an address with %s is refused", (_, text) => {
    expect(() => readReference(text)).toThrow(/is not an address in a registry; write/);
  });

  it("an address without a tag or a digest cannot be pulled", async () => {
    expect(await failure(pullBundle(address(), { trust, credentials: null }))).toMatch(
      /^option-invalid: name what/,
    );
  });

  it("an address with a digest cannot be pushed to", async () => {
    const to = `${address()}@${sha256(bundle)}`;
    expect(await failure(pushBundle(bundle, to, { credentials: null }))).toMatch(
      /^option-invalid: a bundle is pushed/,
    );
  });
});
