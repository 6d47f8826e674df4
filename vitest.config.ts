import { defineConfig } from "vitest/config";

const here = (path: string): string => new URL(path, import.meta.url).pathname;

const report = process.env["HOOKWARDEN_TEST_REPORT"];

export default defineConfig({
  resolve: {
    alias: [
      { find: "hookwarden/hook", replacement: here("./src/hook/index.ts") },
      { find: "hookwarden/mcp", replacement: here("./src/adapters/mcp/index.ts") },
      { find: "hookwarden/sandbox", replacement: here("./sandbox/index.ts") },
      { find: /^hookwarden$/, replacement: here("./src/index.ts") },
    ],
  },
  test: {
    include: ["test/**/*.test.ts"],
    typecheck: { enabled: true, include: ["test/**/*.test-d.ts"], tsconfig: "./tsconfig.json" },
    pool: "forks",
    // Much of a test's time is spent waiting for processes that it has started, so every core gets a worker.
    maxWorkers: "100%",
    // isolated-vm needs it in every process that loads it.
    execArgv: ["--no-node-snapshot"],
    // The report that the closing line of a check run is made from.
    reporters: report ? ["default", "json"] : ["default"],
    ...(report ? { outputFile: { json: report } } : {}),
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
