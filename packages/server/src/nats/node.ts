import { join } from "node:path";
import type { Trust } from "hookwarden/bundle";
import type { QuotaOptions } from "hookwarden/state";
import type { DecisionService } from "../decision-service.ts";
import type { Stores } from "../storage.ts";
import { NatsApprovalStore } from "./approval-store.ts";
import { NatsAuditStore } from "./audit-store.ts";
import { BundleObjects } from "./bundle-objects.ts";
import { DecisionChannel } from "./decision-channel.ts";
import { NatsLink, type NatsOptions } from "./link.ts";
import { checkNode, fleetNames } from "./names.ts";
import { NodeReports } from "./node-reports.ts";
import { NatsPackStore } from "./pack-store.ts";
import { NatsKeyStore, NatsQuarantineStore, NatsTenantStore } from "./record-stores.ts";
import { Registry } from "./registry.ts";
import { RecordSigner } from "./signed-record.ts";
import { NatsStateStore } from "./state-store.ts";

export interface NatsNodeOptions extends NatsOptions {
  /** Name of this node: its own in the fleet, and the same after a restart, since its audit goes on under it. */
  readonly node: string;
  /** Folder of this node alone: last good records and bundles, and what waits of the audit. */
  readonly folder: string;
  /** The fleet's private key, as JWK. Without it the node follows, and cannot change packs, keys or tenants. */
  readonly key?: unknown;
  /** Keys that records may be signed with: a trust file. Default: the public half of `key`. */
  readonly trust?: string | Trust;
  /** Prefix of the names of all streams, buckets and subjects of the fleet. Default `hookwarden`. */
  readonly prefix?: string;
  /** How many NATS servers keep each message: 1, 3 or 5. Default 1. */
  readonly replicas?: number;
  readonly quota?: QuotaOptions;
  readonly version?: string;
  /** Most bytes of audit that may wait on this disk while NATS is away. Default 1 GiB. */
  readonly spoolBytes?: number;
}

/** A server's place in a fleet. */
export interface NatsNode {
  readonly link: NatsLink;
  readonly stores: Stores;
  readonly reports: NodeReports;
  /** Takes questions from the queue group. Disposing of the answer ends that, when those taken are answered. */
  serve(service: DecisionService, options?: { readonly maxInFlight?: number }): AsyncDisposable;
}

/**
 * Joins a fleet of servers over NATS. Where NATS is away, the node comes up with what it knew last.
 *
 * @throws {HookwardenError} `option-invalid`, `trust-invalid`
 */
export async function createNatsNode(options: NatsNodeOptions): Promise<NatsNode> {
  const { folder, replicas = 1 } = options;
  const names = fleetNames(options.prefix);
  const node = checkNode(options.node);
  const { key, trust } = options;
  const seal = await RecordSigner.create({
    ...(key === undefined ? {} : { key }),
    ...(trust === undefined ? {} : { trust }),
  });
  const link = new NatsLink({ name: `hookwarden ${node}`, ...options });
  const registry = await Registry.open(link, seal, {
    bucket: names.records,
    folder: join(folder, "records"),
    replicas,
  });
  const objects = new BundleObjects(link, {
    bucket: names.bundles,
    folder: join(folder, "bundles"),
    replicas,
  });
  const { spoolBytes } = options;
  const audit = await NatsAuditStore.open(link, {
    names,
    spool: { folder: join(folder, "spool"), ...(spoolBytes === undefined ? {} : { maxBytes: spoolBytes }) },
    replicas,
  });
  const state = new NatsStateStore(link, { ...options.quota, bucket: names.state, replicas });
  const reports = new NodeReports(link, { bucket: names.nodes, node, version: options.version ?? "" });
  const stores: Stores = {
    packs: new NatsPackStore(registry, objects),
    keys: new NatsKeyStore(registry),
    tenants: new NatsTenantStore(registry),
    quarantine: new NatsQuarantineStore(registry),
    approvals: new NatsApprovalStore(registry),
    audit,
    state,
    async [Symbol.asyncDispose]() {
      await audit.close();
      await state[Symbol.asyncDispose]();
      await reports.close();
      await registry.close();
      await link.close();
    },
  };
  return {
    link,
    stores,
    reports,
    serve: (service, { maxInFlight } = {}) =>
      serveDecisions(link, service, {
        names,
        node,
        replicas,
        ...(maxInFlight === undefined ? {} : { maxInFlight }),
      }),
  };
}

/** Starts to take decisions from the queue group once NATS is connected. */
function serveDecisions(
  link: NatsLink,
  service: DecisionService,
  settings: ConstructorParameters<typeof DecisionChannel>[2],
): AsyncDisposable {
  const channel = new DecisionChannel(link, service, settings);
  let ended = false;
  const begun = link.up().then(
    () => void (ended || channel.start()),
    () => undefined,
  );
  return {
    async [Symbol.asyncDispose]() {
      ended = true;
      if (link.connected) await begun;
      await channel.drain();
    },
  };
}
