import { defineConfig } from "vitest/config";

const here = (path: string): string => new URL(path, import.meta.url).pathname;

export default defineConfig({
  resolve: {
    alias: [
      { find: "hookwarden/hook", replacement: here("./src/hook/index.ts") },
      { find: "hookwarden/sandbox", replacement: here("./sandbox/index.ts") },
      { find: /^hookwarden$/, replacement: here("./src/index.ts") },
    ],
  },
  test: {
    include: ["test/**/*.test.ts"],
    typecheck: { enabled: true, include: ["test/**/*.test-d.ts"], tsconfig: "./tsconfig.json" },
    pool: "forks",
    // isolated-vm needs it in every process that loads it.
    execArgv: ["--no-node-snapshot"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
