import { cpSync, readFileSync } from "node:fs";
import { build } from "esbuild";
import { defineConfig, type Options } from "tsup";
import { nodeProblem } from "./src/cli/node-version.ts";

/** Oldest syntax in what is built: an old Node.js must be able to read the files, so that it can say that it is too old. */
const target = "node18";
/** At the top of every file, so that the first one that runs refuses an old Node.js with one sentence. */
const throwIfOld = `{const p=(${nodeProblem.toString()})();if(p!==null)throw Object.assign(new Error(p),{code:"node-too-old"})}`;
/** The same for programs, which print the sentence; 2 is the status at which an agent client refuses the tool. */
const exitIfOld = `{const p=(${nodeProblem.toString()})();if(p!==null){console.error(p);process.exit(2)}}`;

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly exports: Readonly<
    Record<string, string | { readonly "hookwarden-source": string; readonly default: string }>
  >;
}

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(`${folder}/package.json`, "utf8")) as Manifest;

/** What of the other packages is installed with a package, and what is optional: neither becomes part of it. */
const foreign = [/^[^./]/];

interface Package {
  readonly folder: string;
  /** Programs that start beside the library: child processes, threads, the command line. */
  readonly programs?: Readonly<Record<string, string>>;
  /**
   * Programs in one file each, our own packages included, because every file that is loaded takes its time, or because
   * the process may read nothing else.
   */
  readonly alone?: Readonly<Record<string, string>>;
  /** Entry points that run in hooks, where there is no Node.js: one file each, without the check of its version. */
  readonly guest?: Readonly<Record<string, string>>;
  /** Copies what is no code. */
  readonly assets?: () => void;
}

const packages: readonly Package[] = [
  {
    folder: ".",
    programs: { start: "src/cli/start.ts", "facts-thread": "src/facts/facts-thread.ts" },
    guest: { hook: "src/hook/index.ts" },
    alone: {
      cli: "src/cli/main.ts",
      "compile-child": "src/compile/compile-child.ts",
      "lint-child": "src/check/lint/child.ts",
      "types-child": "src/check/types/child.ts",
    },
    assets: () => cpSync("schemas/v1", "dist/schemas", { recursive: true }),
  },
  {
    folder: "sandbox",
    alone: {
      "sandbox-child": "src/process/child.ts",
      "sandbox-fork-server": "src/process/fork-server-main.ts",
    },
  },
  {
    folder: "packages/clients",
    programs: {
      "agent-hook-daemon": "src/daemon/main.ts",
      "agent-hook-decide": "src/daemon/decide-once.ts",
    },
    alone: { "agent-hook": "src/hook/main.ts" },
  },
  {
    folder: "packages/server",
    programs: { "audit-worker": "src/sqlite/audit-worker.ts" },
    assets: () =>
      cpSync("packages/server/src/console/assets", "packages/server/dist/console", { recursive: true }),
  },
  { folder: "packages/create-hookwarden", alone: { create: "src/create.ts" } },
  ...[
    "testing",
    "review",
    "registry",
    "client",
    "playground",
    "mcp",
    "mediator",
    "ai-sdk",
    "langchain",
    "openai-agents",
  ].map((name) => ({ folder: `packages/${name}` })),
];

/** The entry points of a package, as its manifest has them: name of the built file → source. */
function entriesOf(folder: string): Record<string, string> {
  const entries = Object.values(manifestOf(folder).exports).flatMap((one) =>
    typeof one === "string"
      ? []
      : [
          [
            one.default.replace(/^\.\/dist\/|\.js$/g, ""),
            `${folder}/${one["hookwarden-source"].slice(2)}`,
          ] as const,
        ],
  );
  return Object.fromEntries(entries);
}

const inFolder = (folder: string, files: Readonly<Record<string, string>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(files).map(([name, file]) => [name, `${folder}/${file}`]));

/** Everything lies flat in a package's `dist/`, so that a file finds its neighbours by name, in whatever chunk it is. */
function optionsOf({ folder, programs, alone, guest, assets }: Package): Options {
  const entries = entriesOf(folder);
  return {
    entry: { ...entries, ...inFolder(folder, programs) },
    outDir: `${folder}/dist`,
    format: "esm",
    platform: "node",
    target,
    // The client runs in browsers too.
    ...(folder === "packages/client" ? {} : { banner: { js: throwIfOld } }),
    splitting: true,
    sourcemap: false,
    clean: true,
    // The client of the server needs no other package: the types that it shares with it are written out.
    dts: {
      entry: entries,
      ...(folder === "packages/client" ? { resolve: [/^hookwarden/, /^@hookwarden\//] } : {}),
    },
    external: foreign,
    // Some modules of Node, such as node:sqlite, have no other name.
    removeNodeProtocol: false,
    onSuccess: async () => {
      if (alone) {
        await build({
          entryPoints: inFolder(folder, alone),
          outdir: `${folder}/dist`,
          bundle: true,
          splitting: true,
          conditions: ["hookwarden-source"],
          external: [
            ...Object.keys(manifestOf(".").dependencies).filter((name) => !name.startsWith("@hookwarden/")),
            "isolated-vm",
            "typescript",
            "@jitl/*",
          ],
          format: "esm",
          platform: "node",
          target,
          banner: { js: exitIfOld },
          logLevel: "error",
        });
      }
      if (guest) {
        const entryPoints = inFolder(folder, guest);
        await build({
          entryPoints,
          outdir: `${folder}/dist`,
          bundle: true,
          format: "esm",
          target,
          logLevel: "error",
        });
      }
      assets?.();
    },
  };
}

export default defineConfig(packages.map(optionsOf));
