/** The process that bundles scripts: one job on standard input, one answer a line on standard output, then it ends. */
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { stop } from "esbuild";
import { buildEntry } from "./build-entry.ts";
import { MountedFiles } from "./mounted-files.ts";
import { ImportResolver } from "./resolve-import.ts";
import type { CompileAnswer, CompileEntry, CompileJob } from "./compile-protocol.ts";
import { answerLine, onJob } from "./child-lines.ts";

/** Most programs that are built at the same time. */
const concurrency = 4;

/** The folder that holds our helpers for authors, and their main file in it: sources here, or what is made of them. */
function helpers(): { readonly folder: string; readonly entry: string } {
  const here = fileURLToPath(import.meta.url);
  const folder = dirname(here);
  if (here.endsWith(".ts")) return { folder: dirname(folder), entry: "/hookwarden/hook/index.ts" };
  return { folder, entry: "/hookwarden/hook.js" };
}

async function run(job: CompileJob): Promise<void> {
  const { folder, entry: helper } = helpers();
  const pack =
    typeof job.pack === "string"
      ? job.pack
      : new Map(Object.entries(job.pack).map(([path, bytes]) => [path, Buffer.from(bytes, "base64")]));
  const files = await MountedFiles.open(pack, job.nodeModules, folder);
  const resolver = new ImportResolver(files, helper);
  const build = (entry: CompileEntry): Promise<CompileAnswer | null> =>
    buildEntry(files, resolver, entry, job.maps);
  const left = await buildAll(job.entries, build);
  // esbuild died. Retry one at a time to find the script that killed it.
  for (const entry of left) {
    await stop();
    const failure = {
      message: "the bundler dies of it: it is nested very deeply, or needs too much memory",
      file: entry.path,
    };
    answerLine((await build(entry)) ?? { name: entry.name, ok: false, failure });
  }
  await stop();
}

/** Builds and answers; what is left is what had no answer because the bundler died. */
async function buildAll(
  entries: readonly CompileEntry[],
  build: (entry: CompileEntry) => Promise<CompileAnswer | null>,
): Promise<readonly CompileEntry[]> {
  const waiting = [...entries];
  const left: CompileEntry[] = [];
  const work = async (): Promise<void> => {
    for (let entry = waiting.shift(); entry; entry = waiting.shift()) {
      const result = left.length > 0 ? null : await build(entry);
      if (result) answerLine(result);
      else left.push(entry);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return left;
}

onJob(run);
