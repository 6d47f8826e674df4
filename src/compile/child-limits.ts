/** Resource limits of a child process that compiles, type-checks or lints scripts. Set by the host. */
export const childLimits = {
  childMemoryMb: {
    default: 512,
    minimum: 128,
    ceiling: 65_536,
    unit: "MiB",
    means: "resident memory of a bundler, type checker or linter, with all processes that it starts",
  },
} as const;
