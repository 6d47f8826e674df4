import { readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Call, Outcome, Program } from "../../src/contract.ts";
import { defaultLimits, type Limits } from "../../src/limits.ts";
import type { ProcessSandboxOptions } from "../../src/process/index.ts";

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

export const fakeEngine = path("./fakes/engine.ts");
export const missingEngine = path("./fakes/missing-engine.ts");
export const liar = path("./fakes/liar.ts");

/**
 * The machine that runs the tests may be busy: deadlines are wide, and only the tests of deadlines make them narrow. Without
 * containment: these tests are about the pool, and look at its children by their ids, which a PID namespace hides.
 */
export const patient: ProcessSandboxOptions = {
  engine: "quickjs",
  graceMs: 2_000,
  startMs: 30_000,
  containment: "none",
};

let programs = 0;

export function programOf(source = "", name = "hook.js"): Program {
  return { key: `program ${++programs}`, name, source };
}

const common = programOf();

export function callOf(handler: string, args: readonly string[] = [], more: Partial<Call> = {}): Call {
  const limits: Limits = { ...defaultLimits, ...more.limits };
  return { program: common, tenant: "t1", handler, args, time: 0, seed: [1, 2, 3, 4], ...more, limits };
}

export function limitsWith(limits: Partial<Limits>): Limits {
  return { ...defaultLimits, ...limits };
}

/** What a call said: its output parsed, or its fault's code. */
export function said(outcome: Outcome): unknown {
  if (!outcome.ok) return outcome.fault.code;
  return outcome.output === null ? null : JSON.parse(outcome.output);
}

/** Processes by the process that has started them, by /proc; zombies are counted. */
function processes(): { readonly pid: number; readonly parent: number }[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .flatMap((pid) => {
      try {
        const after = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ").at(-1)!;
        return [{ pid, parent: Number(after.split(" ")[1]) }];
      } catch {
        return [];
      }
    });
}

export function isForkServer(pid: number): boolean {
  try {
    return /\bfork-server-main\.ts|sandbox-fork-server\.js/.test(
      readFileSync(`/proc/${pid}/cmdline`, "latin1"),
    );
  } catch {
    return false;
  }
}

/** Nurseries of this process. */
export function forkServers(): number[] {
  return processes()
    .filter(({ pid, parent }) => parent === process.pid && isForkServer(pid))
    .map(({ pid }) => pid);
}

/** Child processes of this process and of its fork servers, without these. */
export function children(): number[] {
  const own = new Set([process.pid, ...forkServers()]);
  return processes()
    .filter(({ pid, parent }) => own.has(parent) && !own.has(pid))
    .map(({ pid }) => pid);
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits until something holds, at most ten seconds. */
export async function until(what: () => boolean): Promise<void> {
  for (const end = Date.now() + 10_000; !what(); await sleep(10)) {
    if (Date.now() > end) throw new Error("it did not come to hold");
  }
}
