import type { ContainmentMode, EngineName } from "@hookwarden/sandbox";
import type { RequiredReview, Trust } from "hookwarden/bundle";
import { HookwardenError } from "hookwarden/errors";
import { checkMembers, wardenMembers } from "hookwarden/warden";
import type { WebhookOptions } from "./approvals/webhook.ts";
import type { AuditMode } from "./audit-log.ts";
import type { JwtOptions } from "./jwt.ts";
import type { LaneOptions } from "./lanes.ts";
import { type HttpLimits, httpLimitTable, limitsFrom, tenantLimitTable } from "./limits.ts";
import { type LogLevel, logLevels } from "./log.ts";
import type { NodeReport } from "./operator.ts";
import type { QuarantineOptions } from "./quarantine.ts";
import type { Stores } from "./storage.ts";
import type { Rollout } from "./rollout.ts";
import type { TenantLimits } from "./tenants.ts";

export interface ServerOptions {
  /** Folder of the embedded stores. Either this or `stores`. */
  readonly data?: string;
  /** Stores of the host's own, such as those that several nodes share. They are not closed with the server. */
  readonly stores?: Stores;
  /** Address to listen at. Default `127.0.0.1`. */
  readonly host?: string;
  /** Default 8787; 0 takes one that is free. */
  readonly port?: number;
  /**
   * `required` (default): every request but `/health` and `/ready` needs a credential. `none`: none is looked at, and
   * every request is an operator's and the tenant `default`'s; only for loopback addresses.
   */
  readonly credentials?: "required" | "none";
  /** JSON Web Tokens of tenants, beside keys. */
  readonly jwt?: JwtOptions;
  /** Names that requests may give as `Host` (without port), beside the address itself. Default: only loopback names. */
  readonly hosts?: readonly string[];
  /** Origins of web pages that may ask, such as `https://console.example`. Default: the server's own. */
  readonly origins?: readonly string[];
  /** Default `quickjs`. */
  readonly engine?: EngineName;
  /** `shared` (default): processes serve all tenants, each with instances of its own. `tenant`: one for each process. */
  readonly isolation?: "shared" | "tenant";
  readonly processes?: LaneOptions["processes"];
  /**
   * Walls of the operating system around the processes that run and bundle hooks: `auto`, `required` or `none`; see
   * docs/containment.md. Default `auto`.
   */
  readonly containment?: ContainmentMode;
  /** @internal For tests: `inline` runs hooks in this process. */
  readonly where?: "process" | "inline";
  /** Default `strict`. */
  readonly audit?: AuditMode;
  /** JSON pointers into events that the audit must not hold. */
  readonly mask?: readonly string[];
  /** After how many days audit records are removed. Default: never. */
  readonly retentionDays?: number;
  /** Keys that may sign bundles: the path of a trust file, or what stands in it. Default: none. */
  readonly trust?: string | Trust;
  /**
   * Insists on signed reviews that approve each pack, when it comes, when it is activated and when the server starts.
   * See docs/reviewing.md. Default: none.
   */
  readonly requireReview?: RequiredReview;
  /** A private Ed25519 key (JWK) that packs which come as files are signed with. Default: they stay unsigned. */
  readonly signingKey?: unknown;
  /** Limits of tenants whose record says nothing else. */
  readonly tenantLimits?: Partial<TenantLimits>;
  /** Limits of connections and requests. */
  readonly limits?: Partial<HttpLimits>;
  readonly quarantine?: QuarantineOptions;
  /** Approvals of decisions with `ask`. */
  readonly approvals?: {
    /** Where approvals that are opened and closed are reported to. Default: none. */
    readonly webhook?: WebhookOptions;
    /**
     * Ids of the keys, or `jwt:` with the subjects of tokens, that may answer approvals. They need the scope `approve` as
     * well, or must be operators. Default: all that have it, but the credential that requested the decision.
     */
    readonly approvers?: readonly string[];
    /** After how many days closed approvals are removed. Default 90. */
    readonly retentionDays?: number;
  };
  /** Spans and metrics through `@opentelemetry/api`. Default `false`. */
  readonly telemetry?: boolean;
  /** Name of this node, for audit chains and reports. Default `local`. */
  readonly node?: string;
  /** Whether there is a console at `/console`. Default `true`. */
  readonly console?: boolean;
  /** The nodes of the fleet that the server belongs to. Default: none. */
  readonly nodes?: () => Promise<readonly NodeReport[]>;
  /** Called with every rollout once it serves. */
  readonly onRollout?: (rollout: Rollout) => void;
  /** Takes log lines: JSON objects without secrets and without text of hooks. Default: nothing is logged. */
  readonly log?: (line: string) => void;
  /** The least severe level that is logged. Default `info`. */
  readonly logLevel?: LogLevel;
}

