import { lstat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ContainmentMode } from "@hookwarden/sandbox";
import { JsonError, quote, readJson } from "@hookwarden/sandbox/json";
import { HookwardenError } from "../errors/index.ts";
import {
  type CompileAnswer,
  type CompiledModule,
  type CompileEntry,
  type CompileFailure,
  type CompileJob,
  compileLimits,
} from "./compile-protocol.ts";
import { sha256, folderSource } from "../files/index.ts";
import { type ChildLimits, runChild } from "./run-child.ts";
import type { MappedProgram } from "./source-place.ts";

export type { CompiledModule, CompileEntry } from "./compile-protocol.ts";

/** How scripts are made into programs. */
export interface CompileOptions {
  /**
   * Folders that npm packages may be loaded from, in addition to the pack's own `node_modules`. Default: the `node_modules` that
   * lies next to a `package.json` in the nearest folder above the pack, so that a pack inside a project can use what
   * the project has installed. `[]`: the pack's own only.
   */
  readonly nodeModules?: readonly string[];
  /** Time for bundling all scripts of a pack, in milliseconds. Default: 20,000, and 50 for each script. */
  readonly compileTimeoutMs?: number;
  /**
   * Resident memory of a child process that bundles, type-checks or lints, with all its descendants, in MiB. Above that
   * they are killed. Default 512.
   */
  readonly childMemoryMb?: number;
  /** Whether to make source maps that carry the texts of the sources. Default: no. */
  readonly maps?: boolean;
  /** Walls of the operating system around the bundler: `auto`, `required` or `none`. Default: those of the process. */
  readonly containment?: ContainmentMode;
}

/** A script and all that it imports, as one ES module. */
export interface CompiledScript {
  /** With a source map that has no texts. */
  readonly program: MappedProgram;
  /** Source map (version 3) with the texts of the sources, as JSON text; `null` where none was asked for, or where it is too large. */
  readonly map: string | null;
  /** The files that went into it. */
  readonly modules: readonly CompiledModule[];
}

/** What came of a job: an answer for each script, and why the compiler ended early, if it did. */
export interface CompileResult {
  readonly answers: readonly CompileAnswer[];
  readonly problem: string | null;
}

/** Answers a job from what was compiled before, or calls `compile`. `child` is the program that compiles. */
export type CompileCache = (
  child: string,
  job: CompileJob,
  compile: () => Promise<CompileResult>,
) => Promise<CompileResult>;

let cache: CompileCache = (_, __, compile) => compile();

/** Sets the cache of this process, and returns the one before. Default: none. */
export function setCompileCache(next: CompileCache): CompileCache {
  const before = cache;
  cache = next;
  return before;
}

/**
 * Bundles scripts of one pack, all in one child process that is killed when its time is over.
 *
 * `pack` is the folder, or the files by relative path. Answers one program for each entry, in order.
 *
 * @throws {HookwardenError} `load-failed` with file, line and column of the first script that cannot be bundled, or with
 * the limit of time or memory that was reached
 */
export async function compileScripts(
  pack: string | ReadonlyMap<string, Uint8Array>,
  entries: readonly CompileEntry[],
  options: CompileOptions = {},
): Promise<readonly CompiledScript[]> {
  const results = await compileEach(pack, entries, options);
  return results.map((result) => {
    if (result instanceof HookwardenError) throw result;
    return result;
  });
}

