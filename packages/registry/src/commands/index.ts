/** The commands that this package brings to the command line, each loaded when it is called. */
export const commands = {
  push: () => import("./push.ts"),
  pull: () => import("./pull.ts"),
};
