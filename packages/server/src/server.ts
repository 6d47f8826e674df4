import { describeContainment } from "@hookwarden/sandbox";
import { engineIdentity } from "hookwarden/log";
import type { Warden } from "hookwarden/warden";
import { openAuditLog } from "./audit-log.ts";
import { Credentials } from "./credentials.ts";
import type { DecisionService } from "./decision-service.ts";
import { Decisions } from "./decisions.ts";
import { FailureLog } from "./failure-log.ts";
import { Feed } from "./feed.ts";
import { createHandler } from "./http/handler.ts";
import { createListener } from "./http/listener.ts";
import { close as closeListener, listen } from "./http/lifecycle.ts";
import { openApi } from "./http/openapi.ts";
import { UnsentBudget } from "./http/unsent-budget.ts";
import { Idempotency } from "./idempotency.ts";
import { JwtVerifier } from "./jwt.ts";
import { Lanes } from "./lanes.ts";
import { ServerMetrics } from "./metrics.ts";
import type { Operator } from "./operator.ts";
import { OperatorView } from "./operator-view.ts";
import { type ServerOptions, type ServerSettings, settingsFrom } from "./options.ts";
import type { ServerParts } from "./parts.ts";
import { Quarantine } from "./quarantine.ts";
import { Registry } from "./registry.ts";
import { Rollouts } from "./rollouts.ts";
import { routes } from "./routes/index.ts";
import { lockFolder } from "./sqlite/folder-lock.ts";
import { openSqliteStores } from "./sqlite/stores.ts";
import type { Stores } from "./storage.ts";
import { BundleGate } from "./tenancy/bundle-gate.ts";
import { keyName, Uploads } from "./uploads.ts";

/** A server that is ready to listen. Made by `createServer`. */
export interface HookwardenServer extends AsyncDisposable {
  /** Answers questions without HTTP, for instance such as came over another channel. */
  readonly decisions: DecisionService;
  /** What operators see and do. */
  readonly operator: Operator;
  /** @internal */
  readonly parts: ServerParts;
  /** Starts to listen. @throws {HookwardenError} `listen-failed` */
  listen(): Promise<{ readonly url: string; readonly port: number }>;
  /** Stops taking requests, answers those that are in flight, and closes everything. */
  close(): Promise<void>;
}

/** How often old records of the audit are looked for, in milliseconds. */
const pruneMs = 3_600_000;

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
    return await build(options, settings, opened);
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
}

