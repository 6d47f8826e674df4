/** The commands that this package brings to the command line, each loaded when it is called. */
export const commands = {
  degraded: () => import("./degraded.ts"),
  serve: () => import("./serve.ts"),
};
