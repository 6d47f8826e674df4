import type { StateStore } from "hookwarden/state";
import type { ApprovalAnswer, ApprovalRecord } from "./approvals/approval.ts";
import type { TenantRecord } from "./tenants.ts";
import type { Rollout } from "./rollout.ts";

/** An answer now, or later: embedded stores answer at once, those behind a network do not. */
export type Awaitable<T> = T | Promise<T>;

/** One upload of a tenant's pack. It never changes; `Rollout` says what serves. */
export interface PackRevision {
  readonly tenant: string;
  /** Counts the tenant's uploads, from 1. A number is never given twice. */
  readonly revision: number;
  /** Digest of the pack that it loads as: the `pack` of its decisions. */
  readonly pack: string;
  /** `sha256:` of the bundle's signed content. */
  readonly bundle: string;
  /** Name and version of the bundle. */
  readonly name: string;
  readonly version: string;
  /** Name of the key that signed it; `null` where it came unsigned. */
  readonly signedBy: string | null;
  readonly hooks: number;
  /** ISO 8601. */
  readonly created: string;
  /** Id of the credential that uploaded it. */
  readonly createdBy: string;
}

/** A revision before the store has numbered it. */
export type NewRevision = Omit<PackRevision, "revision" | "created">;

/** One change of what serves a tenant. */
export interface RolloutChange extends Rollout {
  readonly what: "activate" | "stage" | "rollback" | "withdraw" | "remove";
  /** ISO 8601. */
  readonly at: string;
  /** Id of the credential that made it. */
  readonly by: string;
}

/** How a rollout is to change. */
export interface RolloutStep {
  readonly what: RolloutChange["what"];
  readonly active: number | null;
  readonly candidate: Rollout["candidate"];
  readonly by: string;
  /** The generation that it was decided on: where another change came first, nothing is done. Absent: whatever it is. */
  readonly expected?: number;
}

/**
 * Keeps what tenants have uploaded, and which of it serves. Bundles are stored as .tgz in the form of docs/bundles.md,
 * scripts bundled, so that loading one needs no other program.
 */
export interface PackStore {
  /** Stores a revision under the tenant's next number. It does not serve by that. */
  put(revision: NewRevision, bundle: Uint8Array): Awaitable<PackRevision>;
  /** `null` where there is no such revision. */
  get(tenant: string, revision: number): Awaitable<PackRevision | null>;
  /** The bytes of a revision's bundle; `null` where there is no such revision. */
  bundle(tenant: string, revision: number): Awaitable<Uint8Array | null>;
  /** The newest revisions first. */
  list(tenant: string, limit: number): Awaitable<readonly PackRevision[]>;
  /** What serves the tenant; generation 0 and no pack where nothing was ever done. */
  rollout(tenant: string): Awaitable<Rollout>;
  /**
   * Changes what serves, in one step that a crash leaves done or undone.
   *
   * @returns the new state; `null` where `expected` was not the generation any more.
   */
  change(tenant: string, step: RolloutStep): Awaitable<Rollout | null>;
  /** The newest changes first. */
  history(tenant: string, limit: number): Awaitable<readonly RolloutChange[]>;
  /** Subscribes to all changes, those of other nodes included. Disposing of the result unsubscribes. */
  watch(listener: (rollout: Rollout) => void): Disposable;
}

/** What a credential may be used for, within its tenant. */
export type Scope = "decide" | "packs" | "audit" | "approve";

/** A credential as it is stored: the secret itself is known to its holder only. */
export interface KeyRecord {
  /** Public part of the key, unique. */
  readonly id: string;
  /** `sha256:` of the whole key. Keys carry 256 random bits, so that a fast digest is as good as a slow one. */
  readonly digest: string;
  /** `null`: a key of an operator, who has no tenant. */
  readonly tenant: string | null;
  /** What people call it. */
  readonly name: string;
  /** Empty for an operator's key. */
  readonly scopes: readonly Scope[];
  /** ISO 8601. */
  readonly created: string;
  readonly expires: string | null;
  readonly revoked: string | null;
}

/** Keeps credentials. */
export interface KeyStore {
  /** By the public part; `null` where there is none. Expired and revoked ones are found too. */
  find(id: string): Awaitable<KeyRecord | null>;
  add(key: KeyRecord): Awaitable<void>;
  /** @returns whether there was such a key. */
  revoke(id: string, at: string): Awaitable<boolean>;
  /** All keys of a tenant; of operators for `null`. */
  list(tenant: string | null): Awaitable<readonly KeyRecord[]>;
  /** Subscribes to changes of keys by other nodes. Disposing of the result unsubscribes. */
  watch?(listener: () => void): Disposable;
}

/**
 * Which chain of records: each node that decides for a tenant writes one of its own, since a chain has one end. A node
 * alone has the name `local`.
 */