/** As `compileScripts`, with an error in the place of each script that cannot be bundled. */
export async function compileEach(
  pack: string | ReadonlyMap<string, Uint8Array>,
  entries: readonly CompileEntry[],
  options: CompileOptions = {},
): Promise<readonly (CompiledScript | HookwardenError)[]> {
  if (entries.length === 0) return [];
  // The child works in another folder, so that a relative path would mean something else there.
  const root = typeof pack === "string" ? (await folderSource(pack)).root : null;
  const modules = options.nodeModules ?? (root === null ? [] : await nearestModules(root));
  const job: CompileJob = {
    pack: root ?? inBase64(pack as ReadonlyMap<string, Uint8Array>),
    nodeModules: await Promise.all(modules.map(async (folder) => (await folderSource(folder)).root)),
    entries,
    maps: options.maps ?? false,
  };
  const limits: ChildLimits = {
    wallMs: options.compileTimeoutMs ?? 20_000 + 50 * entries.length,
    outputBytes: compileLimits.answerBytes,
    memoryMb: options.childMemoryMb,
    reads: [...(root === null ? [] : [root]), ...job.nodeModules],
    packages: ["esbuild", "enhanced-resolve", "acorn", "@jridgewell/trace-mapping"],
    startsProcesses: true,
    containment: options.containment,
  };
  const child = childFile();
  const { answers: list, problem } = await cache(child, job, async () => {
    const ran = await runChild(child, `${JSON.stringify(job)}\n`, limits);
    const found = ran.output.split("\n").map((line) => (line === "" ? null : readAnswer(line)));
    return { answers: found.filter((answer) => answer !== null), problem: ran.problem };
  });
  const answers = new Map(list.map((answer) => [answer.name, answer]));
  return entries.map((entry) => {
    const answer = answers.get(entry.name);
    if (answer?.ok) return compiledScript(answer, job.maps);
    return failure(entry, answer?.failure ?? allFailed(problem, entries.length - answers.size));
  });
}

/** The bundler was killed: only where one script is left is it known for which one. */
function allFailed(problem: string | null, scripts: number): CompileFailure {
  const message = problem ?? "the bundler ended without an answer";
  return { message: scripts === 1 ? message : `${message} (while it bundled ${scripts} scripts at a time)` };
}

function compiledScript(
  { name, source, map, modules }: CompileAnswer & { ok: true },
  whole: boolean,
): CompiledScript {
  const places = whole && map !== null ? withoutTexts(map) : map;
  const program: MappedProgram = { key: sha256(source), name, source, map: places };
  return { program, map: whole ? map : null, modules };
}

function withoutTexts(map: string): string | null {
  const { sourcesContent: _, ...rest } = JSON.parse(map) as { readonly sourcesContent?: unknown };
  const text = JSON.stringify(rest);
  return Buffer.byteLength(text) > compileLimits.placeMapBytes ? null : text;
}

function failure(entry: CompileEntry, { message, file, line, column }: CompileFailure): HookwardenError {
  return new HookwardenError(
    "load-failed",
    `the script of ${quote(entry.name)} does not compile: ${plainError(message)}`,
    {
      file: file ?? entry.path,
      ...(line === undefined ? {} : { line }),
      ...(column === undefined ? {} : { column }),
    },
  );
}

/** An esbuild message, which can quote untrusted source text: on one line, without invisible characters. */
function plainError(message: string): string {
  return message.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, " ").slice(0, 400);
}

/** The child is ours, but the native program in it has read strangers' files: its answer is checked like theirs. */
function readAnswer(line: string): CompileAnswer | null {
  try {
    const limits = { maxDepth: 8, maxKeys: 20_000, maxKeyLength: 64 };
    const answer = readJson(line, limits) as CompileAnswer;
    const complete =
      typeof answer?.name === "string" &&
      (answer.ok === true
        ? typeof answer.source === "string" &&
          (answer.map === null || typeof answer.map === "string") &&
          Array.isArray(answer.modules)
        : typeof answer.failure?.message === "string");
    return complete ? answer : null;
  } catch (error) {
    if (error instanceof JsonError) return null;
    throw error;
  }
}

function inBase64(files: ReadonlyMap<string, Uint8Array>): { readonly [path: string]: string } {
  return Object.fromEntries([...files].map(([path, bytes]) => [path, Buffer.from(bytes).toString("base64")]));
}

/** Here the sources run as they are; in the package there is one file for each process. */
function childFile(): string {
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  return fileURLToPath(new URL(`./compile-child.${extension}`, import.meta.url));
}

/** The `node_modules` next to a `package.json` in the nearest folder above a pack; empty if there is none. */
export async function nearestModules(pack: string): Promise<readonly string[]> {
  for (let folder = dirname(pack); ; folder = dirname(folder)) {
    const modules = join(folder, "node_modules");
    if ((await isKind(join(folder, "package.json"), "isFile")) && (await isKind(modules, "isDirectory")))
      return [modules];
    if (folder === dirname(folder)) return [];
  }
}

async function isKind(path: string, kind: "isFile" | "isDirectory"): Promise<boolean> {
  try {
    return (await lstat(path))[kind]();
  } catch {
    return false;
  }
}
