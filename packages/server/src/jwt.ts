import { readFile } from "node:fs/promises";
import { createLocalJWKSet, createRemoteJWKSet, type JWTVerifyGetKey, jwtVerify } from "jose";
import { quote } from "@hookwarden/sandbox/json";
import { HookwardenError } from "hookwarden/errors";
import type { Principal } from "./principal.ts";
import type { Scope } from "./storage.ts";
import { isTenantName } from "./tenant-name.ts";

export interface JwtOptions {
  /** Keys of the issuer: the URL (https) of its JWKS, the path of a file with one, or the set itself. */
  readonly jwks: string | { readonly keys: readonly object[] };
  /** `iss` must be this. */
  readonly issuer: string;
  /** `aud` must hold this. */
  readonly audience: string;
  /** Signature algorithms that are accepted: asymmetric ones. Default `EdDSA`, `ES256`, `RS256`. */
  readonly algorithms?: readonly string[];
  /** The claim that names the tenant. Default `tenant`. */
  readonly tenantClaim?: string;
}

/** Those with a shared secret, and `none`, are not among them: who may check must not be able to sign. */
const asymmetric: ReadonlySet<string> = new Set([
  "EdDSA",
  "Ed25519",
  "ES256",
  "ES384",
  "ES512",
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
]);
const scopes: ReadonlySet<string> = new Set<Scope>(["decide", "packs", "audit", "approve"]);
/** How far clocks may be apart, in seconds. */
const toleranceSeconds = 5;

/** Checks JSON Web Tokens of tenants. Operators have keys only: what an issuer says can never make one. */
export class JwtVerifier {
  readonly #getKey: JWTVerifyGetKey;
  readonly #options: JwtOptions;
  readonly #algorithms: string[];

  private constructor(getKey: JWTVerifyGetKey, options: JwtOptions, algorithms: string[]) {
    this.#getKey = getKey;
    this.#options = options;
    this.#algorithms = algorithms;
  }

  /** @throws {HookwardenError} `option-invalid`, `file-unreadable` */
  static async create(options: JwtOptions): Promise<JwtVerifier> {
    const { jwks, issuer, audience, algorithms = ["EdDSA", "ES256", "RS256"] } = options;
    for (const [name, value] of Object.entries({ issuer, audience })) {
      if (typeof value !== "string" || value === "")
        throw new HookwardenError(
          "option-invalid",
          `\`jwt.${name}\` must be given: a token of another service must not do`,
        );
    }
    const wrong = algorithms.find((one) => !asymmetric.has(one));
    if (wrong !== undefined || algorithms.length === 0) {
      throw new HookwardenError("option-invalid", `\`jwt.algorithms\` cannot hold ${quote(String(wrong))}`);
    }
    return new JwtVerifier(await keysOf(jwks), options, [...algorithms]);
  }

  /** @returns `null` for whatever does not hold. */
  async verify(token: string): Promise<{ readonly principal: Principal; readonly until: number } | null> {
    const { issuer, audience, tenantClaim = "tenant" } = this.#options;
    try {
      const { payload } = await jwtVerify(token, this.#getKey, {
        algorithms: this.#algorithms,
        issuer,
        audience,
        clockTolerance: toleranceSeconds,
        requiredClaims: ["exp", "sub", tenantClaim],
      });
      const tenant = payload[tenantClaim];
      if (!isTenantName(tenant)) return null;
      const { scope } = payload;
      const asked = typeof scope === "string" ? scope.split(" ") : ["decide"];
      const principal: Principal = {
        id: `jwt:${String(payload.sub).slice(0, 128)}`,
        tenant,
        scopes: new Set(asked.filter((one) => scopes.has(one)) as Scope[]),
      };
      return { principal, until: (payload.exp as number) * 1_000 };
    } catch {
      // The reason would only help an attacker who forges tokens.
      return null;
    }
  }
}

async function keysOf(jwks: JwtOptions["jwks"]): Promise<JWTVerifyGetKey> {
  if (typeof jwks !== "string") return localSet(jwks);
  if (/^https:\/\//i.test(jwks)) return createRemoteJWKSet(new URL(jwks), { timeoutDuration: 5_000 });
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(jwks)) {
    throw new HookwardenError("option-invalid", "`jwt.jwks` must be an https URL or the path of a file");
  }
  let text: string;
  try {
    text = await readFile(jwks, "utf8");
  } catch (error) {
    throw new HookwardenError(
      "file-unreadable",
      `${quote(jwks)} cannot be read`,
      { file: jwks },
      { cause: error },
    );
  }
  try {
    return localSet(JSON.parse(text));
  } catch (error) {
    throw new HookwardenError(
      "option-invalid",
      `${quote(jwks)} holds no set of keys`,
      { file: jwks },
      { cause: error },
    );
  }
}

function localSet(jwks: unknown): JWTVerifyGetKey {
  return createLocalJWKSet(jwks as Parameters<typeof createLocalJWKSet>[0]);
}
