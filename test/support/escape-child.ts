/** Bundles packs in this process, as the bundler's child does, so that one trace shows what all of them ask of the disk. */
import { readFileSync } from "node:fs";
import { stop } from "esbuild";
import { buildEntry } from "../../src/compile/build-entry.ts";
import { MountedFiles } from "../../src/compile/mounted-files.ts";
import { ImportResolver } from "../../src/compile/resolve-import.ts";

/** A pack, and the folders of packages and of our own files that are beside it. */
export interface EscapeJob {
  readonly pack: string;
  readonly modules: string;
  readonly own: string;
}

const jobs = JSON.parse(readFileSync(0, "utf8")) as readonly EscapeJob[];
for (const [index, { pack, modules, own }] of jobs.entries()) {
  const files = await MountedFiles.open(pack, [modules], own);
  const resolver = new ImportResolver(files, "/hookwarden/hook/index.ts");
  const answer = await buildEntry(files, resolver, { name: "h", path: "h/hook.ts" }, index % 4 < 2);
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
await stop();
