import { createHash } from "node:crypto";
import { HookwardenError } from "hookwarden/errors";

const prefixPattern = /^[A-Za-z][A-Za-z0-9_-]{0,31}$/;
const nodePattern = /^[A-Za-z0-9_-]{1,64}$/;
const tokenPattern = /^[A-Za-z0-9_-]{1,2048}$/;
/** Characters of a tenant's name, as everywhere. */
const longestTenant = 256;

/** Names of the streams, buckets and subjects of one fleet: servers with another prefix have nothing in common with it. */
export interface FleetNames {
  readonly state: string;
  readonly records: string;
  readonly bundles: string;
  readonly nodes: string;
  readonly claims: string;
  readonly audit: string;
  readonly queue: string;
  /** Subject on which any node decides for a tenant. */
  decide(tenant: string): string;
  /** The claim on a decision, and its answer: `<prefix>.claim.…` and `<prefix>.answer.…`. */
  claim(tenant: string): string;
  answer(tenant: string, id: string): string;
  readonly claimSubjects: readonly string[];
  readonly decideAll: string;
  /** Subject on which one node decides for a tenant. */
  decideAt(node: string, tenant: string): string;
  decideAtAll(node: string): string;
  /** Prefix of the subjects of a tenant's audit; the node's token follows. */
  auditOf(tenant: string): string;
  readonly auditAll: string;
}

/** @throws {HookwardenError} `option-invalid` */
export function fleetNames(prefix = "hookwarden"): FleetNames {
  if (!prefixPattern.test(prefix)) {
    throw new HookwardenError(
      "option-invalid",
      "the NATS prefix is a letter and up to 31 more letters, digits, `_` and `-`",
    );
  }
  return {
    state: `${prefix}_state`,
    records: `${prefix}_records`,
    bundles: `${prefix}_bundles`,
    nodes: `${prefix}_nodes`,
    claims: `${prefix}_claims`,
    audit: `${prefix}_audit`,
    queue: `${prefix}_nodes`,
    decide: (tenant) => `${prefix}.decide.${tokenOf(tenant)}`,
    claim: (tenant) => `${prefix}.claim.${tokenOf(tenant)}`,
    answer: (tenant, id) => `${prefix}.answer.${tokenOf(tenant)}.${hashOf(id)}`,
    claimSubjects: [`${prefix}.claim.*`, `${prefix}.answer.*.*`],
    decideAll: `${prefix}.decide.*`,
    decideAt: (node, tenant) => `${prefix}.node.${checkNode(node)}.${tokenOf(tenant)}`,
    decideAtAll: (node) => `${prefix}.node.${checkNode(node)}.*`,
    auditOf: (tenant) => `${prefix}.audit.${tokenOf(tenant)}`,
    auditAll: `${prefix}.audit.*.*`,
  };
}

/** @throws {HookwardenError} `option-invalid` */
export function checkNode(node: string): string {
  if (nodePattern.test(node)) return node;
  throw new HookwardenError("option-invalid", "a node's name is 1 to 64 letters, digits, `_` and `-`");
}

/**
 * A tenant's name as one token of a subject or key: base64url, so that no character of it can mean anything to NATS.
 */
export function tokenOf(tenant: string): string {
  return Buffer.from(tenant, "utf8").toString("base64url");
}

/** The name that a token stands for; `null` for what is not the one spelling of a tenant's name. */
export function tenantOf(token: string): string | null {
  if (!tokenPattern.test(token)) return null;
  const tenant = Buffer.from(token, "base64url").toString("utf8");
  return tenant.length > 0 && tenant.length <= longestTenant && tokenOf(tenant) === token ? tenant : null;
}

/** A short name for files and keys: a digest, the same length for every text. Lone surrogates stay apart. */
export function hashOf(text: string): string {
  return createHash("sha256").update(JSON.stringify(text)).digest("base64url");
}
