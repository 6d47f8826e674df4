/** Copies the pages, the playground and the pictures to where VitePress reads them. */
import { copyFileSync, cpSync, existsSync, mkdirSync, rmSync } from "node:fs";

const root = new URL("../", import.meta.url);
const source = new URL("site/source/", root);
const playground = new URL("packages/playground/dist/playground.html", root);
if (!existsSync(playground))
  throw new Error("build the playground first: run `npm run build:playground` in the root");
rmSync(source, { recursive: true, force: true });
cpSync(new URL("docs/", root), source, { recursive: true });
mkdirSync(new URL("public/", source));
copyFileSync(playground, new URL("public/playground.html", source));
copyFileSync(new URL("images/overview.svg", source), new URL("public/overview.svg", source));
