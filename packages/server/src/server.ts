import { describeContainment } from "@hookwarden/sandbox";
import type { Approvals } from "./approvals/approvals.ts";
import { openApprovals } from "./approvals/open.ts";
import { auditOpener } from "./audit-log.ts";
import { enforceRetention } from "./audit-retention.ts";
import type { ServerContext } from "./context.ts";
import { Credentials } from "./credentials.ts";
import type { DecisionService } from "./decision-service.ts";
import { Decisions } from "./decisions.ts";
import { DegradedWindows } from "./degraded-windows.ts";
import { FailureLog } from "./failure-log.ts";
import { Feed } from "./feed.ts";
import { createHandler } from "./http/handler.ts";
import { close as closeListener, listen } from "./http/lifecycle.ts";
import { createListener, type Listener } from "./http/listener.ts";
import { openApi } from "./http/openapi.ts";
import { UnsentBudget } from "./http/unsent-budget.ts";
import { UploadBudget } from "./http/upload-budget.ts";
import { Idempotency } from "./idempotency.ts";
import { JwtVerifier } from "./jwt.ts";
import { Lanes } from "./lanes.ts";
import { createLog, type Log } from "./log.ts";
import { ServerMetrics } from "./metrics.ts";
import { newTenant } from "./new-tenant.ts";
import { openTelemetry, type ServerTelemetry } from "./open-telemetry.ts";
import type { Operator } from "./operator.ts";
import { OperatorView } from "./operator-view.ts";
import { type ServerOptions, type ServerSettings, settingsFrom } from "./options.ts";
import { Quarantine } from "./quarantine.ts";
import { Registry } from "./registry.ts";
import { Rollouts } from "./rollouts.ts";
import { routes } from "./routes/index.ts";
import { lockFolder } from "./sqlite/folder-lock.ts";
import { openSqliteStores } from "./sqlite/stores.ts";
import type { Stores } from "./storage.ts";
import { BundleGate } from "./tenancy/bundle-gate.ts";
import { watchTrustFile } from "./tenancy/trust-watch.ts";
import { keyName, Uploads } from "./uploads.ts";

/** A server that is ready to listen. Made by `createServer`. */
export interface HookwardenServer extends AsyncDisposable {
  /** Decides events that arrive by other channels than HTTP. */
  readonly decisions: DecisionService;
  /** What operators see and do. */
  readonly operator: Operator;
  /** @internal */
  readonly context: ServerContext;
  /** Starts to listen. @throws {HookwardenError} `listen-failed` */
  listen(): Promise<{ readonly url: string; readonly port: number }>;
  /** Stops accepting requests, answers those in flight, and closes everything. */
  close(): Promise<void>;
}

/**
 * Makes a server: opens its stores, starts its sandboxes, loads all tenants' packs.
 *
 * @throws {HookwardenError} `option-invalid`, `storage-failed`, `engine-missing`. Nothing is left running then.
 *
 * @example
 *     await using server = await createServer({ data: "./data" });
 *     const { url } = await server.listen();
 */
