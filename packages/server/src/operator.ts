import type { FaultView, HookView, LatencyView, LiveEvent, QuarantineEntry, TenantView } from "./tenants.ts";

/**
 * What an operator can see and do. The routes below `/v1/admin` are this, as JSON, for credentials of operators:
 *
 * | route | answers |
 * |---|---|
 * | `GET /v1/admin/overview` | `Overview` |
 * | `GET /v1/admin/tenants` | `{ tenants: TenantView[] }` |
 * | `GET /v1/admin/tenants/{tenant}` | `TenantView` |
 * | `PUT /v1/admin/tenants/{tenant}` | body `TenantSettings`; `TenantView` |
 * | `DELETE /v1/admin/tenants/{tenant}` | 204 |
 * | `PUT /v1/admin/tenants/{tenant}/degraded` | body `{ reason, minutes }`; `DegradedWindow` |
 * | `DELETE /v1/admin/tenants/{tenant}/degraded` | 204: ended |
 * | `GET /v1/admin/hooks?tenant=` | `{ hooks: HookView[] }` |
 * | `GET /v1/admin/faults?tenant=&limit=` | `{ faults: FaultView[] }`, newest first |
 * | `GET /v1/admin/quarantine?tenant=` | `{ quarantine: QuarantineEntry[] }` |
 * | `DELETE /v1/admin/quarantine/{id}` | 204: lifted |
 * | `GET /v1/admin/latency` | `{ all: LatencyView, tenants: { [tenant]: LatencyView } }` |
 * | `GET /v1/admin/nodes` | `{ nodes: NodeReport[] }`, of the fleet; none for a server alone |
 * | `GET /v1/admin/approvals?tenant=&state=` | `{ approvals: ApprovalRecord[] }`, newest first |
 * | `GET /v1/admin/live?tenant=` | Server-Sent Events: `event:` the type, `data:` a `LiveEvent`, a comment every 15 s |
 * | `POST /v1/admin/keys` | body `{ tenant, name, scopes, expires }`; the key, which is shown this once |
 * | `GET /v1/admin/keys?tenant=` | `{ keys: … }` without digests |
 * | `DELETE /v1/admin/keys/{id}` | 204: revoked |
 */
export interface Operator {
  overview(): Overview;
  tenants(): Promise<readonly TenantView[]>;
  hooks(tenant?: string): readonly HookView[];
  faults(tenant?: string, limit?: number): readonly FaultView[];
  quarantine(tenant?: string): readonly QuarantineEntry[];
  /** @returns whether there was such an entry. */
  lift(id: string): Promise<boolean>;
  latency(): { readonly all: LatencyView; readonly tenants: { readonly [tenant: string]: LatencyView } };
  /** Subscribes to live events. Disposing of the result unsubscribes. A listener that throws is dropped. */
  watch(listener: (event: LiveEvent) => void, tenant?: string): Disposable;
}

/** A node's report about itself. It is unsigned: information for operators, never a basis for decisions. */
export interface NodeReport {
  readonly node: string;
  readonly version: string;
  /** ISO 8601. */
  readonly started: string;
  readonly at: string;
  /** Generation that serves each tenant; of the tenants that changed last. */
  readonly serving: { readonly [tenant: string]: number };
}

/** The server in a few numbers. */
export interface Overview {
  readonly version: string;
  readonly node: string;
  /** ISO 8601. */
  readonly started: string;
  readonly ready: boolean;
  readonly engine: string;
  readonly tenants: number;
  readonly decisions: number;
  readonly faults: number;
  readonly in_flight: number;
  readonly waiting: number;
  readonly quarantined: number;
  /** Tenants in degraded mode. */
  readonly degraded: number;
  readonly rss_bytes: number;
  readonly latency: LatencyView;
}
