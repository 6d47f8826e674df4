import { httpLimitTable, type ServerLimitRow, tenantLimitTable } from "../limits.ts";
import { logLevels } from "../log.ts";

/** One setting of `serve`. */
export interface SettingRow {
  readonly kind: "text" | "integer" | "switch" | "list" | "choice";
  /** How the command line spells its value; absent: it has no flag. */
  readonly value?: string;
  /** A flag without a value that turns a switch off. */
  readonly negated?: true;
  readonly default?: string | number | boolean;
  readonly choices?: readonly string[];
  readonly min?: number;
  readonly max?: number;
  readonly means: string;
  /** A URL that can hold a password. */
  readonly secret?: true;
}

/** Settings with a flag, in the order of the help text. */
const own = {
  data: { kind: "text", value: "<folder>", default: "hookwarden-data", means: "folder of all data" },
  pack: { kind: "text", value: "<folder>", means: "serve the pack in this folder to the tenant `default`" },
  watch: { kind: "switch", value: "", default: false, means: "follow changes of that folder" },
  host: { kind: "text", value: "<address>", default: "127.0.0.1", means: "address to listen on" },
  port: {
    kind: "integer",
    value: "<number>",
    min: 0,
    max: 65_535,
    default: 8_787,
    means: "port to listen on; 0 picks a free one",
  },
  credentials: {
    kind: "switch",
    value: "",
    negated: true,
    default: true,
    means: "disable authentication; only on a loopback address",
  },
  allowedHosts: { kind: "list", value: "<names>", means: "accepted values of `Host`" },
  allowedOrigins: { kind: "list", value: "<origins>", means: "origins of web pages that may send requests" },
  engine: {
    kind: "choice",
    value: "<engine>",
    choices: ["quickjs", "isolate"],
    default: "quickjs",
    means: "JavaScript engine",
  },
  isolation: {
    kind: "choice",
    value: "<kind>",
    choices: ["shared", "tenant"],
    default: "shared",
    means: "processes for all tenants, or for each",
  },
  containment: {
    kind: "choice",
    choices: ["auto", "required", "none"],
    default: "auto",
    means: "operating system containment of child processes; flag `--containment`",
  },
  audit: {
    kind: "choice",
    value: "<mode>",
    choices: ["strict", "relaxed", "off"],
    default: "strict",
    means: "when audit records are on disk",
  },
  mask: {
    kind: "list",
    value: "<pointers>",
    means: "JSON pointers into events that the audit must not hold",
  },
  retentionDays: {
    kind: "integer",
    value: "<days>",
    min: 1,
    max: 36_500,
    means: "remove older audit records",
  },
  trust: { kind: "text", value: "<file>", means: "trust file: keys that may sign bundles" },
  signingKey: { kind: "text", value: "<file>", means: "sign packs that are uploaded as files with this key" },
  requireReview: { kind: "list", value: "<paths>", means: "require approval by these signed review records" },
  reviewers: { kind: "text", value: "<file>", means: "trust file with the public keys of reviewers" },
  jwks: {
    kind: "text",
    value: "<url or file>",
    secret: true,
    means: "keys of an issuer of JSON Web Tokens for tenants",
  },
  issuer: { kind: "text", value: "<name>", means: "required `iss` of such tokens" },
  audience: { kind: "text", value: "<name>", means: "required `aud` of such tokens" },
  approvalWebhook: {
    kind: "text",
    value: "<url>",
    secret: true,
    means: "report approvals to this URL, signed; needs `approvalSecret`",
  },
  approvalSecret: { kind: "text", value: "<file>", means: "file with the secret that signs these reports" },
  approvers: {
    kind: "list",
    value: "<ids>",
    means: "only these keys (ids) and tokens (`jwt:` and subject) may answer approvals",
  },
  newOperatorKey: {
    kind: "text",
    value: "<file>",
    means: "create one more operator key, in a new file",
  },
  telemetry: {
    kind: "switch",
    value: "",
    default: false,
    means: "spans and metrics to the OpenTelemetry provider of the process",
  },
  console: { kind: "switch", value: "", negated: true, default: true, means: "no pages at /console" },
  logLevel: {
    kind: "choice",
    value: "<level>",
    choices: logLevels,
    default: "info",
    means: "least severe level that is logged",
  },
  nats: {
    kind: "text",
    value: "<urls>",
    secret: true,
    means: "share packs, keys, state and audit with other servers over NATS",
  },
  node: { kind: "text", value: "<name>", means: "name of this node (default: the host name)" },
  fleetKey: { kind: "text", value: "<file>", means: "private key that signs shared data; see `keygen`" },
  fleetTrust: { kind: "text", value: "<file>", means: "keys that may sign it (default: the fleet key's)" },
  natsCredentials: { kind: "text", value: "<file>", means: "credentials file for NATS" },
  natsCa: { kind: "text", value: "<file>", means: "certificate authorities of the NATS servers" },
  natsCert: { kind: "text", value: "<file>", means: "client certificate for NATS" },
  natsCertKey: { kind: "text", value: "<file>", means: "its private key" },
  natsPrefix: { kind: "text", value: "<name>", means: "prefix of all names in NATS (default: `hookwarden`)" },
  natsReplicas: {
    kind: "choice",
    value: "<number>",
    choices: ["1", "3", "5"],
    default: "1",
    means: "NATS servers that keep each message",
  },
} as const satisfies { readonly [name: string]: SettingRow };

