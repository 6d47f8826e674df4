/** The commands that this package brings to the command line, each loaded when it is called. */
export const commands = {
  clients: () => import("./clients.ts"),
  install: () => import("./install.ts"),
  uninstall: () => import("./uninstall.ts"),
  doctor: () => import("./doctor.ts"),
};
