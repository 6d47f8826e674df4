import type { EngineName, Sandbox } from "@hookwarden/sandbox";
import { settingsOf } from "@hookwarden/sandbox/process";
import { HookwardenError } from "hookwarden/errors";
import type { LoadOptions } from "hookwarden/pack";
import { createSandbox } from "hookwarden/warden";
import type { Coverage } from "./cover/index.ts";
import {
  type CaseResult,
  inParallel,
  runCase,
  loadSuite,
  SinglePacks,
  type Suite,
  type SuiteHook,
} from "hookwarden/check";

/** On which engines cases run. */
export type TestEngine = EngineName | "both";

export interface TestOptions {
  /** Default: every engine that is installed. */
  readonly engine?: TestEngine;
  /** Only cases whose `hook: name` contains this text, whatever its case. */
  readonly filter?: string;
  /** Only the cases of these hooks. */
  readonly hooks?: readonly string[];
  /** Whether to count which parts of the scripts run, on quickjs. Default: no. */
  readonly coverage?: boolean;
  /** Most cases at the same time on one engine. Default: the number of its processes. */
  readonly concurrency?: number;
  /** How scripts are bundled. */
  readonly load?: LoadOptions;
  /** Aborted: cases that have not begun do not begin. */
  readonly signal?: AbortSignal;
  /** Called for every case that has run. `total` is how many there are in all, each engine counted. */
  readonly progress?: (result: CaseResult, done: number, total: number) => void;
  /** Called when all cases of a hook have run. */
  readonly hookDone?: (report: HookReport) => void | Promise<void>;
}

/** How the cases of one hook fared. */
export interface HookReport {
  readonly hook: string;
  /** In the order of the file, engine after engine. */
  readonly results: readonly CaseResult[];
  /** Whether the hook has no cases at all. */
  readonly untested: boolean;
  readonly durationMs: number;
}

export interface TestReport {
  readonly engines: readonly EngineName[];
  /** Engines that no case ran on because their package is not installed; always empty where `engine` was given. */
  readonly missing: readonly EngineName[];
  readonly hooks: readonly HookReport[];
  /** Number of cases that ran, each engine counted. */
  readonly passed: number;
  readonly failed: number;
  readonly durationMs: number;
  readonly coverage: Coverage | null;
}

/**
 * Runs the cases of every hook of a pack through the whole pipeline, on the chosen engines, or on those installed.
 *
 * @param dir folder of the pack.
 * @throws {HookwardenError} for a pack, cases or an engine that cannot be used; `usage` where a filter leaves nothing.
 *
 * @example
 *     const report = await testPack("./policies");
 *     if (report.failed > 0) process.exitCode = 1;
 */
export async function testPack(dir: string, options: TestOptions = {}): Promise<TestReport> {
  const begun = performance.now();
  const { engine, coverage: counted = false } = options;
  const suite = await loadSuite(dir, { ...options.load, maps: counted });
  const plans = plan(suite, options);
  if (counted && engine === "isolate") {
    throw new HookwardenError("usage", "coverage is counted on quickjs, which the engines leave out");
  }
  await using sandboxes = await Sandboxes.open(dir, engine);
  const engines = sandboxes.all.map((sandbox) => sandbox.engine);
  const counter = counted ? await openCounter(suite.root, plans, sandboxes) : null;
  const total = plans.reduce((sum, { indexes }) => sum + indexes.length, 0) * engines.length;
  const packs = new SinglePacks(suite);
  const hooks: HookReport[] = [];
  let done = 0;
  for (const { hook, indexes } of plans) {
    if (options.signal?.aborted) break;
    const start = performance.now();
    const ran = await Promise.all(
      sandboxes.all.map(async (sandbox) => {
        const results: CaseResult[] = [];
        await inParallel(indexes, options.concurrency ?? settingsOf({ engine: sandbox.engine }).processes, {
          work: (index) => runCase(hook, index, { packs, sandbox }),
          done: (result) => {
            results.push(result);
            options.progress?.(result, ++done, total);
          },
          signal: options.signal,
        });
        return results.toSorted((a, b) => placeOf(a) - placeOf(b));
      }),
    );
    const report: HookReport = {
      hook: hook.name,
      results: ran.flat(),
      untested: hook.cases.length === 0,
      durationMs: performance.now() - start,
    };
    hooks.push(report);
    await options.hookDone?.(report);
  }
  const results = hooks.flatMap((report) => report.results);
  const failed = results.filter(({ failures }) => failures.length > 0).length;
  return {
    engines,
    missing: sandboxes.missing,
    hooks,
    passed: results.length - failed,
    failed,
    durationMs: performance.now() - begun,
    coverage: counter ? await counter.coverage() : null,
  };
}

