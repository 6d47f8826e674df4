import { readFileSync } from "node:fs";
import { transformSync } from "esbuild";

const source = new URL("../../sandbox/guest/prelude.js", import.meta.url);

/**
 * The text of `sandbox/guest/generated/prelude.ts`: the prelude as a string, so that it can be bundled anywhere.
 * Minified, because an engine keeps the text of every function, and every memory image carries it.
 */
export function preludeModule(): string {
  // The prelude is one expression; assigned to something, it is not taken for dead code.
  const text = readFileSync(source, "utf8").replace(/^\(function/m, "prelude = (function");
  const { code } = transformSync(text, { minify: true, target: "es2023" });
  return [
    "// Generated from sandbox/guest/prelude.js by `npm run generate`.",
    `export const preludeSource: string = ${JSON.stringify(
      `(${code
        .trim()
        .replace(/^prelude=/, "")
        .replace(/;$/, "")})`,
    )};`,
    "",
  ].join("\n");
}
