import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import { quote } from "@hookwarden/sandbox/json";
import { HookwardenError } from "hookwarden/errors";
import { hasOperatorKey, writeOperatorKey } from "../first-key.ts";
import { serveFolder } from "../folder-pack.ts";
import { createServer, type ServerOptions } from "../index.ts";
import {
  type Cli,
  readJsonFile,
  addExample,
  addFormat,
  addReview,
  type FormatOption,
  names,
  type ReviewOptions,
  reviewOf,
} from "hookwarden/cli";
import { addFleet, fleetFrom, type FleetOptions } from "./fleet-options.ts";

interface ServeOptions extends FormatOption, FleetOptions, ReviewOptions {
  readonly data: string;
  readonly pack?: string;
  readonly watch?: true;
  readonly host: string;
  readonly port: number;
  readonly credentials: boolean;
  readonly allowedHosts?: readonly string[];
  readonly allowedOrigins?: readonly string[];
  readonly engine: "quickjs" | "isolate";
  readonly isolation: "shared" | "tenant";
  readonly audit: "strict" | "relaxed" | "off";
  readonly mask?: readonly string[];
  readonly retentionDays?: number;
  readonly trust?: string;
  readonly signingKey?: string;
  readonly jwks?: string;
  readonly issuer?: string;
  readonly audience?: string;
  readonly config?: string;
  readonly newOperatorKey?: string;
  readonly telemetry?: true;
  readonly console: boolean;
}

export function define(command: Command, cli: Cli): void {
  command
    .option("--data <folder>", "where everything is kept", "hookwarden-data")
    .option("--pack <folder>", "serve the pack in this folder to the tenant `default`")
    .option("--watch", "follow changes of that folder")
    .option("--host <address>", "address to listen at", "127.0.0.1")
    .option("--port <number>", "port to listen at; 0 takes a free one", number(0, 65_535), 8_787)
    .option("--no-credentials", "ask for none: only at a loopback address")
    .option("--allowed-hosts <names>", "names that requests may give as `Host`", names)
    .option("--allowed-origins <origins>", "origins of web pages that may ask", names)
    .addOption(choice("--engine <engine>", "JavaScript engine", ["quickjs", "isolate"]))
    .addOption(choice("--isolation <kind>", "processes for all, or for each tenant", ["shared", "tenant"]))
    .addOption(choice("--audit <mode>", "when records are on the disk", ["strict", "relaxed", "off"]))
    .option("--mask <pointers>", "JSON pointers into events that the audit must not hold", names)
    .option("--retention-days <days>", "remove older audit records", number(1, 36_500))
    .option("--trust <file>", "keys that may sign bundles")
    .option("--signing-key <file>", "sign packs that come as files with this key")
    .option("--jwks <url or file>", "keys of an issuer of JSON Web Tokens for tenants")
    .option("--issuer <name>", "what `iss` must be in such tokens")
    .option("--audience <name>", "what `aud` must hold in such tokens")
    .option("--config <file>", "JSON with `limits`, `tenantLimits`, `processes`, `quarantine`")
    .option("--new-operator-key <file>", "make one more operator key, and write it to a new file")
    .option("--telemetry", "spans and metrics to the OpenTelemetry provider of the process")
    .option("--no-console", "no pages at /console");
  addFleet(addReview(addFormat(command))).action(async (options: ServeOptions) => {
    await serve(options, cli);
    cli.terminal.endedInOrder();
  });
  addExample(command, "serve --data ./data", "serve --pack ./policies --watch --no-credentials");
}

async function serve(options: ServeOptions, { terminal }: Cli): Promise<void> {
  if (options.watch && options.pack === undefined) {
    throw new HookwardenError("usage", "`--watch` needs `--pack`");
  }
  const { data, ...settings } = {
    ...(await serverOptions(options)),
    log: (line: string) => terminal.note(line),
  };
  const fleet = await fleetFrom(options, options.data);
  await using server = fleet
    ? await (await loadNats()).createFleetServer(settings, fleet)
    : await createServer({ ...settings, ...(data === undefined ? {} : { data }) });
  const { keys } = server.context.stores;
  const wanted = options.newOperatorKey;
  const first = join(options.data, "operator.key");
  if (wanted !== undefined) await writeKey(() => writeOperatorKey(keys, wanted), wanted);
  else if (options.credentials && !existsSync(first) && !(await hasOperatorKey(keys))) {
    await writeKey(() => writeOperatorKey(keys, first), first);
    terminal.note(`an operator's key was written to ${first}`);
  }
  using _folder =
    options.pack === undefined
      ? null
      : await serveFolder(server.context, "default", options.pack, options.watch === true);
  const { url } = await server.listen();
  await terminal.line(options.format === "json" ? JSON.stringify({ url }) : url);
  // It may have come while the server started.
  if (!terminal.signal.aborted) await new Promise((done) => terminal.signal.addEventListener("abort", done));
  terminal.note("ending");
}

async function writeKey(write: () => Promise<void>, path: string): Promise<void> {
  try {
    await write();
  } catch (error) {
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    throw new HookwardenError("file-exists", `the key cannot be written to ${quote(path)} (${code})`, {
      file: path,
    });
  }
}

async function serverOptions(options: ServeOptions): Promise<ServerOptions> {
  const {
    jwks,
    issuer = "",
    audience = "",
    allowedHosts,
    allowedOrigins,
    mask,
    retentionDays,
    trust,
  } = options;
  const config = options.config === undefined ? {} : await readConfig(options.config);
  return {
    ...config,
    data: options.data,
    host: options.host,
    port: options.port,
    credentials: options.credentials ? "required" : "none",
    engine: options.engine,
    isolation: options.isolation,
    audit: options.audit,
    console: options.console,
    telemetry: options.telemetry === true,
    ...reviewOf(options),
    ...(allowedHosts ? { hosts: allowedHosts } : {}),
    ...(allowedOrigins ? { origins: allowedOrigins } : {}),
    ...(mask ? { mask } : {}),
    ...(retentionDays === undefined ? {} : { retentionDays }),
    ...(trust === undefined ? {} : { trust }),
    ...(options.signingKey === undefined ? {} : { signingKey: await readJsonFile(options.signingKey) }),
    ...(jwks === undefined ? {} : { jwt: { jwks, issuer, audience } }),
  };
}

const configMembers = ["limits", "tenantLimits", "processes", "quarantine"] as const;
type Config = Pick<ServerOptions, (typeof configMembers)[number]>;

async function readConfig(path: string): Promise<Config> {
  const config = await readJsonFile(path);
  const known: ReadonlySet<string> = new Set(configMembers);
  if (typeof config !== "object" || config === null || Array.isArray(config)) {
    throw new HookwardenError("option-invalid", "the configuration is not a JSON object", { file: path });
  }
  for (const [name, value] of Object.entries(config)) {
    if (known.has(name) && typeof value === "object" && value !== null) continue;
    const message = `the configuration cannot have ${quote(name)}; it has objects called ${configMembers.join(", ")}`;
    throw new HookwardenError("option-invalid", message, { file: path, pointer: `/${name}` });
  }
  return config;
}

function choice(flags: string, description: string, choices: readonly [string, ...string[]]): Option {
  return new Option(flags, description).choices([...choices]).default(choices[0]);
}

function number(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
  };
}

/** The packages of NATS are optional: one server alone does not need them. */
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
