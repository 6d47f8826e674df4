import type {
  DegradedWindow,
  NodeReport,
  Overview,
  Scope,
  FaultView,
  HookView,
  LatencyView,
  LiveEvent,
  QuarantineEntry,
  TenantLimits,
  TenantView,
} from "@hookwarden/server";
import { segment, tenantQuery } from "./paths.ts";
import { readServerSentEvents } from "./server-sent-events.ts";
import type { Transport } from "./transport.ts";
import type { KeyView } from "./types.ts";

/** The requests that need an operator's key. */
export class AdminClient {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The server in a few numbers. Needs an operator's key, as all that follows. */
  getOverview(): Promise<Overview> {
    return this.#transport.json("GET", "/v1/admin/overview");
  }

  /** Nodes of the fleet, and which generation each serves to whom; none for a server that is in no fleet. */
  async getNodes(): Promise<readonly NodeReport[]> {
    return (await this.#transport.json<{ nodes: NodeReport[] }>("GET", "/v1/admin/nodes")).nodes;
  }

  /** All tenants, with their limits and what they use. */
  async getTenants(): Promise<readonly TenantView[]> {
    return (await this.#transport.json<{ tenants: TenantView[] }>("GET", "/v1/admin/tenants")).tenants;
  }

  /** One tenant, with its limits and what it uses. */
  getTenant(tenant: string): Promise<TenantView> {
    return this.#transport.json("GET", `/v1/admin/tenants/${segment(tenant)}`);
  }

  /** Makes a tenant, or changes its settings; what is not given goes back to its default. */
  putTenant(
    tenant: string,
    settings: {
      readonly disabled?: boolean;
      readonly signedOnly?: boolean;
      readonly limits?: Partial<TenantLimits>;
    } = {},
  ): Promise<TenantView> {
    return this.#transport.json("PUT", `/v1/admin/tenants/${segment(tenant)}`, { json: settings });
  }

  /**
   * Puts a tenant into degraded mode: hooks that fail ask a person instead of denying, for requests that open approvals.
   * It ends by itself.
   *
   * @param of.reason shown to everyone who is asked, and recorded in the audit
   * @param of.minutes at most 240
   */
  setDegraded(
    tenant: string,
    of: { readonly reason: string; readonly minutes: number },
  ): Promise<DegradedWindow> {
    return this.#transport.json("PUT", `/v1/admin/tenants/${segment(tenant)}/degraded`, { json: of });
  }

  /** Ends a degraded window before its time. */
  endDegraded(tenant: string): Promise<void> {
    return this.#transport.json("DELETE", `/v1/admin/tenants/${segment(tenant)}/degraded`);
  }

  /** Ends a tenant. Its packs, keys and audit stay stored. */
  removeTenant(tenant: string): Promise<void> {
    return this.#transport.json("DELETE", `/v1/admin/tenants/${segment(tenant)}`);
  }

  /** Hooks of all tenants or of one, with what they use. */
  async getAllHooks(tenant?: string): Promise<readonly HookView[]> {
    return (await this.#transport.json<{ hooks: HookView[] }>("GET", `/v1/admin/hooks${tenantQuery(tenant)}`))
      .hooks;
  }

  /** The last failures of hooks, of all tenants or of one. */
  async getFaults(tenant?: string): Promise<readonly FaultView[]> {
    return (
      await this.#transport.json<{ faults: FaultView[] }>("GET", `/v1/admin/faults${tenantQuery(tenant)}`)
    ).faults;
  }

  /** Hooks that are not run, because they failed again and again. */
  async getQuarantine(tenant?: string): Promise<readonly QuarantineEntry[]> {
    const path = `/v1/admin/quarantine${tenantQuery(tenant)}`;
    return (await this.#transport.json<{ quarantine: QuarantineEntry[] }>("GET", path)).quarantine;
  }

  /** Lets a hook run again. @param id of the entry, as `getQuarantine` has it */
  liftQuarantine(id: string): Promise<void> {
    return this.#transport.json("DELETE", `/v1/admin/quarantine/${segment(id)}`);
  }

  /** How long decisions took in the last minute, in microseconds, waiting included. */
  getLatency(): Promise<{
    readonly all: LatencyView;
    readonly tenants: { readonly [tenant: string]: LatencyView };
  }> {
    return this.#transport.json("GET", "/v1/admin/latency");
  }

  /** Decisions, rollouts and quarantines as they happen, of all tenants or of one, until the signal ends it. */
  async *watch(tenant?: string, signal?: AbortSignal): AsyncGenerator<LiveEvent> {
    const stream = await this.#transport.stream(`/v1/admin/live${tenantQuery(tenant)}`, signal);
    yield* readServerSentEvents(stream) as AsyncGenerator<LiveEvent>;
  }

  /**
   * Makes a key: of a tenant with scopes, or, with `tenant: null`, an operator's. Its text is in the answer and nowhere
   * else. `expires` is a time in ISO 8601; default: never.
   */
  makeKey(of: {
    readonly tenant: string | null;
    readonly name: string;
    readonly scopes?: readonly Scope[];
    readonly expires?: string | null;
  }): Promise<{ readonly key: string; readonly record: KeyView }> {
    return this.#transport.json("POST", "/v1/admin/keys", { json: of });
  }

  /** Keys of everybody or of one tenant, without their texts. */
  async getKeys(tenant?: string): Promise<readonly KeyView[]> {
    return (await this.#transport.json<{ keys: KeyView[] }>("GET", `/v1/admin/keys${tenantQuery(tenant)}`))
      .keys;
  }

  /** Ends a key at once. @param id of its record */
  revokeKey(id: string): Promise<void> {
    return this.#transport.json("DELETE", `/v1/admin/keys/${segment(id)}`);
  }
}
