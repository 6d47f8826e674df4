/**
 * Set-up of each test file: what the children that compile and lint answered is kept for the rest of the run, keyed by
 * the content of their input and all limits. Hundreds of tests load the same few packs, and each load would start a
 * process. Tests of these children set `HOOKWARDEN_TEST_UNCACHED`, or call `vi.unmock` with the path of `run-child.ts`.
 */
import { createHash } from "node:crypto";
import { type Dirent, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inject, vi } from "vitest";
import type { ChildLimits, ChildResult } from "../../src/compile/run-child.ts";
import type { CompileJob } from "../../src/compile/compile-protocol.ts";
import type { LintJob } from "../../src/check/lint/lint-protocol.ts";

/** Set by tests that want a child for each job. */
const uncached = "HOOKWARDEN_TEST_UNCACHED";

const folder = join(inject("temporaryFolder"), "compiled");
mkdirSync(folder, { recursive: true });

/** Above this, hashing a folder costs more than it saves. */
const maxFiles = 400;

vi.mock(import("../../src/compile/run-child.ts"), async (importOriginal) => {
  const original = await importOriginal();
  const runChild = async (file: string, input: string, limits: ChildLimits): Promise<ChildResult> => {
    const job = cacheable(file, input, limits);
    const program = builtChild(file);
    if (job === null || process.env[uncached]) return original.runChild(program, input, limits);
    const path = join(folder, job.key);
    const kept = readKept(path);
    if (kept !== null) return { output: kept, problem: null };
    const result = await original.runChild(program, input, limits);
    const answers = result.output.split("\n").filter(Boolean);
    const isWhole =
      answers.length === job.answers && !answers.some((answer) => answer.includes('"ok":false'));
    if (result.problem === null && isWhole) {
      // Renamed into place, so that no other worker reads half of it.
      writeFileSync(`${path}.${process.pid}`, result.output);
      renameSync(`${path}.${process.pid}`, path);
    }
    return result;
  };
  return { ...original, runChild };
});

/** The built child, where it is of these sources: it starts in a third of the time. */
function builtChild(file: string): string {
  const name = inject("isBuilt") ? Object.keys(builtChildren).find((path) => file.endsWith(path)) : undefined;
  return name === undefined
    ? file
    : fileURLToPath(new URL(`../../dist/${builtChildren[name]}`, import.meta.url));
}

const builtChildren: Readonly<Record<string, string>> = {
  "/src/compile/compile-child.ts": "compile-child.js",
  "/src/check/lint/child.ts": "lint-child.js",
};

/** The key of a job, and the number of lines that answer it; `null` where the answer depends on more than is hashed. */
function cacheable(
  file: string,
  input: string,
  limits: ChildLimits,
): { readonly key: string; readonly answers: number } | null {
  if (file.endsWith("/lint/child.ts")) {
    return { key: digest([file, input, limits]), answers: (JSON.parse(input) as LintJob[]).length };
  }
  if (!file.endsWith("/compile/compile-child.ts")) return null;
  const { pack, ...job } = JSON.parse(input) as CompileJob;
  const content = typeof pack === "string" ? folderContent(pack) : pack;
  if (content === null) return null;
  // The folders that the child may read are those of the job; the pack's own differs from copy to copy.
  const { reads: _, ...rest } = limits;
  return { key: digest([file, content, job, rest]), answers: job.entries.length };
}

function digest(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex");
}

/** The files of a folder; `null` where there is a link, a package, or too much. */
function folderContent(folder: string): { readonly [path: string]: string } | null {
  const entries = listing(folder);
  if (entries === null || entries.length > maxFiles) return null;
  const content: { [path: string]: string } = {};
  for (const entry of entries) {
    if (entry.isDirectory() && entry.name !== "node_modules") continue;
    if (!entry.isFile()) return null;
    const path = join(entry.parentPath, entry.name);
    content[path.slice(folder.length)] = digest(readFileSync(path, "base64"));
  }
  return content;
}

function listing(folder: string): readonly Dirent[] | null {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true });
  } catch {
    return null;
  }
}

function readKept(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
