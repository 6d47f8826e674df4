import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { parseArgs } from "node:util";
import { playgroundPage } from "./page.ts";

/** Builds the playground: `node packages/playground/scripts/build-playground.ts [--out FILE]`, by default into the package's `dist/`. */
const { values } = parseArgs({
  options: { out: { type: "string", default: "packages/playground/dist/playground.html" } },
});
const file = resolve(values.out);
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, await playgroundPage());
