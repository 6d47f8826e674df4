import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compileEach } from "../../src/compile/compile-scripts.ts";
import { HookwardenError } from "../../src/errors/index.ts";
import { checkTypes } from "../../src/check/types/index.ts";
import { writeFiles } from "./write-files.ts";
import type { Bomb } from "./compile-bombs.ts";
import { treePeak } from "./tree-peak.ts";

export interface BombResult {
  readonly kind: string;
  /** Most bytes that the child held with its descendants. */
  readonly peak: number;
  /** What was answered: `done`, or the message of the error. */
  readonly answer: string;
  readonly ms: number;
}

/** Gives a bomb to the child that it is for. */
export async function runBomb(bomb: Bomb, childMemoryMb: number, wallMs: number): Promise<BombResult> {
  let answer = "";
  const start = performance.now();
  const peak = await treePeak(async () => {
    answer = await (bomb.child === "types" ? typesOf : bundleOf)(bomb, childMemoryMb, wallMs);
  });
  return { kind: bomb.kind, peak, answer, ms: performance.now() - start };
}

async function bundleOf({ files }: Bomb, childMemoryMb: number, compileTimeoutMs: number): Promise<string> {
  const pack = new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)]));
  const options = { nodeModules: [], childMemoryMb, compileTimeoutMs };
  const [result] = await compileEach(pack, [{ name: "h", path: "h/hook.ts" }], options);
  return result instanceof HookwardenError ? `${result.code}: ${result.message}` : "done";
}

async function typesOf({ files }: Bomb, childMemoryMb: number, wallMs: number): Promise<string> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "hookwarden-bomb-")));
  try {
    await writeFiles(root, files);
    const report = await checkTypes(root, ["h/hook.ts"], { nodeModules: [], childMemoryMb, wallMs });
    return report.checked ? "done" : report.why;
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}