interface HookPlan {
  readonly hook: SuiteHook;
  /** Which of its cases run. */
  readonly indexes: readonly number[];
}

function plan(suite: Suite, { filter, hooks }: TestOptions): readonly HookPlan[] {
  const chosen = hooks ? suite.hooks.filter(({ name }) => hooks.includes(name)) : suite.hooks;
  if (filter === undefined) return chosen.map((hook) => ({ hook, indexes: [...hook.cases.keys()] }));
  const text = filter.toLowerCase();
  const plans = chosen
    .map((hook) => ({
      hook,
      indexes: [...hook.cases.keys()].filter((index) =>
        `${hook.name}: ${hook.cases[index]?.name}`.toLowerCase().includes(text),
      ),
    }))
    .filter(({ indexes }) => indexes.length > 0);
  // A filter with a slip in it would pass for ever.
  if (plans.length === 0)
    throw new HookwardenError("usage", "no case has the text of `--filter` in its name");
  return plans;
}

function placeOf({ pointer }: CaseResult): number {
  return Number(pointer.slice(pointer.lastIndexOf("/") + 1));
}

async function openCounter(root: string, plans: readonly HookPlan[], sandboxes: Sandboxes) {
  const { CoverageCounter } = await import("./cover/index.ts");
  const counter = new CoverageCounter(
    root,
    plans.map(({ hook }) => hook),
  );
  sandboxes.replace((sandbox) => (sandbox.engine === "quickjs" ? counter.around(sandbox) : sandbox));
  return counter;
}

/** The sandboxes of one run, which end together. */
class Sandboxes {
  #all: readonly Sandbox[];
  readonly missing: readonly EngineName[];

  private constructor(all: readonly Sandbox[], missing: readonly EngineName[]) {
    this.#all = all;
    this.missing = missing;
  }

  /** Starts the engines that are asked for; where none is, quickjs and whatever else is installed. */
  static async open(pack: string, wanted: TestEngine | undefined): Promise<Sandboxes> {
    const engines: readonly EngineName[] =
      wanted === "quickjs" || wanted === "isolate" ? [wanted] : ["quickjs", "isolate"];
    const opened = await Promise.allSettled(
      engines.map((engine) => createSandbox({ pack, engine }, () => undefined)),
    );
    const all = opened.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    const missing = wanted === undefined ? engines.filter((_, index) => isMissing(opened[index])) : [];
    const failure = opened.find(
      (one) => one.status === "rejected" && !(missing.length > 0 && isMissing(one)),
    );
    const sandboxes = new Sandboxes(all, missing);
    if (failure?.status !== "rejected") return sandboxes;
    await sandboxes[Symbol.asyncDispose]();
    throw failure.reason;
  }

  get all(): readonly Sandbox[] {
    return this.#all;
  }

  replace(by: (sandbox: Sandbox) => Sandbox): void {
    this.#all = this.#all.map(by);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#all.map((sandbox) => sandbox[Symbol.asyncDispose]()));
  }
}

function isMissing(opened: PromiseSettledResult<Sandbox> | undefined): boolean {
  return (
    opened?.status === "rejected" &&
    opened.reason instanceof HookwardenError &&
    opened.reason.code === "engine-missing"
  );
}
