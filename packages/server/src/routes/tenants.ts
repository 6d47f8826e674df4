import { describeHook } from "hookwarden/warden";
import { json, type Route, type RouteCall } from "../http/route.ts";
import { listOf, object } from "../http/json-schema.ts";
import { schemas } from "../http/schemas.ts";
import type { ServerContext } from "../context.ts";
import { Problem, problemOf } from "../problem.ts";
import type { Tenant } from "../tenant.ts";
import { bareFiles, type BareScript, dryRun } from "../dry-run.ts";
import type { Upload } from "../uploads.ts";

/** The tenant of the path. That the credential is for it has been checked. */
export function tenantOf(context: ServerContext, call: RouteCall): Tenant {
  const tenant = context.registry.get(call.params["tenant"] as string);
  if (!tenant) throw new Problem("not-found");
  return tenant;
}

function filesOf(files: { readonly [path: string]: string }): ReadonlyMap<string, Uint8Array> {
  return new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)]));
}

function uploadOf({ body, mediaType }: RouteCall): Upload {
  return mediaType === "application/json"
    ? { files: filesOf((body as { files: { [path: string]: string } }).files) }
    : { bundle: body as Uint8Array };
}

const packs = "/v1/tenants/{tenant}/packs";
const upload = {
  limit: "packBytes",
  types: {
    "application/json": schemas.PackFiles,
    "application/gzip": null,
    "application/octet-stream": null,
  },
} as const;

