import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Command } from "commander";
import { quote } from "@hookwarden/sandbox/json";
import {
  addExample,
  addFormat,
  type Cli,
  type FormatOption,
  readJsonFile,
  reviewOf,
  Table,
} from "hookwarden/cli";
import { HookwardenError } from "hookwarden/errors";
import { writeFirstOperatorKey, writeOperatorKey } from "../first-key.ts";
import { serveFolder } from "../folder-pack.ts";
import { createServer, type HookwardenServer, type ServerOptions } from "../index.ts";
import { createLog, type Log } from "../log.ts";
import { addFlags, flagsOf, sourcesHelp } from "./flags.ts";
import { fleetFrom } from "./fleet-options.ts";
import { maskSecrets, type ResolvedSettings, resolveSettings } from "./settings.ts";
import type { Settings } from "./settings-table.ts";

interface ServeOptions extends FormatOption {
  readonly config?: string;
  readonly printConfig?: true;
}

export function define(command: Command, cli: Cli): void {
  addFlags(command)
    .option("--config <file>", "configuration file (JSON) with any of these settings")
    .option("--print-config", "print every setting with its source, and exit");
  addFormat(command).action(async (options: ServeOptions) => {
    const resolved = await settingsOf(command, options);
    if (options.printConfig) return printConfig(resolved, options, cli);
    await serve(resolved.values, options, cli);
    cli.terminal.endedInOrder();
  });
  command.addHelpText("after", sourcesHelp);
  addExample(command, "serve --data ./data", "serve --pack ./policies --watch --no-credentials");
}

async function settingsOf(command: Command, options: ServeOptions): Promise<ResolvedSettings> {
  const { env } = process;
  const path = options.config ?? env["HOOKWARDEN_CONFIG"];
  const file = path === undefined ? null : { path, value: await readJsonFile(path) };
  return resolveSettings({ flags: flagsOf(command), env, file });
}

async function printConfig({ all }: ResolvedSettings, { format }: ServeOptions, cli: Cli): Promise<void> {
  const shown = all.map((one) => ({ ...one, value: maskSecrets(one) }));
  if (format === "json") {
    const entries = shown.map(({ name, value, source }) => [name, { value, source }]);
    return cli.terminal.line(JSON.stringify(Object.fromEntries(entries)));
  }
  const width = Math.max(...shown.map(({ name }) => name.length));
  const table = new Table(cli.terminal, [
    { title: "setting", width },
    { title: "source", width: "environment".length },
    { title: "value", width: 20 },
  ]);
  await cli.terminal.line(table.head());
  for (const { name, value, source } of shown) {
    await cli.terminal.line(table.row([name, source, String(value)]));
  }
}

async function serve(settings: Settings, { format }: ServeOptions, { terminal }: Cli): Promise<void> {
  if (settings.watch && settings.pack === undefined)
    throw new HookwardenError("usage", "`--watch` needs `--pack`");
  const write = (line: string): void => terminal.note(line);
  const log = createLog(write, settings.logLevel);
  const { data, ...options } = { ...(await serverOptions(settings)), log: write };
  const fleet = await fleetFrom(settings, settings.data);
  await using server = fleet
    ? await (await loadNats()).createFleetServer(options, fleet)
    : await createServer({ ...options, ...(data === undefined ? {} : { data }) });
  using _folder =
    settings.pack === undefined
      ? null
      : await serveFolder(server.context, "default", settings.pack, settings.watch);
  const { url } = await server.listen();
  // Only now: a start that fails, for example because the port is taken, leaves no key behind.
  await writeKeys(server, settings, log);
  await terminal.line(format === "json" ? JSON.stringify({ url }) : url);
  // The signal may have come during startup.
  if (!terminal.signal.aborted) await new Promise((done) => terminal.signal.addEventListener("abort", done));
  log("shutting-down");
}

/** Writes the key that was asked for; at the first start without operators, the first one. */
async function writeKeys(server: HookwardenServer, settings: Settings, log: Log): Promise<void> {
  const { stores, settings: own } = server.context;
  const { newOperatorKey: wanted, credentials, data } = settings;
  const path = wanted ?? join(data, "operator.key");
  if (wanted === undefined && (!credentials || existsSync(path))) return;
  const made = { path, node: own.node };
  try {
    if (wanted !== undefined) await writeOperatorKey(stores.keys, made);
    else {
      const existing = await writeFirstOperatorKey(stores.keys, made);
      if (existing !== null) return log("operator-key-exists", { key: existing });
    }
  } catch (error) {
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    throw new HookwardenError("file-exists", `the key cannot be written to ${quote(path)} (${code})`, {
      file: path,
    });
  }
  log("operator-key-written", { file: path });
}

async function serverOptions(settings: Settings): Promise<ServerOptions> {
  const { jwks, issuer = "", audience = "", allowedHosts, allowedOrigins, mask, retentionDays } = settings;
  const { trust, limits, tenantLimits, processes, quarantine, requireReview, reviewers } = settings;
  return {
    approvals: await approvalOptions(settings),
    ...(limits ? { limits } : {}),
    ...(tenantLimits ? { tenantLimits } : {}),
    ...(processes ? { processes } : {}),
    ...(quarantine ? { quarantine } : {}),
    data: settings.data,
    host: settings.host,
    port: settings.port,
    credentials: settings.credentials ? "required" : "none",
    engine: settings.engine,
    isolation: settings.isolation,
    containment: settings.containment,
    audit: settings.audit,
    console: settings.console,
    telemetry: settings.telemetry,
    logLevel: settings.logLevel,
    ...reviewOf({ ...(requireReview ? { requireReview } : {}), ...(reviewers ? { reviewers } : {}) }),
    ...(allowedHosts ? { hosts: allowedHosts } : {}),
    ...(allowedOrigins ? { origins: allowedOrigins } : {}),
    ...(mask ? { mask } : {}),
    ...(retentionDays === undefined ? {} : { retentionDays }),
    ...(trust === undefined ? {} : { trust }),
    ...(settings.signingKey === undefined ? {} : { signingKey: await readJsonFile(settings.signingKey) }),
    ...(jwks === undefined ? {} : { jwt: { jwks, issuer, audience } }),
  };
}

async function approvalOptions({
  approvalWebhook: url,
  approvalSecret: file,
  approvers,
}: Settings): Promise<NonNullable<ServerOptions["approvals"]>> {
  if ((url === undefined) !== (file === undefined))
    throw new HookwardenError("usage", "`approvalWebhook` and `approvalSecret` need each other");
  const listed = approvers ? { approvers } : {};
  if (url === undefined || file === undefined) return listed;
  return { ...listed, webhook: { url, secret: (await readTextFile(file)).trim() } };
}

async function readTextFile(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    throw new HookwardenError("file-unreadable", `${quote(path)} cannot be read (${code})`, { file: path });
  }
}

/** The packages of NATS are optional: a single server does not need them. */
async function loadNats(): Promise<typeof import("../nats/index.ts")> {
  try {
    return await import("../nats/index.ts");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    const names = ["transport-node", "jetstream", "kv", "obj"].map((name) => `@nats-io/${name}`).join(" ");
    const message = `\`--nats\` needs packages that are not installed: run \`npm install ${names}\``;
    throw new HookwardenError("package-missing", message, {}, { cause: error });
  }
}