export async function createServer(options: ServerOptions): Promise<HookwardenServer> {
  const settings = settingsFrom(options);
  const opened = new AsyncDisposableStack();
  try {
    return await build({ options, settings, opened, log: createLog(options.log, options.logLevel) });
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
}

/** What every part of the server is built from. */
interface Foundation {
  readonly options: ServerOptions;
  readonly settings: ServerSettings;
  /** Closed in reverse order when the server closes. */
  readonly opened: AsyncDisposableStack;
  readonly log: Log;
}

async function build(base: Foundation): Promise<HookwardenServer> {
  const { options, settings, opened, log } = base;
  const lifecycle = { isReady: false };
  let registry: Registry | undefined;
  const stateBytes = (tenant: string): number =>
    registry?.get(tenant)?.limits.stateBytes ?? settings.tenantLimits.stateBytes;
  const stores = openStores(base, stateBytes);
  const lanes = await openLanes(base);
  const containment = await describeContainment(options.where === "inline" ? "none" : options.containment);
  log("containment", { ...containment });
  const feed = new Feed();
  const quarantine = await loadQuarantine(base, stores, feed);
  const { trust, signingKey, requireReview } = options;
  const gate = new BundleGate({ trust, ownKey: keyName(signingKey), requireReview, log });
  const telemetry = options.telemetry ? await openTelemetry(log) : null;
  registry = opened.use(makeRegistry(base, { stores, lanes, quarantine, gate, feed, telemetry }));
  const operator = new OperatorView({ node: settings.node, registry, lanes, quarantine, feed, lifecycle });
  if (telemetry) opened.use(telemetry.observeLoad(() => operator.overview()));
  const metrics = new ServerMetrics(registry, lanes, quarantine);
  const failures = new FailureLog(log);
  const { containment: mode } = options;
  if (settings.isOpen) await addDefaultTenant(stores);
  await registry.load();
  const approvals = opened.use(await openApprovals({ ...base, stores, feed, registry }));
  const parts = { registry, approvals, feed, failures, metrics, operator, telemetry };
  const decisions = makeDecisions(base, parts);
  const context: ServerContext = {
    options,
    settings,
    stores,
    credentials: await openCredentials(base, stores),
    registry,
    rollouts: new Rollouts(stores.packs, registry),
    uploads: new Uploads({ packs: stores.packs, gate, signingKey, ...(mode ? { containment: mode } : {}) }),
    decisions,
    operator,
    metrics,
    telemetry: telemetry?.http ?? null,
    lanes,
    idempotency: new Idempotency(),
    approvals,
    unsent: new UnsentBudget(settings.limits.unsentBytes),
    uploadBudget: new UploadBudget(settings.limits.uploadBytes),
    openApi: openApi(routes),
    lifecycle,
    failures,
    containment,
    log,
  };
  const listener = await openListener(context);
  for (const file of trustFiles(options)) opened.use(watchTrustFile(file, () => revalidate(context)));
  lifecycle.isReady = true;
  opened.use(enforceRetention(stores.audit, options.retentionDays));
  return serverOf(base, { context, listener, stop: () => ((lifecycle.isReady = false), decisions.close()) });
}

function openStores({ options, opened }: Foundation, stateBytes: (tenant: string) => number): Stores {
  const { data, stores } = options;
  if (data !== undefined) opened.use(lockFolder(data));
  return stores ?? opened.use(openSqliteStores({ folder: data as string, stateBytes }));
}

async function openLanes({ options, opened }: Foundation): Promise<Lanes> {
  const { engine = "quickjs", isolation = "shared", processes, containment, where } = options;
  return opened.use(
    await Lanes.open({
      engine,
      isolation,
      ...(processes ? { processes } : {}),
      ...(containment ? { containment } : {}),
      ...(where ? { where } : {}),
    }),
  );
}

async function loadQuarantine({ options, log }: Foundation, stores: Stores, feed: Feed): Promise<Quarantine> {
  const quarantine = new Quarantine(stores.quarantine, options.quarantine);
  await quarantine.load();
  quarantine.onChange = (entry, lifted) => {
    const { id, tenant, times, fault } = entry;
    log(lifted ? "quarantine-lifted" : "quarantine", { id, tenant, times, fault });
    if (feed.hasListeners)
      feed.publish({ type: "quarantine", at: new Date().toISOString(), lifted, ...entry });
  };
  return quarantine;
}

interface RegistryParts {
  readonly stores: Stores;
  readonly lanes: Lanes;
  readonly quarantine: Quarantine;
  readonly gate: BundleGate;
  readonly feed: Feed;
  readonly telemetry: ServerTelemetry | null;
}

function makeRegistry({ options, settings, opened, log }: Foundation, parts: RegistryParts): Registry {
  const { stores, lanes, quarantine, gate, feed, telemetry } = parts;
  const { audit: mode, node } = settings;
  const { engine, version } = lanes.fast.sandbox;
  return new Registry({
    stores,
    gate,
    limits: settings.tenantLimits,
    degraded: opened.use(new DegradedWindows(log, feed)),
    parts: {
      lanes,
      quarantine,
      state: stores.state,
      eventBytes: settings.limits.eventBytes,
      listen: telemetry?.observeDecisions ?? (() => undefined),
    },
    openLog: auditOpener(stores.audit, { mode, node, engine, version, mask: options.mask ?? [] }),
    onRollout(rollout) {
      log("rollout", { tenant: rollout.tenant, generation: rollout.generation, active: rollout.active });
      options.onRollout?.(rollout);
      if (feed.hasListeners) feed.publish({ type: "rollout", at: new Date().toISOString(), ...rollout });
    },
    onBroken: (tenant, error) =>
      log("pack-broken", { tenant, error: (error as { code?: string }).code ?? "internal" }),
  });
}

interface DecisionParts {
  readonly registry: Registry;
  readonly approvals: Approvals;
  readonly feed: Feed;
  readonly failures: FailureLog;
  readonly metrics: ServerMetrics;
  readonly operator: OperatorView;
  readonly telemetry: ServerTelemetry | null;
}

function makeDecisions({ settings }: Foundation, parts: DecisionParts): Decisions {
  const { registry, approvals, feed, failures, metrics, operator, telemetry } = parts;
  return new Decisions({
    registry,
    approvals,
    feed,
    eventBytes: settings.limits.eventBytes,
    batchEvents: settings.limits.batchEvents,
    metrics,
    latencies: operator.latencies,
    failures,
    traced: telemetry?.traced ?? null,
  });
}

async function openCredentials({ options, opened }: Foundation, stores: Stores): Promise<Credentials> {
  const jwt = options.jwt ? await JwtVerifier.create(options.jwt) : null;
  const credentials = new Credentials(stores.keys, jwt);
  // A key that another node has revoked must not remain cached here.
  const watch = stores.keys.watch?.(() => credentials.forget());
  if (watch) opened.use(watch);
  return credentials;
}

/** The HTTP server with the API's routes and, unless disabled, the console's files. */
async function openListener(context: ServerContext): Promise<Listener> {
  const { options, settings, metrics } = context;
  const pages = options.console === false ? [] : (await import("./console/index.ts")).consoleRoutes();
  return createListener({
    handle: createHandler(context, [...routes, ...pages]),
    limits: settings.limits,
    onBroken: (status) => metrics.response(status),
  });
}

function trustFiles({ trust, requireReview }: ServerOptions): readonly string[] {
  return [...new Set([trust, requireReview?.trust])].filter((one) => typeof one === "string");
}

function revalidate({ registry, log }: ServerContext): void {
  void registry.revalidate().then(
    () => log("trust-changed"),
    () => log("trust-unavailable"),
  );
}

async function addDefaultTenant({ tenants }: Stores): Promise<void> {
  if (!(await tenants.get("default"))) await tenants.put(newTenant("default"));
}

interface Built {
  readonly context: ServerContext;
  readonly listener: Listener;
  /** Refuses all further requests. */
  readonly stop: () => void;
}

function serverOf(
  { settings, opened, log }: Foundation,
  { context, listener, stop }: Built,
): HookwardenServer {
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    stop();
    try {
      await closeListener(listener, settings.limits.shutdownMs);
    } finally {
      await opened.disposeAsync();
    }
    log("closed");
  };
  const server: HookwardenServer = {
    decisions: context.decisions,
    operator: context.operator,
    context,
    async listen() {
      const { url, port } = await listen(listener, settings);
      log("listening", { url });
      return { url, port };
    },
    close: () => (closing ??= close()),
    [Symbol.asyncDispose]: () => server.close(),
  };
  return server;
}
