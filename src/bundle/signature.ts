import { FlattenedSign, flattenedVerify } from "jose";
import { JsonError, quote, readJsonBytes } from "@hookwarden/sandbox/json";
import { HookwardenError } from "../errors/index.ts";
import { isKeyName, type Signer } from "./keys.ts";
import type { CheckedTrust } from "./trust.ts";

/** Says what a signature is of, so that one made for something else over the same bytes does not count. */
export type SignatureType =
  "hookwarden-bundle" | "hookwarden-certificate" | "hookwarden-record" | "hookwarden-review";

/** What a signature is held to. */
export interface Signed {
  readonly bytes: Buffer;
  readonly type: SignatureType;
  /** Name of the bundle or the reviewed pack, for keys that may sign some only; `null` for what is neither. */
  readonly bundle: string | null;
}

/** A JWS with its payload left out (RFC 7515, appendix F): header and 64 bytes of signature. */
const detached = /^([A-Za-z0-9_-]{1,1024})\.\.([A-Za-z0-9_-]{86})$/;

/**
 * Signs bytes: a JSON Web Signature, Ed25519, without its payload. The same key and bytes make the same signature.
 */
export async function sign(
  bytes: Uint8Array,
  { kid, key }: Signer,
  type: SignatureType = "hookwarden-bundle",
): Promise<Buffer> {
  const made = await new FlattenedSign(bytes).setProtectedHeader({ alg: "EdDSA", kid, typ: type }).sign(key);
  return Buffer.from(`${made.protected}..${made.signature}`);
}

/**
 * Holds a signature to what the host trusts.
 *
 * @param now in milliseconds since 1970.
 * @returns the name of the key.
 * @throws {HookwardenError} `bundle-untrusted`
 */
export async function verifySignature(
  { bytes, type, bundle }: Signed,
  signature: Buffer,
  trust: CheckedTrust,
  now: number,
): Promise<string> {
  const parts = detached.exec(signature.toString("latin1"));
  if (!parts) untrusted("the signature has not the form of a detached JWS");
  const [, head, mark] = parts as unknown as [string, string, string];
  const kid = readHeader(head, type);
  const key = trust.keys.get(kid);
  if (!key) untrusted(`the key ${quote(kid)} is not in the trust file`);
  if (key.revoked) untrusted(`the key ${quote(kid)} is revoked`);
  if (key.expires !== undefined && now >= Date.parse(key.expires))
    untrusted(`the key ${quote(kid)} has expired on ${key.expires}`);
  if (key.bundles && bundle !== null && !key.bundles.includes(bundle))
    untrusted(
      bundle === ""
        ? `the key ${quote(kid)} may sign for some packs only, and this one has no name`
        : `the key ${quote(kid)} may not sign ${type === "hookwarden-review" ? "a review of the pack" : "a bundle"} ${quote(bundle)}`,
    );
  // Two spellings of one signature would make two bundles of one.
  if (Buffer.from(mark, "base64url").toString("base64url") !== mark)
    untrusted("the signature is not in its one spelling");
  try {
    const jws = { protected: head, payload: bytes.toString("base64url"), signature: mark };
    await flattenedVerify(jws, key.imported, { algorithms: ["EdDSA"] });
  } catch {
    untrusted(`the signature by ${quote(kid)} does not belong to what it stands at`);
  }
  return kid;
}

/** The header has three members and no others: nothing in it chooses how it is verified. */
function readHeader(encoded: string, type: SignatureType): string {
  let header: unknown;
  try {
    const bytes = Buffer.from(encoded, "base64url");
    if (bytes.toString("base64url") !== encoded)
      untrusted("the signature's header is not in its one spelling");
    header = readJsonBytes(bytes, { maxBytes: 768, maxDepth: 2, maxKeys: 8, maxKeyLength: 16 });
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    untrusted(`the signature's header ${error.message}`);
  }
  if (typeof header !== "object" || header === null) untrusted("the signature's header is no object");
  const { alg, kid, typ, ...others } = header as { readonly [member: string]: unknown };
  if (alg !== "EdDSA")
    untrusted(`the signature's algorithm is ${quote(String(alg))}, and only \`EdDSA\` is accepted`);
  if (typ !== type) untrusted(`the signature was not made for a ${type.slice("hookwarden-".length)}`);
  if (Object.keys(others).length > 0) untrusted("the signature's header has members that it may not have");
  if (!isKeyName(kid)) untrusted(`the signature's key ${quote(String(kid))} has no name that a key can have`);
  return kid;
}

function untrusted(message: string): never {
  throw new HookwardenError("bundle-untrusted", message);
}
