import { commandOf } from "./installed.ts";
import type { CommandModule } from "./command-module.ts";

/** One command of the command line. */
export interface CommandRow {
  readonly name: string;
  readonly summary: string;
  /** Whether it starts child processes, and so has `--containment`. */
  readonly contains?: true;
  /** Loads the command's module: only the command that was called is loaded, so that starting stays quick. */
  load(): Promise<CommandModule>;
}

/** Every command, in the order of the help. Adding one is a row here and a file in `commands/`, here or in the package that the row names. */
export const commandTable: readonly CommandRow[] = [
  {
    name: "init",
    summary: "make a new pack, or a new hook in a pack",
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
    summary: "tell which hooks run at an event, and what they may do",
    contains: true,
    load: () => import("./commands/explain.ts"),
  },
  {
    name: "log",
    summary: "check that a decision log is whole",
    load: () => import("./commands/log.ts"),
  },
  {
    name: "replay",
    summary: "make logged decisions again, and compare them",
    contains: true,
    load: () => import("./commands/replay.ts"),
  },
  {
    name: "bundle",
    summary: "make a signed bundle of a pack",
    contains: true,
    load: () => import("./commands/bundle.ts"),
  },
  {
    name: "verify",
    summary: "check a bundle, or the certificate of a replay",
    contains: true,
    load: () => import("./commands/verify.ts"),
  },
  {
    name: "keygen",
    summary: "make a key for signing bundles",
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
    summary: "measure hooks, and foretell at which size they reach a limit",
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
    name: "claude-code",
    summary: "decide what Claude Code sends to its hooks",
    load: () => commandOf("@hookwarden/clients", "claude-code"),
  },
  {
    name: "mcp",
    summary: "stand between an MCP client and an MCP server",
    contains: true,
    load: () => commandOf("@hookwarden/mcp", "mcp"),
  },
  {
    name: "playground",
    summary: "a page in which hooks and events are edited and decided",
    load: () => commandOf("@hookwarden/playground", "playground"),
  },
];
