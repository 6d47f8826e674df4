import type { ContainmentReport } from "@hookwarden/sandbox";
import type { Approvals } from "./approvals/approvals.ts";
import type { Credentials } from "./credentials.ts";
import type { StreamingDecisionService } from "./decision-service.ts";
import type { UnsentBudget } from "./http/unsent-budget.ts";
import type { UploadBudget } from "./http/upload-budget.ts";
import type { Idempotency } from "./idempotency.ts";
import type { HttpTelemetry } from "./http/telemetry.ts";
import type { FailureLog } from "./failure-log.ts";
import type { Lanes } from "./lanes.ts";
import type { Log } from "./log.ts";
import type { ServerMetrics } from "./metrics.ts";
import type { OperatorView } from "./operator-view.ts";
import type { ServerOptions, ServerSettings } from "./options.ts";
import type { Registry } from "./registry.ts";
import type { Rollouts } from "./rollouts.ts";
import type { Stores } from "./storage.ts";
import type { Uploads } from "./uploads.ts";

/** Whether the server accepts requests: not before everything is loaded, and not while it closes. */
export interface Lifecycle {
  isReady: boolean;
}

/** Everything that routes work with. */
export interface ServerContext {
  readonly options: ServerOptions;
  readonly settings: ServerSettings;
  readonly stores: Stores;
  readonly credentials: Credentials;
  readonly registry: Registry;
  readonly rollouts: Rollouts;
  readonly uploads: Uploads;
  readonly decisions: StreamingDecisionService;
  readonly idempotency: Idempotency;
  readonly approvals: Approvals;
  readonly operator: OperatorView;
  readonly metrics: ServerMetrics;
  /** Spans and metrics of requests; `null` without telemetry. */
  readonly telemetry: HttpTelemetry | null;
  readonly lanes: Lanes;
  readonly unsent: UnsentBudget;
  readonly uploadBudget: UploadBudget;
  /** The description of the routes, as JSON. */
  readonly openApi: object;
  readonly lifecycle: Lifecycle;
  readonly failures: FailureLog;
  /** The containment of child processes, as found at the start. */
  readonly containment: ContainmentReport;
  readonly log: Log;
}
