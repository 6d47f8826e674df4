/** A number that a manifest may set, and how far. */
export interface BudgetRow {
  readonly default: number;
  readonly minimum: number;
  readonly ceiling: number;
  readonly unit: string;
  readonly means: string;
}

/** What a pack may spend on one event: `budgets` of hookwarden.json. */
export const budgetTable = {
  decisionMs: {
    default: 1_000,
    minimum: 1,
    ceiling: 60_000,
    unit: "milliseconds",
    means: "time of a whole decision by the clock; guards that do not get to run are faults",
  },
  maxHooks: {
    default: 100,
    minimum: 1,
    ceiling: 1_000,
    unit: "hooks",
    means: "most hooks that may run for one event",
  },
  injectionBytes: {
    default: 65_536,
    minimum: 0,
    ceiling: 4_194_304,
    unit: "bytes of UTF-8",
    means: "`inject`, `add_context` and `augment` of all hooks together",
  },
} as const satisfies Record<string, BudgetRow>;

/** `state` of hook.json. */
export const stateLimits = {
  maxBytes: {
    minimum: 1,
    ceiling: 1_048_576,
    unit: "bytes of UTF-8",
    means: "largest state, as JSON",
  },
} as const;

/** Size limits of a manifest. */
export const manifestLimits = {
  /** Hooks of a pack. */
  hooks: 1_000,
  /** Entries of `on`. */
  subscriptions: 64,
  /** Entries of `reads`. */
  reads: 256,
  readLength: 512,
  matcherLength: 512,
  pathLength: 512,
  versionLength: 256,
  descriptionLength: 1_024,
  priority: { minimum: -1_000, maximum: 1_000, default: 100 },
} as const;
