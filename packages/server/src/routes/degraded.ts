import type { ServerContext } from "../context.ts";
import { type DegradedWindow, maxDegradedMinutes } from "../degraded.ts";
import { json, type Route, type RouteCall } from "../http/route.ts";
import { schemas } from "../http/schemas.ts";
import { Problem } from "../problem.ts";
import { tenantOf } from "./tenants.ts";

const path = "/v1/admin/tenants/{tenant}/degraded";
const common = { path, needs: "operator", use: "operate" } as const;

export const degradedRoutes: readonly Route[] = [
  {
    ...common,
    method: "PUT",
    id: "setDegraded",
    summary: `Opens a degraded window of up to ${maxDegradedMinutes} minutes: hooks that fail ask a person instead of denying, for requests that open approvals. A window that is open is replaced.`,
    body: { limit: "headerBytes", types: { "application/json": schemas.NewDegraded } },
    answers: { "200": schemas.Degraded },
    async handle(context, call) {
      const { reason, minutes } = call.body as { reason: string; minutes: number };
      const now = Date.now();
      const window: DegradedWindow = {
        reason,
        since: new Date(now).toISOString(),
        until: new Date(now + minutes * 60_000).toISOString(),
        by: call.principal.id,
      };
      await put(context, call, window);
      return json(window);
    },
  },
  {
    ...common,
    method: "DELETE",
    id: "endDegraded",
    summary: "Ends a degraded window before its time.",
    answers: { "204": null },
    async handle(context, call) {
      const { degraded } = tenantOf(context, call);
      if (!degraded) throw new Problem("not-found");
      await put(context, call, { ...degraded, until: new Date().toISOString(), by: call.principal.id });
      return { status: 204 };
    },
  },
];

async function put(context: ServerContext, call: RouteCall, degraded: DegradedWindow): Promise<void> {
  const { record } = tenantOf(context, call);
  await context.registry.put({ ...record, degraded });
}