export const tenantRoutes: readonly Route[] = [
  {
    method: "PUT",
    path: packs,
    id: "putPack",
    summary:
      "Uploads a pack: a bundle, or files as JSON. It is checked whole before it takes the place of another.",
    needs: "packs",
    use: "upload",
    query: {
      rollout: {
        schema: { enum: ["immediate", "monitor", "none"], default: "immediate" },
        means:
          "`immediate`: decides at once; `monitor`: runs on a share of events and decides nothing; `none`: stored only.",
      },
      percent: { schema: { type: "integer", minimum: 1, maximum: 100, default: 100 }, means: "That share." },
    },
    body: upload,
    answers: { "200": schemas.Uploaded },
    async handle(context, call) {
      const tenant = tenantOf(context, call);
      const { rollout = "immediate", percent = 100 } = call.query;
      const accepted = await context.uploads.check(tenant, uploadOf(call));
      const { id } = call.principal;
      const revision = await context.uploads.store(tenant, accepted, id);
      context.log("pack-uploaded", {
        tenant: tenant.name,
        revision: revision.revision,
        pack: revision.pack,
        by: id,
        request_id: call.requestId,
      });
      if (rollout === "none") return json({ revision, rollout: null });
      const share = rollout === "monitor" ? (percent as number) : undefined;
      return json({
        revision,
        rollout: await context.rollouts.activate(tenant, {
          revision: revision.revision,
          by: id,
          percent: share,
        }),
      });
    },
  },
  {
    method: "POST",
    path: `${packs}/check`,
    id: "checkPack",
    summary: "Checks a pack as an upload would, stores nothing, and reports what is wrong with it.",
    needs: "packs",
    use: "upload",
    body: upload,
    answers: { "200": schemas.Checked },
    async handle(context, call) {
      try {
        const { opened } = await context.uploads.check(tenantOf(context, call), uploadOf(call));
        return json({ ok: true, pack: opened.pack.digest, hooks: opened.pack.hooks.map(({ name }) => name) });
      } catch (error) {
        const { code, status, detail } = problemOf(error);
        if (status >= 429 || status === 404) throw error;
        return json({ ok: false, problem: { code, ...detail } });
      }
    },
  },
  {
    method: "GET",
    path: packs,
    id: "getPacks",
    summary: "What serves, what is on trial, and how it came to that.",
    needs: "packs",
    use: "read",
    query: {
      limit: {
        schema: { type: "integer", minimum: 1, maximum: 1_000, default: 50 },
        means: "Most entries of each list.",
      },
    },
    answers: { "200": schemas.Packs },
    async handle(context, call) {
      const tenant = tenantOf(context, call);
      const limit = (call.query["limit"] as number | undefined) ?? 50;
      const { packs: store } = context.stores;
      return json({
        rollout: tenant.rollout,
        serving: tenant.pack?.digest ?? null,
        broken: tenant.broken,
        candidate: tenant.candidate?.report ?? null,
        revisions: await store.list(tenant.name, limit),
        history: await store.history(tenant.name, limit),
      });
    },
  },
  {
    method: "DELETE",
    path: packs,
    id: "removePack",
    summary: "Leaves the tenant without a pack. Every event is refused from then on; stored revisions stay.",
    needs: "packs",
    use: "withdraw",
    answers: { "200": schemas.Rollout },
    handle: async (context, call) =>
      json(await context.rollouts.remove(tenantOf(context, call), call.principal.id)),
  },
  {
    method: "POST",
    path: `${packs}/activate`,
    id: "activatePack",
    summary: "Lets a stored revision decide, or puts it on trial.",
    needs: "packs",
    use: "change",
    body: { limit: "headerBytes", types: { "application/json": schemas.Activation } },
    answers: { "200": schemas.Rollout },
    async handle(context, call) {
      const { revision, percent, expected } = call.body as {
        revision: number;
        percent?: number;
        expected?: number;
      };
      return json(
        await context.rollouts.activate(tenantOf(context, call), {
          revision,
          by: call.principal.id,
          percent,
          expected,
        }),
      );
    },
  },
  {
    method: "POST",
    path: `${packs}/rollback`,
    id: "rollbackPack",
    summary: "Goes back to a revision that served before; without one, to the one before the present.",
    needs: "packs",
    use: "change",
    body: { limit: "headerBytes", types: { "application/json": schemas.Rollback } },
    answers: { "200": schemas.Rollout },
    async handle(context, call) {
      const { revision } = call.body as { revision?: number };
      return json(await context.rollouts.rollback(tenantOf(context, call), call.principal.id, revision));
    },
  },
  {
    method: "POST",
    path: `${packs}/withdraw`,
    id: "withdrawPack",
    summary: "Ends a trial.",
    needs: "packs",
    use: "withdraw",
    answers: { "200": schemas.Rollout },
    handle: async (context, call) =>
      json(await context.rollouts.withdraw(tenantOf(context, call), call.principal.id)),
  },
  {
    method: "POST",
    path: "/v1/tenants/{tenant}/try",
    id: "try",
    summary: "Decides events with a stored revision, with files, or with one script. Nothing is kept of it.",
    needs: "packs",
    use: "try",
    body: { limit: "batchBytes", types: { "application/json": schemas.Trial } },
    answers: { "200": schemas.Tried },
    async handle(context, call) {
      const tenant = tenantOf(context, call);
      const { events, revision, files, script, dialect } = call.body as {
        events: object[];
        revision?: number;
        files?: { [path: string]: string };
        script?: BareScript;
        dialect?: string;
      };
      if ([revision, files, script].filter((one) => one !== undefined).length > 1)
        throw new Problem("bad-request", undefined, {
          message: "there may be only one of `revision`, `files` and `script`",
          pointer: "",
        });
      const given = files ? filesOf(files) : script && bareFiles(script);
      const wanted = revision ?? tenant.rollout.active;
      if (!given && wanted === null) throw new Problem("no-pack");
      if (revision !== undefined && !(await context.stores.packs.get(tenant.name, revision)))
        throw new Problem("not-found");
      const pack = given
        ? await context.uploads.load(tenant, given)
        : await context.registry.packOf("try", tenant, wanted as number);
      const { requestId, gone } = call;
      const results = await dryRun(tenant, { pack, events, dialect, requestId, gone }, context.failures);
      return { status: 200, text: `{"results":${results}}`, type: "application/json; charset=utf-8" };
    },
  },
  {
    method: "GET",
    path: "/v1/tenants/{tenant}/hooks",
    id: "getHooks",
    summary: "The hooks that serve, in their order, with what each may see and do.",
    needs: "packs",
    use: "read",
    answers: { "200": object({ hooks: listOf(schemas.Hook) }) },
    handle: (context, call) => json({ hooks: (tenantOf(context, call).pack?.hooks ?? []).map(describeHook) }),
  },
  {
    method: "GET",
    path: "/v1/tenants/{tenant}/audit",
    id: "getAudit",
    summary: "The chains of the tenant's audit.",
    needs: "audit",
    use: "read",
    answers: { "200": object({ chains: listOf(schemas.AuditChain) }) },
    async handle(context, call) {
      const { name } = tenantOf(context, call);
      const { audit } = context.stores;
      const chains = await Promise.all(
        (await audit.chains(name)).map(async (chain) => {
          const head = await audit.head(chain);
          return {
            node: chain.node,
            records: head?.n ?? 0,
            hash: head?.hash ?? "",
            closed: head?.closed ?? false,
          };
        }),
      );
      return json({ chains });
    },
  },
  {
    method: "GET",
    path: "/v1/tenants/{tenant}/audit/{node}",
    id: "exportAudit",
    summary:
      "The records of one chain, a decision log: `hookwarden log verify` checks it, `hookwarden replay` replays it.",
    needs: "audit",
    use: "export",
    query: {
      after: {
        schema: { type: "integer", minimum: 0, default: 0 },
        means: "Only records behind this number.",
      },
      limit: { schema: { type: "integer", minimum: 1, maximum: 10_000_000 }, means: "Most records." },
    },
    answers: { "200": "application/x-ndjson" },
    handle(context, call) {
      const chain = { tenant: tenantOf(context, call).name, node: call.params["node"] as string };
      const { after, limit } = call.query as { after?: number; limit?: number };
      const range = { ...(after === undefined ? {} : { after }), ...(limit === undefined ? {} : { limit }) };
      return { status: 200, stream: lines(context, chain, range), type: "application/x-ndjson" };
    },
  },
];

async function* lines(
  context: ServerContext,
  chain: { tenant: string; node: string },
  range: { after?: number; limit?: number },
): AsyncGenerator<string> {
  for await (const { line } of context.stores.audit.read(chain, range)) yield `${line}\n`;
}
