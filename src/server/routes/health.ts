import { json, type Route } from "../http/route.ts";
import { object } from "../http/schemas.ts";

const status = object({ status: { type: "string" } });

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
    summary: "Whether it takes requests: not while it starts, nor while it ends.",
    needs: "nothing",
    use: "public",
    answers: { "200": status, "503": status },
    handle: ({ isReady }) => (isReady() ? json({ status: "ready" }) : json({ status: "not-ready" }, 503)),
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
