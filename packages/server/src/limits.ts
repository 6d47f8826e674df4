import { didYouMean, HookwardenError } from "hookwarden/errors";
import type { TenantLimits } from "./tenants.ts";

/** One limit with its default and how far it goes. */
export interface ServerLimitRow {
  readonly default: number;
  readonly most: number;
  readonly unit: string;
  readonly means: string;
}

/** What a tenant may use where its record says nothing else. */
export const tenantLimitTable: { readonly [Name in keyof TenantLimits]: ServerLimitRow } = {
  requestsPerSecond: {
    default: 2_000,
    most: 1_000_000,
    unit: "a second",
    means: "requests, with bursts of as many; each event of a batch or a trial counts",
  },
  concurrency: { default: 64, most: 4_096, unit: "", means: "decisions under way at the same time" },
  queued: { default: 1_000, most: 100_000, unit: "", means: "decisions that wait for their turn" },
  cpuMsPerMinute: {
    default: 30_000,
    most: 6_000_000,
    unit: "ms",
    means: "time that hooks run, in each minute",
  },
  memoryKb: { default: 65_536, most: 131_072, unit: "KiB", means: "memory of one call of a hook" },
  residentHooks: {
    default: 200,
    most: 10_000,
    unit: "",
    means: "hooks of the active pack and the candidate together",
  },
  stateBytes: {
    default: 67_108_864,
    most: 17_179_869_184,
    unit: "bytes",
    means: "state of all hooks, keys included",
  },
};

export const tenantLimitNames = Object.keys(tenantLimitTable) as (keyof TenantLimits)[];

export const defaultTenantLimits: TenantLimits = Object.freeze(
  Object.fromEntries(tenantLimitNames.map((name) => [name, tenantLimitTable[name].default])),
) as unknown as TenantLimits;

/** Limits of connections and requests, for all clients. */
export const httpLimitTable = {
  eventBytes: { default: 6_291_456, most: 8_388_608, unit: "bytes", means: "one event" },
  batchBytes: {
    default: 8_388_608,
    most: 67_108_864,
    unit: "bytes",
    means: "the body of a request for decisions",
  },
  batchEvents: { default: 256, most: 10_000, unit: "", means: "events in a batch" },
  packBytes: { default: 50_331_648, most: 134_217_728, unit: "bytes", means: "the body of an upload" },
  uploadBytes: {
    default: 536_870_912,
    most: 17_179_869_184,
    unit: "bytes",
    means: "bodies of uploads in progress, of all tenants together",
  },
  headerBytes: { default: 16_384, most: 65_536, unit: "bytes", means: "all headers of a request" },
  headersMs: { default: 5_000, most: 60_000, unit: "ms", means: "until all headers have come" },
  requestMs: { default: 15_000, most: 300_000, unit: "ms", means: "until the whole request has come" },
  keepAliveMs: { default: 65_000, most: 600_000, unit: "ms", means: "a connection that rests" },
  connections: { default: 10_000, most: 100_000, unit: "", means: "connections" },
  connectionsPerAddress: { default: 1_024, most: 100_000, unit: "", means: "connections from one address" },
  pipelined: {
    default: 16,
    most: 256,
    unit: "",
    means: "requests on a connection that are not answered yet",
  },
  stalledMs: {
    default: 60_000,
    most: 600_000,
    unit: "ms",
    means: "a connection that is not at rest, and on which nothing moves",
  },
  unsentBytes: {
    default: 67_108_864,
    most: 1_073_741_824,
    unit: "bytes",
    means: "answers to one tenant that it has not read",
  },
  shutdownMs: {
    default: 10_000,
    most: 300_000,
    unit: "ms",
    means: "for what is in flight when the server ends",
  },
} as const satisfies { readonly [name: string]: ServerLimitRow };

export type HttpLimits = { readonly [Name in keyof typeof httpLimitTable]: number };

/**
 * Characters of answers to one request that asks for many decisions. What would come on top is refused, and not decided:
 * each answer may have several megabytes, and all of them are in memory until the last one is there.
 */
export const maxAnswerChars = 16_777_216;

/**
 * Fills in defaults, and holds what is given to the table.
 *
 * @throws {HookwardenError} `option-invalid`
 */
export function limitsFrom<Name extends string>(
  table: { readonly [name in Name]: ServerLimitRow },
  given: { readonly [name in Name]?: number } = {},
  base?: { readonly [name in Name]: number },
): { readonly [name in Name]: number } {
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(table, name))
      throw new HookwardenError(
        "option-invalid",
        `there is no limit \`${name}\`${didYouMean(name, Object.keys(table))}`,
      );
  }
  const entries = (Object.keys(table) as Name[]).map((name): [Name, number] => {
    const value = given[name] ?? base?.[name] ?? table[name].default;
    if (!Number.isSafeInteger(value) || value < 1 || value > table[name].most) {
      throw new HookwardenError(
        "option-invalid",
        `the limit \`${name}\` must be a whole number from 1 to ${table[name].most}`,
      );
    }
    return [name, value];
  });
  return Object.fromEntries(entries) as { readonly [name in Name]: number };
}
