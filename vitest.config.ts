import { globSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

const report = process.env["HOOKWARDEN_TEST_REPORT"];
/** Packages of ours are imported as sources: the condition of `exports` that the published packages do not use. */
const source = "hookwarden-source";
const conditions = [source, "module", "node", "development|production"];

const all = ["test", "sandbox/test", "policies/test", "packages/*/test"];
const quick = all.map((folder) => `${folder}/**/*.test.ts`);
/**
 * These wait for clocks, kill processes, open browsers, or are large: `npm run test:slow`, which is mode `slow`. It also
 * runs the properties again, with more examples than in `npm test`.
 */
const slow = all.map((folder) => `${folder}/**/*.slow.test.ts`);
const properties = globSync(quick).filter((file) => readFileSync(file, "utf8").includes("propertyRuns("));

export default defineConfig(({ mode }) => ({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: [source, "node"] } },
  test: {
    include: mode === "slow" ? [...slow, ...properties] : quick,
    exclude: ["**/node_modules/**", ...(mode === "slow" ? [] : slow)],
    globalSetup: ["./test/support/global-setup.ts"],
    setupFiles: ["./test/support/compile-cache.ts", "./test/support/built-programs.ts"],
    typecheck: {
      enabled: mode !== "slow",
      include: ["test/**/*.test-d.ts", "packages/*/test/**/*.test-d.ts"],
      tsconfig: "./tsconfig.json",
    },
    pool: "forks",
    // A worker keeps the modules that it has loaded, for the next file. Files of the slow suite end processes and replace
    // modules, so each gets a worker of its own.
    isolate: mode === "slow",
    // Much of a test's time is spent waiting for processes that it has started, so every core gets a worker.
    maxWorkers: "100%",
    // isolated-vm needs the first one in every process that loads it.
    execArgv: ["--no-node-snapshot", `--conditions=${source}`],
    // For the programs that tests start.
    env: {
      NODE_OPTIONS: `--conditions=${source}`,
      // Types are stripped once, not once for each of the many processes.
      NODE_COMPILE_CACHE: join(tmpdir(), "hookwarden-test-cache"),
      ...(mode === "slow" ? { HOOKWARDEN_PROPERTY_RUNS: "wide" } : {}),
    },
    // The report that the closing line of a check run is made from.
    reporters: report ? ["default", "json"] : ["default"],
    ...(report ? { outputFile: { json: report } } : {}),
    testTimeout: mode === "slow" ? 120_000 : 30_000,
    hookTimeout: 60_000,
  },
}));
