import semver from "semver";
import { quote } from "@hookwarden/sandbox/json";
import { HookwardenError } from "../errors/index.ts";
import { isDateTime } from "../catalogue/index.ts";
import { type CryptoKeyLike, importPublicKey, isKeyName, type PublicKeyJwk } from "./keys.ts";
import { isPlainName, isVersion } from "./list.ts";

/** A key that a host trusts, and how far. */
export interface TrustedKey extends PublicKeyJwk {
  /** Moment from which on nothing that it signed is accepted any more (ISO 8601). */
  readonly expires?: string;
  /** `true`: nothing that it ever signed is accepted. */
  readonly revoked?: boolean;
  /** Names of the bundles that it may sign, and of the packs whose reviews it may sign. Default: all. */
  readonly bundles?: readonly string[];
  /** The only name that a review by this key may give as its reviewer. Default: any. */
  readonly reviewer?: string;
}

/** What a host accepts: its trust file. */
export interface Trust {
  readonly keys: readonly TrustedKey[];
  /** The target that bundles must be made for. Default `default`. */
  readonly target?: string;
  /** The name that the bundle must have. Default: any. */
  readonly name?: string;
  /** Lowest version that is accepted. */
  readonly floor?: string;
  /** Digests (`sha256:` of the signed content) of bundles that are accepted although they are older. */
  readonly approved?: readonly string[];
}

/** A trust file whose form has been checked. */
export interface CheckedTrust {
  readonly keys: ReadonlyMap<string, TrustedKey & { readonly imported: CryptoKeyLike }>;
  readonly target: string;
  readonly name: string | null;
  readonly floor: string | null;
  readonly approved: ReadonlySet<string>;
}

const members: ReadonlySet<string> = new Set(["keys", "target", "name", "floor", "approved"]);
const keyMembers: ReadonlySet<string> = new Set([
  "kty",
  "crv",
  "x",
  "kid",
  "use",
  "alg",
  "expires",
  "revoked",
  "bundles",
  "reviewer",
]);

/**
 * Checks a trust file. Members that it does not know are refused: a slip such as `expire` must not make a key live for
 * ever.
 *
 * @throws {HookwardenError} `trust-invalid`
 */
export async function checkTrust(value: unknown): Promise<CheckedTrust> {
  const trust = objectAt(value, "", members) as Partial<Trust>;
  const { target = "default", name, floor, approved = [] } = trust;
  if (!Array.isArray(trust.keys)) wrong("`keys` must be a list", "/keys");
  if (!isPlainName(target)) wrong("`target` must be a name", "/target");
  if (name !== undefined && !isPlainName(name)) wrong("`name` must be a name", "/name");
  if (floor !== undefined && !isVersion(floor)) wrong("`floor` must be a semantic version", "/floor");
  if (
    !Array.isArray(approved) ||
    !approved.every((one) => typeof one === "string" && /^sha256:[0-9a-f]{64}$/.test(one))
  ) {
    wrong("`approved` must be a list of digests such as `sha256:…`", "/approved");
  }
  const keys = new Map<string, TrustedKey & { readonly imported: CryptoKeyLike }>();
  for (const [index, key] of trust.keys.entries()) {
    const checked = checkKey(key, `/keys/${index}`);
    if (keys.has(checked.kid)) wrong(`there are two keys ${quote(checked.kid)}`, `/keys/${index}/kid`);
    keys.set(checked.kid, { ...checked, imported: await importPublicKey(checked) });
  }
  return { keys, target, name: name ?? null, floor: floor ?? null, approved: new Set(approved) };
}

function checkKey(value: unknown, pointer: string): TrustedKey {
  if (typeof value === "object" && value !== null && "d" in value) {
    wrong("a trust file must not hold a private key (`d`)", pointer);
  }
  const key = objectAt(value, pointer, keyMembers) as Partial<TrustedKey & { use: string; alg: string }>;
  const { kty, crv, x, kid, use, alg, expires, revoked, bundles, reviewer } = key;
  if (kty !== "OKP" || crv !== "Ed25519" || typeof x !== "string")
    wrong("a key must be an Ed25519 key (`kty` `OKP`)", pointer);
  if ((use !== undefined && use !== "sig") || (alg !== undefined && alg !== "EdDSA"))
    wrong("a key must be for `EdDSA` signatures", pointer);
  if (!isKeyName(kid)) wrong("`kid` must be 1 to 128 letters, digits, `.`, `_` and `-`", `${pointer}/kid`);
  if (expires !== undefined && !(typeof expires === "string" && isDateTime(expires))) {
    wrong("`expires` must be a time such as `2030-01-31T12:00:00Z`", `${pointer}/expires`);
  }
  if (revoked !== undefined && typeof revoked !== "boolean")
    wrong("`revoked` must be true or false", `${pointer}/revoked`);
  if (bundles !== undefined && !(Array.isArray(bundles) && bundles.every(isPlainName))) {
    wrong("`bundles` must be a list of names", `${pointer}/bundles`);
  }
  if (reviewer !== undefined && (typeof reviewer !== "string" || reviewer.trim() === ""))
    wrong("`reviewer` must be a name", `${pointer}/reviewer`);
  return key as TrustedKey;
}

function objectAt(value: unknown, pointer: string, known: ReadonlySet<string>): object {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    wrong("it must be an object", pointer);
  for (const member of Object.keys(value)) {
    if (!known.has(member)) wrong(`there is no member ${quote(member)}`, `${pointer}/${member}`);
  }
  return value;
}

function wrong(message: string, pointer: string): never {
  throw new HookwardenError("trust-invalid", message, { pointer });
}

/** Whether a version is lower than another one. */
export function isOlder(version: string, than: string): boolean {
  return semver.lt(version, than);
}
