import { fileURLToPath } from "node:url";

/** Path of the fork server's program: beside this file in the sources, in `dist/` in the package. */
export function forkServerProgram(): string {
  const file = import.meta.url.endsWith(".ts") ? "./fork-server-main.ts" : "./sandbox-fork-server.js";
  return fileURLToPath(new URL(file, import.meta.url));
}
