import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { dirname, join } from "node:path";
import type { ContainmentMode } from "@hookwarden/sandbox";
import { nearestModules, runChild, readLines } from "../../compile/index.ts";
import type { TypeProblem, TypesJob } from "./protocol.ts";

export type { TypeProblem } from "./protocol.ts";

/** What came of a check of types: problems, or why there was none. */
export type TypesReport =
  | { readonly checked: true; readonly problems: readonly TypeProblem[] }
  | { readonly checked: false; readonly why: string };

export interface TypesOptions {
  /** Folders that packages may come from. Default: as for bundling. */
  readonly nodeModules?: readonly string[];
  /** Time, in milliseconds. Default 60,000. */
  readonly wallMs?: number;
  /** Resident memory of the compiler, in MiB. Default 512. */
  readonly childMemoryMb?: number;
  /** The compiler's module; `null` for none. Default: the one that is installed beside hookwarden. */
  readonly compiler?: string | null;
  /** Walls of the operating system around the compiler. Default: those of the process. */
  readonly containment?: ContainmentMode;
}

/** Most bytes that the compiler may answer. */
const answerBytes = 16_777_216;

/**
 * Checks the types of the scripts of a pack with the TypeScript that is installed beside hookwarden, in a child process
 * that may write nothing, start nothing, and is killed when it reaches its limit of time or memory. The compiler is looked for from hookwarden's
 * own place, never from the pack's: one that came with a pack would be a stranger's code outside of any sandbox.
 *
 * @param root real path of the pack.
 * @param scripts paths of the scripts, from the root.
 */
export async function checkTypes(
  root: string,
  scripts: readonly string[],
  { nodeModules, wallMs = 60_000, childMemoryMb, compiler = findCompiler(), containment }: TypesOptions = {},
): Promise<TypesReport> {
  const typed = scripts.filter((path) => /\.[cm]?ts$/.test(path));
  if (typed.length === 0) return { checked: true, problems: [] };
  if (compiler === null) {
    return {
      checked: false,
      why: "TypeScript is not installed beside hookwarden; `npm install typescript` puts it there",
    };
  }
  const major = majorVersion(compiler);
  if (major >= firstWithoutApi) {
    const why = `TypeScript ${major} has no compiler API; \`npm install --save-dev typescript@6\` next to hookwarden brings one`;
    return { checked: false, why };
  }
  const helpers = helperTypes();
  if (helpers === null) return { checked: false, why: "the types of `hookwarden/hook` are not there" };
  const job: TypesJob = {
    compiler,
    root,
    scripts: typed,
    moduleFolders: nodeModules ?? (await nearestModules(root)),
    helpers,
  };
  const { output, problem } = await runChild(childFile(), `${JSON.stringify(job)}\n`, {
    wallMs,
    outputBytes: answerBytes,
    memoryMb: childMemoryMb,
    nodeArguments: ["--permission", "--allow-fs-read=*"],
    reads: [root, ...job.moduleFolders, dirname(dirname(compiler))],
    packages: ["@jridgewell/trace-mapping"],
    containment,
  });
  const [problems] = readLines<readonly TypeProblem[]>(output);
  if (problems) return { checked: true, problems };
  return { checked: false, why: `the compiler gave no answer: ${problem ?? "it ended without one"}` };
}

/** First version of TypeScript that cannot be called from a program. */
const firstWithoutApi = 7;

/** Version of the package that a compiler's module belongs to; 0 where that is unknown. */
function majorVersion(compiler: string): number {
  try {
    const manifest = readFileSync(join(dirname(compiler), "..", "package.json"), "utf8");
    return Number.parseInt(String((JSON.parse(manifest) as { readonly version?: unknown }).version), 10) || 0;
  } catch {
    return 0;
  }
}

function findCompiler(): string | null {
  try {
    return createRequire(import.meta.url).resolve("typescript");
  } catch {
    return null;
  }
}

/** The types of `hookwarden/hook`: our source, or what was made of it for the package. */
function helperTypes(): string | null {
  const source = import.meta.url.endsWith(".ts");
  const file = fileURLToPath(new URL(source ? "../../hook/index.ts" : "./hook.d.ts", import.meta.url));
  return existsSync(file) ? file : null;
}

/** Here the sources run as they are; in the package there is one file for each process. */
function childFile(): string {
  const source = import.meta.url.endsWith(".ts");
  return fileURLToPath(new URL(source ? "./child.ts" : "./types-child.js", import.meta.url));
}
