import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { parseArgs } from "node:util";
import { playgroundPage } from "./playground/page.ts";

/** Builds the playground: `node scripts/build-playground.ts [--out FILE]`, by default into `dist/`. */
const { values } = parseArgs({ options: { out: { type: "string", default: "dist/playground.html" } } });
const file = resolve(values.out);
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, await playgroundPage());
