import { fileURLToPath } from "node:url";
import type { BundledScript } from "../../pack/bundle.ts";
import { runChild } from "../../pack/run-child.ts";
import { readLines } from "../../pack/child-lines.ts";
import type { LintResult } from "./index.ts";
import type { LintAnswer, LintJob } from "./lint-protocol.ts";
import { lintTable } from "./table.ts";

export interface LintLimits {
  /** Time for one script, in milliseconds. Default 10,000. */
  readonly wallMs?: number;
  /** Time for the child to start, in milliseconds, beside that for the scripts. Default 5,000. */
  readonly startMs?: number;
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
 * Lints bundled scripts in a child process that may write nothing, start nothing, and is killed when its time is over.
 *
 * A script that takes longer than its time has one finding that says so.
 *
 * @returns what was found in each script, in order.
 */
export async function lintScripts(
  scripts: readonly Pick<BundledScript, "program" | "map">[],
  { wallMs = 10_000, startMs = 5_000 }: LintLimits = {},
): Promise<readonly LintResult[]> {
  const found = new Map<number, LintResult>();
  let waiting = [...scripts.keys()];
  while (waiting.length > 0) {
    for (const [index, result] of await lintSome(scripts, waiting, startMs + wallMs * waiting.length))
      found.set(index, result);
    const first = waiting.find((index) => !found.has(index));
    // They are looked at in order: the first one without an answer is the one that took too long.
    if (first !== undefined) found.set(first, unfinished(wallMs));
    waiting = waiting.filter((index) => !found.has(index));
  }
  return scripts.map((_, index) => found.get(index) ?? unfinished(wallMs));
}

async function lintSome(
  scripts: readonly Pick<BundledScript, "program" | "map">[],
  indexes: readonly number[],
  wallMs: number,
): Promise<readonly (readonly [number, LintResult])[]> {
  const jobs = indexes.flatMap((index): LintJob[] => {
    const script = scripts[index];
    return script ? [{ name: String(index), source: script.program.source, map: script.map }] : [];
  });
  const { output } = await runChild(childFile(), `${JSON.stringify(jobs)}\n`, {
    wallMs,
    outputBytes: answerBytes,
    nodeArguments: ["--permission", "--allow-fs-read=*"],
    packages,
  });
  return readLines<LintAnswer>(output).map(({ name, result }) => [Number(name), result]);
}

function unfinished(wallMs: number): LintResult {
  const message = `the program could not be looked through within ${wallMs} ms`;
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
