import { copyFileSync, cpSync, mkdirSync, readdirSync } from "node:fs";
import { build } from "esbuild";
import { defineConfig } from "tsup";

const library = {
  index: "src/index.ts",
  hook: "src/hook/index.ts",
  sandbox: "sandbox/index.ts",
  testing: "src/testing/index.ts",
  review: "src/review/index.ts",
  server: "src/server/index.ts",
  client: "src/client/index.ts",
  nats: "src/server/nats/index.ts",
  "claude-agent-sdk": "src/adapters/claude-agent-sdk/index.ts",
  mcp: "src/adapters/mcp/index.ts",
  "ai-sdk": "src/adapters/ai-sdk/index.ts",
  langchain: "src/adapters/langchain/index.ts",
  "openai-agents": "src/adapters/openai-agents/index.ts",
};
/** Programs: the command line, and the scripts that child processes run. */
const programs = {
  cli: "src/cli/main.ts",
  "bundle-child": "src/pack/bundle-child.ts",
  "audit-worker": "src/server/sqlite/audit-worker.ts",
  "claude-code-daemon": "src/adapters/claude-code/daemon/main.ts",
  "claude-code-decide": "src/adapters/claude-code/daemon/decide-once.ts",
  "lint-child": "src/review/lint/child.ts",
  "types-child": "src/review/types/child.ts",
};

/**
 * Programs that share no files with others, because every file that is loaded takes its time: what starts for each call
 * of a tool, and what takes the place of a sandbox that had to be killed.
 */
const quick = {
  "claude-code-hook": "src/adapters/claude-code/client/main.ts",
  "sandbox-child": "sandbox/process/child.ts",
  "sandbox-nursery": "sandbox/process/nursery-main.ts",
};

/** Everything lies flat in `dist/`, so that a file finds its neighbours by name, in whatever chunk it ends up. */
export default defineConfig({
  entry: { ...library, ...programs },
  format: "esm",
  platform: "node",
  target: "node24",
  splitting: true,
  sourcemap: false,
  clean: true,
  dts: { entry: library },
  // What is optional is looked up when it is asked for.
  external: ["isolated-vm", "typescript", "ai", "langchain", /^@langchain\//, "@openai/agents"],
  // Some modules of Node, such as node:sqlite, have no other name.
  removeNodeProtocol: false,
  onSuccess: async () => {
    await build({
      entryPoints: quick,
      outdir: "dist",
      bundle: true,
      splitting: true,
      external: ["isolated-vm", "@jitl/*"],
      format: "esm",
      platform: "node",
      target: "node24",
      logLevel: "error",
    });
    cpSync("src/server/console/assets", "dist/console", { recursive: true });
    mkdirSync("dist/schemas", { recursive: true });
    for (const name of readdirSync("src/pack/generated")) {
      if (name.endsWith(".schema.json")) copyFileSync(`src/pack/generated/${name}`, `dist/schemas/${name}`);
    }
  },
});