export interface AuditChain {
  readonly tenant: string;
  readonly node: string;
}

/** Where a chain stands. */
export interface AuditHead {
  /** Number of the last record, from 1. */
  readonly n: number;
  /** Hash of the last record. */
  readonly hash: string;
  /** Number of the last decision among the tenant's in this chain; 0 before the first. */
  readonly seq: number;
  /** Name of the log that the chain is; a UUID. */
  readonly log: string;
  /** Whether the last record says that a run ended in order. */
  readonly closed: boolean;
}

/** One record of a chain: a line of a decision log, as docs/decision-log.md has it, without the line end. */
export interface AuditRecord {
  readonly n: number;
  readonly hash: string;
  readonly line: string;
}

export interface AuditRange {
  /** Only records behind this number. Default 0. */
  readonly after?: number;
  /** Most records. Default: all. */
  readonly limit?: number;
}

/**
 * Keeps the audit: per tenant and node one chain of records, in the format of the decision log. What `append` has
 * resolved for survives the loss of power.
 */
export interface AuditStore {
  /** Where a chain stands; `null` for one that does not exist yet. */
  head(chain: AuditChain): Awaitable<AuditHead | null>;
  /**
   * Appends records to the end of a chain. Appends that come together are made durable together. Offered again after
   * a failure, the same records are stored once.
   *
   * @param head where the chain stands when they are there.
   */
  append(chain: AuditChain, records: readonly AuditRecord[], head: AuditHead): Promise<void>;
  /** The records of a chain, oldest first. */
  read(chain: AuditChain, range?: AuditRange): AsyncIterable<AuditRecord>;
  /** The chains of one tenant, or all. */
  chains(tenant?: string): Awaitable<readonly AuditChain[]>;
  /**
   * Removes the records that were stored before a time. The newest record of a chain always stays, so that the chain
   * goes on.
   *
   * @param before milliseconds since 1970.
   * @returns how many were removed.
   */
  prune(tenant: string, before: number): Awaitable<number>;
}

/** Keeps who the tenants are. */
export interface TenantStore {
  get(tenant: string): Awaitable<TenantRecord | null>;
  list(): Awaitable<readonly TenantRecord[]>;
  put(tenant: TenantRecord): Awaitable<void>;
  /** @returns whether there was one. Packs, keys and audit of the tenant stay. */
  remove(tenant: string): Awaitable<boolean>;
  /** Subscribes to the names of tenants that other nodes create, change or remove. Disposing of the result unsubscribes. */
  watch?(listener: (tenant: string) => void): Disposable;
}

/** Stores which hooks are quarantined, so that quarantine survives restarts. */
export interface QuarantineStore {
  list(): Awaitable<readonly KeptQuarantine[]>;
  put(entry: KeptQuarantine): Awaitable<void>;
  remove(tenant: string, program: string): Awaitable<void>;
  /** Subscribes to changes by other nodes (`null`: removed). Disposing of the result unsubscribes. */
  watch?(listener: (tenant: string, program: string, entry: KeptQuarantine | null) => void): Disposable;
}

export interface KeptQuarantine {
  readonly tenant: string;
  readonly hook: string;
  /** Key of the hook's program: another version of the hook starts anew. */
  readonly program: string;
  /** How often in a row it was quarantined, from 1. */
  readonly times: number;
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly until: number;
  /** Code of the fault that brought it there. */
  readonly fault: string;
}

/** Keeps approvals. */
export interface ApprovalStore {
  add(approval: ApprovalRecord): Awaitable<void>;
  get(tenant: string, id: string): Awaitable<ApprovalRecord | null>;
  /** The newest first. @param tenant `null`: of all tenants */
  list(
    tenant: string | null,
    range: { readonly state?: ApprovalRecord["state"]; readonly limit: number },
  ): Awaitable<readonly ApprovalRecord[]>;
  /**
   * Closes a pending approval, in one step: of several answers, on any node, exactly one closes it.
   *
   * @returns the closed record; `null` if there is none, or it was closed already, or the answer came too late.
   */
  close(tenant: string, id: string, answer: ApprovalAnswer): Awaitable<ApprovalRecord | null>;
  /** Removes closed approvals that were created before a time (ISO 8601). @returns how many */
  prune(before: string): Awaitable<number>;
  /** Subscribes to changes, where other nodes can make them. Disposing of the result unsubscribes. */
  watch?(listener: (approval: ApprovalRecord) => void): Disposable;
}

/** Everything that a server keeps. */
export interface Stores {
  readonly packs: PackStore;
  readonly keys: KeyStore;
  readonly audit: AuditStore;
  readonly state: StateStore;
  readonly tenants: TenantStore;
  readonly quarantine: QuarantineStore;
  readonly approvals: ApprovalStore;
  /** Closes whatever is open, when everything appended is durable. */
  [Symbol.asyncDispose](): Promise<void>;
}
