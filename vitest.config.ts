import { defineConfig } from "vitest/config";

const report = process.env["HOOKWARDEN_TEST_REPORT"];
/** Packages of ours are imported as sources: the condition of `exports` that the published packages do not use. */
const source = "hookwarden-source";
const conditions = [source, "module", "node", "development|production"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: [source, "node"] } },
  test: {
    include: ["test/**/*.test.ts", "{sandbox,policies}/test/**/*.test.ts", "packages/*/test/**/*.test.ts"],
    typecheck: {
      enabled: true,
      include: ["test/**/*.test-d.ts", "packages/*/test/**/*.test-d.ts"],
      tsconfig: "./tsconfig.json",
    },
    pool: "forks",
    // Much of a test's time is spent waiting for processes that it has started, so every core gets a worker.
    maxWorkers: "100%",
    // isolated-vm needs the first one in every process that loads it.
    execArgv: ["--no-node-snapshot", `--conditions=${source}`],
    // For the programs that tests start.
    env: { NODE_OPTIONS: `--conditions=${source}` },
    // The report that the closing line of a check run is made from.
    reporters: report ? ["default", "json"] : ["default"],
    ...(report ? { outputFile: { json: report } } : {}),
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
