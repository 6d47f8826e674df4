/** The commands that this package brings to the command line, each loaded when it is called. */
export const commands = {
  test: () => import("./test.ts"),
  diff: () => import("./diff.ts"),
  bench: () => import("./bench.ts"),
};
