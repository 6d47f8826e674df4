/**
 * Measures how much of V8's stack the engine's recursion takes for each kilobyte of the guest's own, for many kinds of
 * recursion and both compilers of WebAssembly. `sandbox/src/quickjs/stack.ts` is made from the largest of them. Linux only:
 * the kernel says how far the main thread's stack has grown, so each kind runs in a process of its own.
 *
 *     npm run measure:stack
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createQuickjsSandbox } from "@hookwarden/sandbox/quickjs";
import { defaultLimits, limitCeilings } from "@hookwarden/sandbox";
import { recursions } from "./recursions.ts";

const stackKb = 256;
const levels = 20_000;
const compilers = { baseline: "--no-wasm-tier-up", optimizing: "--no-liftoff" } as const;

function usedStackKb(): number {
  const [, kb] = /VmStk:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
  return Number(kb);
}

/** In the child: runs one kind and writes what it took of V8's stack. */
async function measureHere(name: string): Promise<void> {
  const sandbox = await createQuickjsSandbox();
  const call = (source: string): unknown =>
    sandbox.call({
      program: { key: source, name: "hook.js", source },
      tenant: "",
      handler: "PreToolUse",
      args: ["{}", "{}"],
      time: 0,
      seed: [1, 2, 3, 4],
      limits: {
        ...defaultLimits,
        stackKb,
        wallMs: limitCeilings.wallMs,
        steps: limitCeilings.steps,
        memoryKb: limitCeilings.memoryKb,
      },
    });
  await call("export default () => 1;");
  const before = usedStackKb();
  await call(recursions[name]!(levels));
  process.stdout.write(String(usedStackKb() - before));
}

function measure(name: string, compiler: string): number {
  const script = fileURLToPath(import.meta.url);
  const node = [process.execPath, compiler, "--stack-size=200000", script, name];
  const { stdout, status } = spawnSync("/bin/sh", ["-c", 'ulimit -S -s 220000 && exec "$@"', "sh", ...node], {
    encoding: "utf8",
  });
  return status === 0 ? Number(stdout) : NaN;
}

const [, , kind] = process.argv;
if (kind !== undefined) await measureHere(kind);
else {
  const rows = Object.keys(recursions).map((name) => {
    const kb = Object.values(compilers).map((flag) => measure(name, flag));
    return { recursion: name, baseline: kb[0]! / stackKb, optimizing: kb[1]! / stackKb };
  });
  rows.sort((a, b) => Math.max(b.baseline, b.optimizing) - Math.max(a.baseline, a.optimizing));
  for (const { recursion, baseline, optimizing } of rows) {
    console.log(
      `${recursion.padEnd(28)} ${baseline.toFixed(1).padStart(6)} ${optimizing.toFixed(1).padStart(6)}`,
    );
  }
}
