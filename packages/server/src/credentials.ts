import { hash, randomBytes, timingSafeEqual } from "node:crypto";
import type { JwtVerifier } from "./jwt.ts";
import { Problem } from "./problem.ts";
import type { KeyRecord, KeyStore } from "./storage.ts";
import type { Principal } from "./principal.ts";

/** `hw_`, the public part, and 256 random bits. */
const keyPattern = /^hw_([a-z0-9]{12})_([A-Za-z0-9_-]{43})$/;
/** How long a credential that was checked is believed without asking the store, in milliseconds. */
const believedMs = 5_000;
/** Most credentials that are remembered. */
const maxRemembered = 10_000;
/** Longest credential that is looked at, in characters. */
const longest = 8_192;

/** How often a credential is looked up, where keys change at the same time. */
const attempts = 5;

const noKey = Buffer.alloc(32);

/** A new key: its text, which is shown once, and what is stored of it. */
export function makeKey({
  id = randomBytes(12).toString("hex").slice(0, 12),
  ...of
}: Pick<KeyRecord, "tenant" | "name" | "scopes" | "expires"> & { readonly id?: string }): {
  readonly key: string;
  readonly record: KeyRecord;
} {
  const key = `hw_${id}_${randomBytes(32).toString("base64url")}`;
  const record = {
    ...of,
    id,
    digest: `sha256:${hash("sha256", key)}`,
    created: new Date().toISOString(),
    revoked: null,
  };
  return { key, record };
}

interface Believed {
  readonly principal: Principal;
  readonly until: number;
}

/** Authenticates requests by an API key or a JWT in `Authorization: Bearer`. */
export class Credentials {
  readonly #keys: KeyStore;
  readonly #jwt: JwtVerifier | null;
  /** By the digest of the credential: the credential itself is kept nowhere but with its connection. */
  readonly #believed = new Map<string, Believed>();
  readonly #connections = new WeakMap<
    object,
    Believed & { readonly header: string; readonly generation: number }
  >();
  #generation = 0;

  constructor(keys: KeyStore, jwt: JwtVerifier | null) {
    this.#keys = keys;
    this.#jwt = jwt;
  }

  /**
   * @param connection what the request came over: a credential that was checked on it is compared before it is hashed.
   * @returns `null` for whatever is no valid credential: at once where it is known, else later.
   * @throws {Problem} `not-ready` where keys change faster than the store answers.
   */
  check(header: string | undefined, connection?: object): Principal | null | Promise<Principal | null> {
    if (header === undefined) return null;
    const last = connection && this.#connections.get(connection);
    if (last && last.header === header && last.generation === this.#generation && Date.now() < last.until)
      return last.principal;
    const generation = this.#generation;
    const keep = (found: Believed | null): Principal | null => {
      if (found && connection) this.#connections.set(connection, { header, generation, ...found });
      return found?.principal ?? null;
    };
    const found = this.#check(header);
    return found instanceof Promise ? found.then(keep) : keep(found);
  }

  #check(header: string): Believed | null | Promise<Believed | null> {
    if (header.length > longest || !/^bearer /i.test(header.slice(0, 7))) return null;
    const token = header.slice(7);
    if (token === "") return null;
    const digest = hash("sha256", token, "base64url");
    const believed = this.#believed.get(digest);
    if (believed && Date.now() < believed.until) return believed;
    return this.#find(token, digest);
  }

  /** Forgets what was believed: a revoked key must not live on. */
  forget(): void {
    this.#generation++;
    this.#believed.clear();
  }

  /** Grows whenever what was believed is forgotten: what was found out before may not hold any more. */
  get generation(): number {
    return this.#generation;
  }

  async #find(token: string, digest: string): Promise<Believed | null> {
    const parts = keyPattern.exec(token);
    for (let attempt = 0; attempt < attempts; attempt++) {
      const generation = this.#generation;
      const found = parts ? await this.#findKey(token, parts[1] as string) : await this.#findJwt(token);
      // A slow store may have answered with the key as it was before it was revoked.
      if (generation === this.#generation) return this.#believe(found, digest);
    }
    throw new Problem("not-ready", 1);
  }

  #believe(found: Believed | null, digest: string): Believed | null {
    if (!found) return null;
    if (this.#believed.size >= maxRemembered) this.#believed.clear();
    const believed = { ...found, until: Math.min(Date.now() + believedMs, found.until) };
    this.#believed.set(digest, believed);
    return believed;
  }

  async #findKey(token: string, id: string): Promise<Believed | null> {
    const key = await this.#keys.find(id);
    const given = Buffer.from(hash("sha256", token, "hex"), "hex");
    const known = key ? Buffer.from(key.digest.slice("sha256:".length), "hex") : noKey;
    // Compared in constant time, also for an unknown key, so that timing reveals nothing.
    const same = known.length === given.length && timingSafeEqual(known, given);
    if (!key || !same || key.revoked !== null) return null;
    const until = key.expires === null ? Infinity : Date.parse(key.expires);
    if (!(Date.now() < until)) return null;
    return { principal: { id: key.id, tenant: key.tenant, scopes: new Set(key.scopes) }, until };
  }

  async #findJwt(token: string): Promise<Believed | null> {
    return this.#jwt ? this.#jwt.verify(token) : null;
  }
}
