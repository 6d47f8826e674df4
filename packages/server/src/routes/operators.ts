import { HookwardenError } from "hookwarden/errors";
import { makeKey } from "../credentials.ts";
import { json, type Route, type RouteCall } from "../http/route.ts";
import { listOf, object } from "../http/json-schema.ts";
import { schemas } from "../http/schemas.ts";
import { limitsFrom, tenantLimitTable } from "../limits.ts";
import { Problem } from "../problem.ts";
import type { KeyRecord, Scope } from "../storage.ts";
import { isTenantName } from "../tenant-name.ts";
import type { TenantLimits, TenantRecord } from "../tenants.ts";
import { liveStream } from "./live.ts";
import { tenantOf } from "./tenants.ts";

const ofTenant = { tenant: { schema: { type: "string", maxLength: 64 }, means: "Only of this tenant." } };
const needs = "operator" as const;

function wanted({ query }: RouteCall): string | undefined {
  return query["tenant"] as string | undefined;
}

function withoutDigest(key: KeyRecord): Omit<KeyRecord, "digest"> {
  const { id, tenant, name, scopes, created, expires, revoked } = key;
  return { id, tenant, name, scopes, created, expires, revoked };
}

/** @throws {Problem} `bad-request`, in words about the request alone */
function checkTenantLimits(given: Partial<TenantLimits>, defaults: TenantLimits): void {
  try {
    limitsFrom(tenantLimitTable, given, defaults);
  } catch (error) {
    if (!(error instanceof HookwardenError)) throw error;
    throw new Problem("bad-request", undefined, { message: error.message, pointer: "/limits" });
  }
}