/** Options with every default filled in. */
export interface ServerSettings {
  readonly host: string;
  readonly port: number;
  readonly isOpen: boolean;
  readonly node: string;
  readonly audit: AuditMode;
  readonly limits: HttpLimits;
  readonly tenantLimits: TenantLimits;
}

const loopback = /^(127(\.\d{1,3}){3}|::1|\[::1\]|localhost)$/i;

/** Whether an address can be reached from this machine only. */
export function isLoopback(host: string): boolean {
  return loopback.test(host);
}

/** Options that exist, with the members of those that are objects. The tables of limits check theirs. */
const serverMembers: { readonly [Name in keyof Required<ServerOptions>]: object | null } = {
  data: null,
  stores: null,
  host: null,
  port: null,
  credentials: null,
  jwt: { jwks: null, issuer: null, audience: null, algorithms: null, tenantClaim: null },
  hosts: null,
  origins: null,
  engine: null,
  isolation: null,
  processes: wardenMembers.processes,
  containment: null,
  where: null,
  audit: null,
  mask: null,
  retentionDays: null,
  trust: null,
  requireReview: { records: null, trust: null },
  signingKey: null,
  tenantLimits: null,
  limits: null,
  quarantine: { faults: null, firstMs: null, longestMs: null },
  approvals: { webhook: { url: null, secret: null, retryMs: null }, approvers: null, retentionDays: null },
  telemetry: null,
  node: null,
  console: null,
  nodes: null,
  onRollout: null,
  log: null,
  logLevel: null,
};

/** @throws {HookwardenError} `option-invalid`, also for an option that does not exist */
export function settingsFrom(options: ServerOptions): ServerSettings {
  checkMembers(options, serverMembers, "");
  const { host = "127.0.0.1", port = 8_787, node = "local", audit = "strict" } = options;
  const isOpen = options.credentials === "none";
  if ((options.data === undefined) === (options.stores === undefined))
    invalid("there must be either `data` or `stores`");
  if (isOpen && !isLoopback(host)) {
    invalid(`without credentials the server listens at loopback addresses only, and \`${host}\` is none`);
  }
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    invalid("`port` must be a number from 0 to 65535");
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(node))
    invalid("`node` must be a name of letters, digits, `.`, `_` and `-`");
  if (!["strict", "relaxed", "off"].includes(audit)) invalid("`audit` must be `strict`, `relaxed` or `off`");
  const { retentionDays, logLevel = "info" } = options;
  if (!logLevels.includes(logLevel)) invalid(`\`logLevel\` must be one of ${logLevels.join(", ")}`);
  if (retentionDays !== undefined && !(retentionDays > 0))
    invalid("`retentionDays` must be a number above 0");
  checkWebhook(options.approvals?.webhook);
  return {
    host,
    port,
    isOpen,
    node,
    audit,
    limits: limitsFrom(httpLimitTable, options.limits) as HttpLimits,
    tenantLimits: limitsFrom(tenantLimitTable, options.tenantLimits) as TenantLimits,
  };
}

function checkWebhook(webhook: WebhookOptions | undefined): void {
  if (webhook === undefined) return;
  if (!/^https?:\/\//.test(webhook.url)) invalid("`approvals.webhook.url` must be an http or https URL");
  if (typeof webhook.secret !== "string" || webhook.secret.length < 16)
    invalid("`approvals.webhook.secret` must have at least 16 characters");
}

function invalid(message: string): never {
  throw new HookwardenError("option-invalid", message);
}
