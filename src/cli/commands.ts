import { commandOf } from "./installed.ts";
import type { CommandModule } from "./command-module.ts";

/** One command of the command line. */
export interface CommandRow {
  readonly name: string;
  readonly summary: string;
  /** Whether it starts child processes, and so has `--containment`. */
  readonly contains?: true;
  /** Whether it needs the options of all other commands. */
  readonly needsAll?: true;
  /** Loads the command's module: only the command that was called is loaded, so that starting stays quick. */
  load(): Promise<CommandModule>;
}

/** Every command, in the order of the help. Adding one is a row here and a file in `commands/`, here or in the package that the row names. */
export const commandTable: readonly CommandRow[] = [
  {
    name: "init",
    summary: "create a pack, or add a hook to a pack",
    load: () => import("./commands/init.ts"),
  },
  {
    name: "check",
    summary: "check manifests, scripts, matchers, paths and cases",
    contains: true,
    load: () => import("./commands/check.ts"),
  },
  {
    name: "test",
    summary: "run the cases of a pack through the whole pipeline",
    contains: true,
    load: () => commandOf("@hookwarden/testing", "test"),
  },
  {
    name: "run",
    summary: "decide events with a pack",
    contains: true,
    load: () => import("./commands/run.ts"),
  },
  {
    name: "try",
    summary: "run one bare script on events",
    contains: true,
    load: () => import("./commands/try.ts"),
  },
  {
    name: "explain",
    summary: "show which hooks run at an event, and what they may do",
    contains: true,
    load: () => import("./commands/explain.ts"),
  },
  {
    name: "log",
    summary: "verify the integrity of a decision log",
    load: () => import("./commands/log.ts"),
  },
  {
    name: "replay",
    summary: "replay a decision log, and report differences",
    contains: true,
    load: () => import("./commands/replay.ts"),
  },
  {
    name: "bundle",
    summary: "build a signed bundle from a pack",
    contains: true,
    load: () => import("./commands/bundle.ts"),
  },
  {
    name: "verify",
    summary: "verify a bundle or a replay certificate",
    contains: true,
    load: () => import("./commands/verify.ts"),
  },
  {
    name: "push",
    summary: "push a bundle to an OCI registry",
    load: () => commandOf("@hookwarden/registry", "push"),
  },
  {
    name: "pull",
    summary: "pull a bundle from an OCI registry, and verify it",
    load: () => commandOf("@hookwarden/registry", "pull"),
  },
  {
    name: "keygen",
    summary: "create a key for signing bundles",
    load: () => import("./commands/keygen.ts"),
  },
  {
    name: "diff",
    summary: "compare how two versions of a pack behave",
    contains: true,
    load: () => commandOf("@hookwarden/testing", "diff"),
  },
  {
    name: "review",
    summary: "review what a hook can do and does, before it is installed",
    contains: true,
    load: () => commandOf("@hookwarden/review", "review"),
  },
  {
    name: "bench",
    summary: "measure hooks, and estimate at which size they hit a limit",
    contains: true,
    load: () => commandOf("@hookwarden/testing", "bench"),
  },
  {
    name: "serve",
    summary: "serve decisions to many tenants over HTTP",
    contains: true,
    load: () => commandOf("@hookwarden/server", "serve"),
  },
  {
    name: "degraded",
    summary: "let a tenant's failing hooks ask a person for a while",
    load: () => commandOf("@hookwarden/server", "degraded"),
  },
  {
    name: "clients",
    summary: "list agent clients, their versions and their hooks",
    load: () => commandOf("@hookwarden/clients", "clients"),
  },
  {
    name: "install",
    summary: "let a pack decide the hook events of agent clients",
    load: () => commandOf("@hookwarden/clients", "install"),
  },
  {
    name: "uninstall",
    summary: "remove hookwarden from the hooks of agent clients",
    load: () => commandOf("@hookwarden/clients", "uninstall"),
  },
  {
    name: "doctor",
    summary: "prove with the real agent clients that a denial holds",
    load: () => commandOf("@hookwarden/clients", "doctor"),
  },
  {
    name: "mcp",
    summary: "proxy an MCP server, and decide its tool calls",
    contains: true,
    load: () => commandOf("@hookwarden/mcp", "mcp"),
  },
  {
    name: "playground",
    summary: "open a page for editing hooks and trying them on events",
    load: () => commandOf("@hookwarden/playground", "playground"),
  },
  {
    name: "completion",
    summary: "print a completion script for a shell",
    needsAll: true,
    load: () => import("./commands/completion.ts"),
  },
];
