import { fileURLToPath } from "node:url";
import { type CompiledScript, type ChildLimits, runChild, readLines } from "../../compile/index.ts";
import type { LintResult } from "./index.ts";
import type { LintAnswer, LintJob } from "./lint-protocol.ts";
import { lintTable } from "./table.ts";

export interface LintLimits {
  /** Time for one script, in milliseconds. Default 10,000. */
  readonly wallMs?: number;
  /** Time for the child to start, in milliseconds, beside that for the scripts. Default 5,000. */
  readonly startMs?: number;
  /** Resident memory of the child, in MiB. Default 512. */
  readonly childMemoryMb?: number | undefined;
}

/** Most bytes that the child may answer. */
const answerBytes = 67_108_864;
/** What the child's program imports. */
const packages = [
  "@eslint-community/regexpp",
  "@jridgewell/trace-mapping",
  "acorn",
  "acorn-walk",
  "eslint-scope",
  "refa",
  "scslre",
];

/**
 * Lints bundled scripts in a child process that may write nothing, start nothing, and is killed when it reaches its limit of time or memory.
 *
 * A script that reaches a limit has one finding that names it.
 *
 * @returns what was found in each script, in order.
 */
export async function lintScripts(
  scripts: readonly Pick<CompiledScript, "program" | "map">[],
  { wallMs = 10_000, startMs = 5_000, childMemoryMb }: LintLimits = {},
): Promise<readonly LintResult[]> {
  const found = new Map<number, LintResult>();
  let waiting = [...scripts.keys()];
  while (waiting.length > 0) {
    const limits = { wallMs: startMs + wallMs * waiting.length, memoryMb: childMemoryMb };
    const { results, problem } = await lintSome(scripts, waiting, limits);
    for (const [index, result] of results) found.set(index, result);
    const first = waiting.find((index) => !found.has(index));
    // They are looked at in order: the first one without an answer is the one that reached the limit.
    if (first !== undefined) found.set(first, unfinished(problem));
    waiting = waiting.filter((index) => !found.has(index));
  }
  return scripts.map((_, index) => found.get(index) ?? unfinished(null));
}

async function lintSome(
  scripts: readonly Pick<CompiledScript, "program" | "map">[],
  indexes: readonly number[],
  limits: Pick<ChildLimits, "wallMs" | "memoryMb">,
): Promise<{
  readonly results: readonly (readonly [number, LintResult])[];
  readonly problem: string | null;
}> {
  const jobs = indexes.flatMap((index): LintJob[] => {
    const script = scripts[index];
    return script ? [{ name: String(index), source: script.program.source, map: script.map }] : [];
  });
  const { output, problem } = await runChild(childFile(), `${JSON.stringify(jobs)}\n`, {
    ...limits,
    outputBytes: answerBytes,
    nodeArguments: ["--permission", "--allow-fs-read=*"],
    packages,
  });
  const answers = readLines<LintAnswer>(output);
  return { results: answers.map(({ name, result }) => [Number(name), result]), problem };
}

function unfinished(problem: string | null): LintResult {
  const message = `the linter gave no answer: ${problem ?? "it ended without one"}`;
  const { severity } = lintTable["unparsable-code"];
  return {
    findings: [{ code: "unparsable-code", severity, message, place: {}, origin: "pack" }],
    usage: null,
  };
}

/** Here the sources run as they are; in the package there is one file for each process. */
function childFile(): string {
  const source = import.meta.url.endsWith(".ts");
  return fileURLToPath(new URL(source ? "./child.ts" : "./lint-child.js", import.meta.url));
}
