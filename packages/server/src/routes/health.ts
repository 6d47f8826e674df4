import type { ContainmentReport } from "@hookwarden/sandbox";
import { json, type Route } from "../http/route.ts";
import { count, object } from "../http/json-schema.ts";

const status = object({ status: { type: "string" } });

const names = { type: "array", items: { type: "string" } };
const readiness = object({
  status: { type: "string" },
  containment: object({ mode: { type: "string" }, inForce: names, missing: names }),
  degraded: count,
});

/** Names only: why a wall is missing is for operators, and stands in the log. */
function wallsOf({ mode, walls }: ContainmentReport): object {
  const named = (inForce: boolean): readonly string[] =>
    walls.filter((one) => one.inForce === inForce).map(({ wall }) => wall);
  return { mode, inForce: named(true), missing: named(false) };
}

export const healthRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "/health",
    id: "getHealth",
    summary: "Whether the process answers.",
    needs: "nothing",
    use: "public",
    answers: { "200": status },
    handle: () => json({ status: "ok" }),
  },
  {
    method: "GET",
    path: "/ready",
    id: "getReady",
    summary:
      "Whether it takes requests, which walls are around its child processes, and how many tenants are in degraded mode.",
    needs: "nothing",
    use: "public",
    answers: { "200": readiness, "503": readiness },
    handle: ({ lifecycle, containment, operator }) => {
      const parts = { containment: wallsOf(containment), degraded: operator.overview().degraded };
      return lifecycle.isReady
        ? json({ status: "ready", ...parts })
        : json({ status: "not-ready", ...parts }, 503);
    },
  },
  {
    method: "GET",
    path: "/metrics",
    id: "getMetrics",
    summary: "Metrics in the text format of Prometheus.",
    needs: "operator",
    use: "operate",
    answers: { "200": "text/plain" },
    handle: async ({ metrics }) => ({ status: 200, text: await metrics.text(), type: metrics.contentType }),
  },
  {
    method: "GET",
    path: "/openapi.json",
    id: "getOpenApi",
    summary: "This description.",
    needs: "nothing",
    use: "public",
    answers: { "200": { type: "object" } },
    handle: ({ openApi }) => json(openApi),
  },
];
