import { readFileSync } from "node:fs";
import { transformSync } from "esbuild";

const source = new URL("../../sandbox/src/guest/prelude.js", import.meta.url);

/** The prelude as one expression. Minified, because an engine keeps the text of every function, and so does every image. */
export function preludeText(): string {
  // The prelude is one expression; assigned to something, it is not taken for dead code.
  const text = readFileSync(source, "utf8").replace(/^\(function/m, "prelude = (function");
  const { code } = transformSync(text, { minify: true, target: "es2023" });
  return `(${code
    .trim()
    .replace(/^prelude=/, "")
    .replace(/;$/, "")})`;
}

/** The text of `sandbox/src/guest/generated/prelude.ts`: the prelude as a string, so that it can be bundled anywhere. */
export function preludeModule(): string {
  return [
    "// Generated from sandbox/src/guest/prelude.js by `npm run generate`.",
    `export const preludeSource: string = ${JSON.stringify(preludeText())};`,
    "",
  ].join("\n");
}
