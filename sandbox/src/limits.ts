/** Meaning and range of one limit. */
export interface LimitRow {
  readonly default: number;
  /** The most that a manifest may ask for; a host can lower it, never raise it. */
  readonly ceiling: number;
  readonly minimum: number;
  readonly unit: string;
  readonly means: string;
}

/** Every limit of a sandboxed call, in one place. */
export const limitTable = {
  steps: {
    default: 5_000_000,
    ceiling: 500_000_000,
    minimum: 10_000,
    unit: "engine steps",
    means:
      "work of one call, in QuickJS's interrupt units; the same on every machine (quickjs only). A match of a regular expression counts in units of 10,000 steps, rounded down",
  },
  wallMs: {
    default: 100,
    ceiling: 10_000,
    minimum: 1,
    unit: "milliseconds",
    means: "time of one call by the clock",
  },
  memoryKb: {
    default: 8_192,
    ceiling: 131_072,
    minimum: 1_024,
    unit: "KiB",
    means: "memory that one call may take",
  },
  stackKb: {
    default: 256,
    ceiling: 1_024,
    minimum: 64,
    unit: "KiB",
    means: "call stack of the guest; less where quickjs runs in the host's own process, or on Windows",
  },
  inputBytes: {
    default: 1_048_576,
    ceiling: 8_388_608,
    minimum: 1_024,
    unit: "bytes of UTF-8",
    means: "the event as the hook sees it, with its context",
  },
  outputBytes: {
    default: 262_144,
    ceiling: 4_194_304,
    minimum: 256,
    unit: "bytes of UTF-8",
    means: "the answer as JSON, held while it is serialised",
  },
  outputDepth: {
    default: 32,
    ceiling: 128,
    minimum: 4,
    unit: "levels",
    means: "how deep arrays and objects of the answer nest",
  },
  logBytes: {
    default: 8_192,
    ceiling: 65_536,
    minimum: 0,
    unit: "bytes of UTF-8",
    means: "console output of one call; the rest is dropped and counted",
  },
} as const satisfies Record<string, LimitRow>;

export type LimitName = keyof typeof limitTable;
export type Limits = { readonly [N in LimitName]: number };

export const limitNames = Object.keys(limitTable) as readonly LimitName[];

function column(of: "default" | "ceiling"): Limits {
  return Object.freeze(Object.fromEntries(limitNames.map((name) => [name, limitTable[name][of]]))) as Limits;
}

export const defaultLimits: Limits = column("default");
export const limitCeilings: Limits = column("ceiling");

/** Limits of the text of an answer that no manifest changes. */
export const answerLimits = {
  /** Most keys in all objects of an answer together. */
  keys: 10_000,
  /** Longest key, in UTF-16 code units. */
  keyLength: 256,
} as const;

/** Limits of loading a program. No manifest changes them. */
export const loadLimits = {
  /** Engine steps, or `limits.steps` where that is more. */
  steps: 50_000_000,
  /** Milliseconds, or `limits.wallMs` where that is more. */
  wallMs: 2_000,
  /** Bytes of the list of exported names. */
  replyBytes: 65_536,
  /** How long a program that ran out of time while it was loaded is not loaded again, in milliseconds. */
  retryMs: 1_000,
} as const;

/** Time that loading a program may take for a call, in milliseconds: its own limit, or the caller's remaining budget. */
export function loadMs({ limits, budgetMs = Infinity }: { limits: Limits; budgetMs?: number }): number {
  return Math.min(Math.max(limits.wallMs, loadLimits.wallMs), budgetMs);
}
