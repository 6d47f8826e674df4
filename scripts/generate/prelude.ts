import { readFileSync } from "node:fs";

const source = new URL("../../sandbox/guest/prelude.js", import.meta.url);

/** The text of `sandbox/guest/generated/prelude.ts`: the prelude as a string, so that it can be bundled anywhere. */
export function preludeModule(): string {
  const lines = readFileSync(source, "utf8")
    .split("\n")
    .filter((line) => !/^\s*\/\//.test(line) && line.trim() !== "");
  return [
    "// Generated from sandbox/guest/prelude.js by `npm run generate`.",
    // An expression, so that a call can be put behind it.
    `export const preludeSource: string = ${JSON.stringify(lines.join("\n").replace(/;$/, ""))};`,
    "",
  ].join("\n");
}
