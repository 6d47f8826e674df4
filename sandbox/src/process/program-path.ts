import { fileURLToPath } from "node:url";

const files = {
  child: { source: "./child.ts", built: "./sandbox-child.js" },
  "fork-server": { source: "./fork-server-main.ts", built: "./sandbox-fork-server.js" },
} as const;

/** Path of a program that this package starts: beside this file in the sources, in `dist/` in the package. */
export function programPath(name: keyof typeof files): string {
  const { source, built } = files[name];
  return fileURLToPath(new URL(import.meta.url.endsWith(".ts") ? source : built, import.meta.url));
}
