/** A number that a host may set, and how far. */
export interface ChildLimitRow {
  readonly default: number;
  readonly minimum: number;
  readonly ceiling: number;
  readonly unit: string;
  readonly means: string;
}

/** What a child process that bundles, type-checks or lints scripts may take. The host sets it. */
export const childLimits = {
  childMemoryMb: {
    default: 512,
    minimum: 128,
    ceiling: 65_536,
    unit: "MiB",
    means: "resident memory of a bundler, type checker or linter, with all processes that it starts",
  },
} as const satisfies Record<string, ChildLimitRow>;