const integer = (means: string, unit: string, max = 1_000_000_000): SettingRow => ({
  kind: "integer",
  min: 0,
  max,
  means: unit === "" ? means : `${means}, in ${unit}`,
});

/** Settings of the sandboxes. Defaults depend on the machine. */
const processes = {
  processes: integer("sandbox processes", ""),
  spares: integer("idle processes that replace one that was killed", ""),
  heapMb: integer("heap of each process", "MiB"),
  rssMarginBytes: integer("memory above its instances after which a process is killed", "bytes", 2 ** 40),
  rssRetireBytes: integer("memory after which a process is replaced", "bytes", 2 ** 40),
  queueLimit: integer("calls that may wait for a process", ""),
  queueBytes: integer("bytes of calls that may wait", "bytes", 2 ** 40),
  queueMs: integer("how long a call may wait", "ms"),
  graceMs: integer("grace period between a limit and the kill", "ms"),
  startMs: integer("how long a process may take to start", "ms"),
};

const quarantine = {
  faults: integer("faults within a minute that quarantine a hook (default: 5)", ""),
  firstMs: integer("first quarantine (default: 10000)", "ms"),
  longestMs: integer("longest quarantine (default: 3600000)", "ms"),
};

function rowsOf(table: { readonly [name: string]: ServerLimitRow }): { readonly [name: string]: SettingRow } {
  const rows = Object.entries(table).map(([name, limit]): [string, SettingRow] => {
    const { default: value, most, means } = limit;
    return [name, { kind: "integer", min: 1, max: most, default: value, means }];
  });
  return Object.fromEntries(rows);
}

/** Groups of settings without flags: objects in the configuration file, and one variable each. */
export const settingGroups = {
  limits: rowsOf(httpLimitTable),
  tenantLimits: rowsOf(tenantLimitTable),
  processes,
  quarantine,
} as const satisfies { readonly [group: string]: { readonly [name: string]: SettingRow } };

export type SettingGroup = keyof typeof settingGroups;

/**
 * Every setting of `serve` by its name in the configuration file, `group.name` for members of groups. The flags, the
 * help text, the environment variables, the checks and docs/server-settings.md come from it.
 */
export const settingTable: { readonly [name: string]: SettingRow } = {
  ...own,
  ...Object.fromEntries(
    Object.entries(settingGroups).flatMap(([group, rows]) =>
      Object.entries(rows).map(([name, row]) => [`${group}.${name}`, row]),
    ),
  ),
};

type ValueOf<Row extends SettingRow> = Row["kind"] extends "integer"
  ? number
  : Row["kind"] extends "switch"
    ? boolean
    : Row["kind"] extends "list"
      ? readonly string[]
      : Row extends { readonly choices: readonly (infer Choice)[] }
        ? Choice
        : string;

type WithDefault = {
  [Name in keyof typeof own]: (typeof own)[Name] extends { readonly default: unknown } ? Name : never;
}[keyof typeof own];

/** The values of all settings. */
export type Settings = { readonly [Name in WithDefault]: ValueOf<(typeof own)[Name]> } & {
  readonly [Name in Exclude<keyof typeof own, WithDefault>]?: ValueOf<(typeof own)[Name]>;
} & { readonly [Group in SettingGroup]?: { readonly [name: string]: number } };

/** The environment variable of a setting: `limits.eventBytes` is `HOOKWARDEN_LIMITS_EVENT_BYTES`. */
export function variableOf(name: string): string {
  return `HOOKWARDEN_${name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).replaceAll(".", "_")}`.toUpperCase();
}

/** The flag of a setting; `null` if it has none. */
export function flagOf(name: string): string | null {
  const row = settingTable[name];
  if (name === "containment") return "--containment <mode>";
  if (row?.value === undefined) return null;
  const dashed = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return `--${row.negated ? "no-" : ""}${dashed}${row.value === "" ? "" : ` ${row.value}`}`;
}
