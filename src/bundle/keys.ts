import { createPrivateKey, createPublicKey } from "node:crypto";
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK } from "jose";
import { HookwardenError } from "../errors/index.ts";

/** The public half of an Ed25519 key, as a JSON Web Key (RFC 8037). */
export interface PublicKeyJwk {
  readonly kty: "OKP";
  readonly crv: "Ed25519";
  /** 32 bytes, base64url. */
  readonly x: string;
  /** Name of the key. Default when made: its thumbprint (RFC 7638). */
  readonly kid: string;
}

/** The whole key pair. Its holder can sign as this publisher. */
export interface PrivateKeyJwk extends PublicKeyJwk {
  readonly d: string;
}

export type CryptoKeyLike = Awaited<ReturnType<typeof importJWK>>;

/** A key to sign with, and its name. */
export interface Signer {
  readonly kid: string;
  readonly key: CryptoKeyLike;
}

/** Names of keys are looked up, never used as paths; still they are kept to what is harmless anywhere. */
const keyName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const halfKey = /^[A-Za-z0-9_-]{43}$/;

export function isKeyName(kid: unknown): kid is string {
  return typeof kid === "string" && keyName.test(kid);
}

/** Makes a key pair for signing bundles. */
export async function generateKey(kid?: string): Promise<PrivateKeyJwk> {
  const { privateKey } = await generateKeyPair("EdDSA", { crv: "Ed25519", extractable: true });
  const { x, d } = await exportJWK(privateKey);
  const half = { kty: "OKP", crv: "Ed25519", x: x as string } as const;
  const name = kid ?? `k${(await calculateJwkThumbprint(half)).replaceAll(/[^A-Za-z0-9]/g, "").slice(0, 20)}`;
  if (!isKeyName(name))
    throw new HookwardenError("option-invalid", "a key's name is 1 to 128 letters, digits, `.`, `_` and `-`");
  return { ...half, kid: name, d: d as string };
}

/** The half that everybody may have. */
export function toPublicKey({ kty, crv, x, kid }: PublicKeyJwk): PublicKeyJwk {
  return { kty, crv, x, kid };
}

/**
 * Imports a key to verify with.
 *
 * @throws {HookwardenError} `trust-invalid`
 */
export function importPublicKey({ kty, crv, x }: PublicKeyJwk): Promise<CryptoKeyLike> {
  return imported(() => importJWK({ kty, crv, x: canonicalHalf(x) }, "EdDSA"));
}

/**
 * Imports a key to sign with.
 *
 * @throws {HookwardenError} `trust-invalid` where it is no Ed25519 key, or its halves do not belong together.
 */
export async function importPrivateKey(value: unknown): Promise<Signer> {
  const { kty, crv, x, d, kid } = (
    typeof value === "object" && value !== null ? value : {}
  ) as Partial<PrivateKeyJwk>;
  if (kty !== "OKP" || crv !== "Ed25519" || typeof x !== "string" || !isKeyName(kid))
    wrong("it is no Ed25519 key with `kid`");
  if (typeof d !== "string") wrong("it is a public key, which cannot sign");
  const jwk = { kty, crv, x: canonicalHalf(x), d: canonicalHalf(d) } as const;
  const key = await imported(() => importJWK(jwk, "EdDSA"));
  // A key file with another public half would make signatures that cannot be verified.
  const belongs = createPublicKey(createPrivateKey({ key: jwk, format: "jwk" })).export({ format: "jwk" }).x;
  if (belongs !== x) wrong("its halves do not belong together");
  return { kid, key };
}

function canonicalHalf(half: string): string {
  if (!halfKey.test(half) || Buffer.from(half, "base64url").toString("base64url") !== half)
    wrong("it is not 32 bytes in base64url");
  return half;
}

async function imported(work: () => Promise<CryptoKeyLike>): Promise<CryptoKeyLike> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof HookwardenError) throw error;
    return wrong("it cannot be read as an Ed25519 key");
  }
}

function wrong(why: string): never {
  throw new HookwardenError("trust-invalid", `the key cannot be used: ${why}`);
}