export const operatorRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "/v1/admin/overview",
    id: "getOverview",
    summary: "The server in a few numbers.",
    needs,
    use: "operate",
    answers: { "200": schemas.Overview },
    handle: ({ operator }) => json(operator.overview()),
  },
  {
    method: "GET",
    path: "/v1/admin/tenants",
    id: "getTenants",
    summary: "All tenants, with what they use.",
    needs,
    use: "operate",
    answers: { "200": object({ tenants: listOf(schemas.Tenant) }) },
    handle: async ({ operator }) => json({ tenants: await operator.tenants() }),
  },
  {
    method: "GET",
    path: "/v1/admin/tenants/{tenant}",
    id: "getTenant",
    summary: "One tenant.",
    needs,
    use: "operate",
    answers: { "200": schemas.Tenant },
    handle: (context, call) => json(context.operator.tenant(tenantOf(context, call))),
  },
  {
    method: "PUT",
    path: "/v1/admin/tenants/{tenant}",
    id: "putTenant",
    summary: "Makes a tenant, or changes its settings. What is not given goes back to its default.",
    needs,
    use: "operate",
    body: { limit: "headerBytes", types: { "application/json": schemas.TenantSettings } },
    answers: { "200": schemas.Tenant },
    async handle(context, call) {
      const name = call.params["tenant"];
      if (!isTenantName(name)) {
        const message =
          "the name of a tenant is 1 to 64 of `a-z`, `0-9`, `.`, `_` and `-`, the first a letter or digit";
        throw new Problem("bad-request", undefined, { message });
      }
      const { disabled = false, signedOnly = false, limits = {} } = call.body as Partial<TenantRecord>;
      checkTenantLimits(limits, context.settings.tenantLimits);
      const { created = new Date().toISOString(), degraded = null } =
        context.registry.get(name)?.record ?? {};
      const settings = { disabled, signedOnly, limits };
      const tenant = await context.registry.put({ tenant: name, created, ...settings, degraded });
      context.log("tenant-set", {
        tenant: name,
        disabled,
        by: call.principal.id,
        request_id: call.requestId,
      });
      return json(context.operator.tenant(tenant));
    },
  },
  {
    method: "DELETE",
    path: "/v1/admin/tenants/{tenant}",
    id: "removeTenant",
    summary: "Ends a tenant. Its packs, keys and audit stay stored.",
    needs,
    use: "operate",
    answers: { "204": null },
    async handle(context, call) {
      const name = call.params["tenant"] as string;
      if (!(await context.registry.remove(name))) throw new Problem("not-found");
      context.log("tenant-removed", { tenant: name, by: call.principal.id, request_id: call.requestId });
      return { status: 204 };
    },
  },
  {
    method: "GET",
    path: "/v1/admin/hooks",
    id: "getAllHooks",
    summary: "Hooks that serve, with what they use.",
    needs,
    use: "operate",
    query: ofTenant,
    answers: { "200": object({ hooks: listOf(schemas.HookView) }) },
    handle: ({ operator }, call) => json({ hooks: operator.hooks(wanted(call)) }),
  },
  {
    method: "GET",
    path: "/v1/admin/faults",
    id: "getFaults",
    summary: "Failures of hooks, the newest first; up to 100 of each tenant are kept.",
    needs,
    use: "operate",
    query: {
      ...ofTenant,
      limit: { schema: { type: "integer", minimum: 1, maximum: 1_000, default: 100 }, means: "Most faults." },
    },
    answers: { "200": object({ faults: listOf(schemas.Fault) }) },
    handle: ({ operator }, call) =>
      json({ faults: operator.faults(wanted(call), (call.query["limit"] as number | undefined) ?? 100) }),
  },
  {
    method: "GET",
    path: "/v1/admin/quarantine",
    id: "getQuarantine",
    summary: "Hooks in quarantine.",
    needs,
    use: "operate",
    query: ofTenant,
    answers: { "200": object({ quarantine: listOf(schemas.Quarantine) }) },
    handle: ({ operator }, call) => json({ quarantine: operator.quarantine(wanted(call)) }),
  },
  {
    method: "DELETE",
    path: "/v1/admin/quarantine/{id}",
    id: "liftQuarantine",
    summary: "Lifts a quarantine: the hook runs again.",
    needs,
    use: "operate",
    answers: { "204": null },
    async handle(context, call) {
      const id = call.params["id"] as string;
      if (!(await context.operator.lift(id))) throw new Problem("not-found");
      context.log("quarantine-lifted", { id, by: call.principal.id, request_id: call.requestId });
      return { status: 204 };
    },
  },
  {
    method: "GET",
    path: "/v1/admin/latency",
    id: "getLatency",
    summary: "How long decisions took in the last minute, in all and by tenant.",
    needs,
    use: "operate",
    answers: {
      "200": object({
        all: schemas.Latency,
        tenants: { type: "object", additionalProperties: schemas.Latency },
      }),
    },
    handle: ({ operator }) => json(operator.latency()),
  },
  {
    method: "GET",
    path: "/v1/admin/nodes",
    id: "getNodes",
    summary: "The nodes of the fleet that live, and which generation each serves; none for a server alone.",
    needs,
    use: "operate",
    answers: { "200": object({ nodes: listOf(schemas.Node) }) },
    handle: async ({ options }) => json({ nodes: (await options.nodes?.()) ?? [] }),
  },
  {
    method: "GET",
    path: "/v1/admin/live",
    id: "watch",
    summary: "What happens, as Server-Sent Events.",
    needs,
    use: "watch",
    query: ofTenant,
    answers: { "200": "text/event-stream" },
    handle: ({ operator, lifecycle }, call) => ({
      status: 200,
      stream: liveStream(
        operator,
        wanted(call),
        async () => call.gone() || !lifecycle.isReady || !(await call.holds()),
      ),
      type: "text/event-stream",
      headers: { "cache-control": "no-store", "x-accel-buffering": "no" },
    }),
  },
  {
    method: "POST",
    path: "/v1/admin/keys",
    id: "makeKey",
    summary: "Makes a key. It is shown this once; only its digest is stored.",
    needs,
    use: "operate",
    body: { limit: "headerBytes", types: { "application/json": schemas.NewKey } },
    answers: { "201": schemas.MadeKey },
    async handle(context, call) {
      const {
        tenant,
        name,
        scopes,
        expires = null,
      } = call.body as {
        tenant: string | null;
        name: string;
        scopes?: Scope[];
        expires?: string | null;
      };
      if (tenant !== null && !context.registry.get(tenant)) throw new Problem("not-found");
      if (expires !== null && !(Date.parse(expires) > Date.now())) {
        const message = "`/expires` must be a time to come, such as `2030-01-31T12:00:00Z`";
        throw new Problem("bad-request", undefined, { message, pointer: "/expires" });
      }
      const { key, record } = makeKey({
        tenant,
        name,
        scopes: tenant === null ? [] : (scopes ?? ["decide"]),
        expires,
      });
      await context.stores.keys.add(record);
      context.log("key-made", { id: record.id, tenant, by: call.principal.id, request_id: call.requestId });
      return {
        ...json({ key, record: withoutDigest(record) }, 201),
        headers: { "cache-control": "no-store" },
      };
    },
  },
  {
    method: "GET",
    path: "/v1/admin/keys",
    id: "getKeys",
    summary: "Keys of a tenant; without one, of operators.",
    needs,
    use: "operate",
    query: ofTenant,
    answers: { "200": object({ keys: listOf(schemas.Key) }) },
    handle: async (context, call) =>
      json({ keys: (await context.stores.keys.list(wanted(call) ?? null)).map(withoutDigest) }),
  },
  {
    method: "DELETE",
    path: "/v1/admin/keys/{id}",
    id: "revokeKey",
    summary: "Revokes a key, at once on this node and within seconds on others.",
    needs,
    use: "operate",
    answers: { "204": null },
    async handle(context, call) {
      const id = call.params["id"] as string;
      if (!(await context.stores.keys.revoke(id, new Date().toISOString()))) throw new Problem("not-found");
      context.credentials.forget();
      context.log("key-revoked", { id, by: call.principal.id, request_id: call.requestId });
      return { status: 204 };
    },
  },
];
