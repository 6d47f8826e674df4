import type { Route } from "../http/route.ts";
import { approvalRoutes } from "./approvals.ts";
import { decisionRoutes } from "./decisions.ts";
import { healthRoutes } from "./health.ts";
import { historyRoutes } from "./history.ts";
import { degradedRoutes } from "./degraded.ts";
import { operatorRoutes } from "./operators.ts";
import { tenantRoutes } from "./tenants.ts";

/** Every route of the server, in the order of its description. */
export const routes: readonly Route[] = [
  ...decisionRoutes,
  ...approvalRoutes,
  ...historyRoutes,
  ...tenantRoutes,
  ...operatorRoutes,
  ...degradedRoutes,
  ...healthRoutes,
];