async function build(
  options: ServerOptions,
  settings: ServerSettings,
  opened: AsyncDisposableStack,
): Promise<HookwardenServer> {
  const jwt = options.jwt ? await JwtVerifier.create(options.jwt) : null;
  let registry: Registry | undefined;
  const stateBytes = (tenant: string): number =>
    registry?.get(tenant)?.limits.stateBytes ?? settings.tenantLimits.stateBytes;
  if (options.data !== undefined) opened.use(lockFolder(options.data));
  const stores =
    options.stores ?? opened.use(openSqliteStores({ folder: options.data as string, stateBytes }));
  const { engine = "quickjs", isolation = "shared", processes, containment, where } = options;
  const walls = await describeContainment(where === "inline" ? "none" : containment);
  const lanes = opened.use(
    await Lanes.open({
      engine,
      isolation,
      ...(processes ? { processes } : {}),
      ...(containment ? { containment } : {}),
      ...(where ? { where } : {}),
    }),
  );
  const log = logger(options);
  log("containment", { ...walls });
  const feed = new Feed();
  const quarantine = new Quarantine(stores.quarantine, options.quarantine);
  await quarantine.load();
  quarantine.onChange = (entry, lifted) => {
    log(lifted ? "quarantine-lifted" : "quarantine", {
      id: entry.id,
      tenant: entry.tenant,
      times: entry.times,
      fault: entry.fault,
    });
    if (feed.isWatched) feed.tell({ type: "quarantine", at: new Date().toISOString(), lifted, ...entry });
  };
  const { trust, signingKey } = options;
  const { requireReview } = options;
  const gate = new BundleGate({ trust, ownKey: keyName(signingKey), requireReview, log });
  const failures = new FailureLog(log);
  const telemetry = options.telemetry ? await openTelemetry(log) : null;
  registry = opened.use(
    new Registry({
      stores,
      gate,
      limits: settings.tenantLimits,
      parts: {
        lanes,
        quarantine,
        state: stores.state,
        eventBytes: settings.limits.eventBytes,
        listen: telemetry?.listen ?? (() => undefined),
      },
      openLog: auditOpener(options, settings, stores, lanes),
      onRollout(rollout) {
        log("rollout", { tenant: rollout.tenant, generation: rollout.generation, active: rollout.active });
        options.onRollout?.(rollout);
        if (feed.isWatched) feed.tell({ type: "rollout", at: new Date().toISOString(), ...rollout });
      },
      onBroken: (tenant, error) =>
        log("pack-broken", { tenant, error: (error as { code?: string }).code ?? "internal" }),
    }),
  );
  let ready = false;
  const isReady = (): boolean => ready;
  const operator = new OperatorView({ node: settings.node, registry, lanes, quarantine, feed, isReady });
  if (telemetry) opened.use(telemetry.observeLoad(() => operator.overview()));
  const metrics = new ServerMetrics(registry, lanes, quarantine);
  const decisions = new Decisions({
    registry,
    feed,
    eventBytes: settings.limits.eventBytes,
    batchEvents: settings.limits.batchEvents,
    onDecision(_tenant, decision, us) {
      metrics.decision(decision, us);
      operator.latencies.add(us);
    },
    failures,
    traced: telemetry?.traced ?? null,
  });
  const credentials = new Credentials(stores.keys, jwt);
  // A key that another node has revoked must not live on here.
  const keys = stores.keys.watch?.(() => credentials.forget());
  if (keys) opened.defer(async () => keys[Symbol.dispose]());
  const parts: ServerParts = {
    options,
    settings,
    stores,
    credentials,
    registry,
    rollouts: new Rollouts(stores.packs, registry),
    uploads: new Uploads({
      packs: stores.packs,
      gate,
      signingKey,
      ...(containment ? { containment } : {}),
    }),
    decisions,
    operator,
    metrics,
    telemetry: telemetry?.http ?? null,
    lanes,
    idempotency: new Idempotency(),
    unsent: new UnsentBudget(settings.limits.unreadBytes),
    openApi: openApi(routes),
    isReady,
    failures,
    containment: walls,
    log,
  };
  // The operators' console is served beside the routes of the API, and is no part of its description.
  const pages = options.console === false ? [] : (await import("./console/index.ts")).consoleRoutes();
  const listener = createListener({
    handle: createHandler(parts, [...routes, ...pages]),
    limits: settings.limits,
    onBroken: (status) => metrics.response(status),
  });
  if (settings.isOpen && !(await stores.tenants.get("default"))) {
    await stores.tenants.put({
      tenant: "default",
      created: new Date().toISOString(),
      disabled: false,
      limits: {},
      signedOnly: false,
    });
  }
  await registry.load();
  ready = true;
  const prune = pruner(options, stores);
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    ready = false;
    clearInterval(prune);
    decisions.close();
    try {
      await closeListener(listener, settings.limits.shutdownMs);
    } finally {
      await opened.disposeAsync();
    }
    log("closed");
  };
  const server: HookwardenServer = {
    decisions,
    operator,
    parts,
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

function auditOpener(
  { mask = [] }: ServerOptions,
  { audit: mode, node }: ServerSettings,
  stores: Stores,
  { fast }: Lanes,
): ((tenant: string) => ReturnType<typeof openAuditLog>) | null {
  if (mode === "off") return null;
  const engine = engineIdentity(fast.sandbox.engine, fast.sandbox.version);
  return (tenant) =>
    openAuditLog(
      stores.audit,
      { tenant, node },
      { engine, tools: undefined, pristine: true },
      { mode, mask },
    );
}

/** What of the server tells OpenTelemetry what it does. Loaded only where that is wanted. */
async function openTelemetry(log: ServerParts["log"]) {
  const [{ missingForTelemetry, observeLoad, tracer }, { HttpTelemetry }, { telemetry }] = await Promise.all([
    import("./telemetry.ts"),
    import("./http/telemetry.ts"),
    import("hookwarden/telemetry"),
  ]);
  const missing = missingForTelemetry();
  if (missing.length > 0) log("telemetry-incomplete", { missing });
  // Names of hooks are tenants' choice: in spans they stand, in metrics they would be labels without end.
  const report = telemetry({ hooksInMetrics: false });
  return {
    traced: tracer(),
    observeLoad,
    http: new HttpTelemetry(),
    listen: (warden: Warden) => void warden.on("decision", report),
  };
}

function pruner({ retentionDays }: ServerOptions, stores: Stores): NodeJS.Timeout | undefined {
  if (retentionDays === undefined) return undefined;
  const prune = async (): Promise<void> => {
    const before = Date.now() - retentionDays * 86_400_000;
    const tenants = new Set((await stores.audit.chains()).map(({ tenant }) => tenant));
    for (const tenant of tenants) await stores.audit.prune(tenant, before);
  };
  const quietly = (): void => void prune().catch(() => undefined);
  quietly();
  return setInterval(quietly, pruneMs).unref();
}

function logger({ log }: ServerOptions): ServerParts["log"] {
  if (!log) return () => undefined;
  return (event, fields = {}) =>
    log(inert(JSON.stringify({ at: new Date().toISOString(), event, ...fields })));
}

/** JSON in which nothing can move the cursor of a terminal, or turn text around. */
function inert(text: string): string {
  return text.replaceAll(
    /[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
