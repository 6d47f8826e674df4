/** Preloaded by examples under test: what they import of this package comes from its sources, not from a build. */
import { registerHooks } from "node:module";

const entries: ReadonlyMap<string, string> = new Map([
  ["hookwarden", "../../src/index.ts"],
  ["hookwarden/ai-sdk", "../../src/adapters/ai-sdk/index.ts"],
  ["hookwarden/langchain", "../../src/adapters/langchain/index.ts"],
  ["hookwarden/client", "../../src/client/index.ts"],
  ["hookwarden/openai-agents", "../../src/adapters/openai-agents/index.ts"],
  ["hookwarden/server", "../../src/server/index.ts"],
]);

registerHooks({
  resolve: (specifier, context, next) => {
    const entry = entries.get(specifier);
    return entry === undefined
      ? next(specifier, context)
      : { url: new URL(entry, import.meta.url).href, shortCircuit: true };
  },
});
