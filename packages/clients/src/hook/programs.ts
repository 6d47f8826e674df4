import { fileURLToPath } from "node:url";
import type { Programs } from "./program-paths.ts";

/** Where the programs are: beside each other in the package, in their folders in the sources. */
export function programs(): Programs & { readonly client: string } {
  const inSources = import.meta.url.endsWith(".ts");
  const path = (source: string, built: string): string =>
    fileURLToPath(new URL(inSources ? source : built, import.meta.url));
  return {
    client: path("./main.ts", "./agent-hook.js"),
    daemon: path("../daemon/main.ts", "./agent-hook-daemon.js"),
    decide: path("../daemon/decide-once.ts", "./agent-hook-decide.js"),
  };
}

/** What Node needs to run a program: sources find the packages that they import as sources too. */
export function nodeFlags(program: string): readonly string[] {
  return program.endsWith(".ts") ? ["--conditions=hookwarden-source"] : [];
}
