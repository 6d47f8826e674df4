import type { Warden } from "hookwarden/warden";
import type { HttpTelemetry } from "./http/telemetry.ts";
import type { Log } from "./log.ts";
import type { Overview } from "./operator.ts";
import type { Traced } from "./telemetry.ts";

/** The server's OpenTelemetry instrumentation. */
export interface ServerTelemetry {
  readonly traced: Traced;
  readonly http: HttpTelemetry;
  /** Reports gauges of the server's load until the result is disposed of. */
  readonly observeLoad: (load: () => Overview) => Disposable;
  /** Reports the decisions of a warden. */
  readonly observeDecisions: (warden: Warden) => void;
}

/** Loads the instrumentation; its packages are optional, so they are imported only here. */
export async function openTelemetry(log: Log): Promise<ServerTelemetry> {
  const [{ missingForTelemetry, observeLoad, tracer }, { HttpTelemetry }, { telemetry }] = await Promise.all([
    import("./telemetry.ts"),
    import("./http/telemetry.ts"),
    import("hookwarden/telemetry"),
  ]);
  const missing = missingForTelemetry();
  if (missing.length > 0) log("telemetry-incomplete", { missing });
  // Tenants choose the names of hooks: allowed in spans, but in metrics they would be labels of unbounded cardinality.
  const report = telemetry({ hooksInMetrics: false });
  return {
    traced: tracer(),
    observeLoad,
    http: new HttpTelemetry(),
    observeDecisions: (warden) => void warden.on("decision", report),
  };
}
