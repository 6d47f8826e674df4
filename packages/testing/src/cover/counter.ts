import { join, sep } from "node:path";
import type { EncodedSourceMap } from "@jridgewell/trace-mapping";
import coverageLibrary, { type CoverageMap, type FileCoverageData } from "istanbul-lib-coverage";
import sourceMaps from "istanbul-lib-source-maps";
import {
  type Call,
  type Inspection,
  limitCeilings,
  type Limits,
  type Outcome,
  type Program,
  type Sandbox,
} from "@hookwarden/sandbox";
import type { SuiteHook } from "hookwarden/check";
import { instrument } from "./instrument.ts";

/** Shares of what ran, in percent of what there is, with two decimals. */
export interface CoverageTotals {
  readonly lines: number;
  readonly branches: number;
  readonly functions: number;
}

/** What the cases of a pack ran of its scripts. */
export interface Coverage {
  /** Of all scripts of the pack together. */
  readonly totals: CoverageTotals;
  /** Files by their path in the pack. */
  readonly files: { readonly [path: string]: CoverageTotals };
  /** Calls whose counts were lost, because the counting program went over a limit. */
  readonly lost: number;
  /** As the Istanbul packages have it, by real path of the file. */
  readonly map: CoverageMap;
}

/** Where files that are not the pack's own are mapped to: they are left out in the end. */
const outside = "/outside-the-pack/";

interface Counted {
  readonly program: Program;
  readonly counts: FileCoverageData;
}

/** Counts what runs of the scripts of a pack. */
export class CoverageCounter {
  readonly #root: string;
  readonly #twins = new Map<string, Counted>();
  #lost = 0;

  /** @param hooks those whose cases run. */
  constructor(root: string, hooks: readonly SuiteHook[]) {
    this.#root = root;
    for (const hook of hooks) {
      const map = mapOf(hook, root);
      if (map === null) continue;
      const path = join(outside, `${hook.name}.js`);
      const { program, zero } = instrument(hook.script, {
        path,
        map,
        counts: (source) => isOwn(source, root),
      });
      this.#twins.set(hook.script.program.key, { program, counts: structuredClone(zero) });
    }
  }

  /**
   * A sandbox that makes every call twice: as it is, which gives the answer, and with the counting twin of the program,
   * whose answer is its counts alone. BeforeAfter start from the same memory, clock and seed, so they take the same way.
   */
  around(inner: Sandbox): Sandbox {
    return new CountingSandbox(inner, (call) => this.#count(inner, call));
  }

  /** What has run until now, mapped back to the sources. */
  async coverage(): Promise<Coverage> {
    const raw = coverageLibrary.createCoverageMap({});
    for (const { counts } of this.#twins.values()) raw.addFileCoverage(structuredClone(counts));
    const mapped = await sourceMaps.createSourceMapStore({}).transformCoverage(raw);
    const map = coverageLibrary.createCoverageMap({});
    for (const file of mapped.files()) {
      if (isOwn(file, this.#root)) map.addFileCoverage(mapped.fileCoverageFor(file));
    }
    const files = map
      .files()
      .toSorted()
      .map((file) => [
        file.slice(this.#root.length + 1).replaceAll(sep, "/"),
        totalsOf(map.fileCoverageFor(file).toSummary()),
      ]);
    return {
      totals: totalsOf(map.getCoverageSummary()),
      files: Object.fromEntries(files) as Coverage["files"],
      lost: this.#lost,
      map,
    };
  }

  async #count(sandbox: Sandbox, call: Call): Promise<void> {
    const twin = this.#twins.get(call.program.key);
    if (!twin) return;
    const limits: Limits = limitCeilings;
    const outcome = await sandbox.call({ ...call, program: twin.program, limits });
    if (!outcome.ok || !add(twin.counts, outcome.output)) this.#lost++;
  }
}

class CountingSandbox implements Sandbox {
  readonly #inner: Sandbox;
  readonly #count: (call: Call) => Promise<void>;

  constructor(inner: Sandbox, count: (call: Call) => Promise<void>) {
    this.#inner = inner;
    this.#count = count;
  }

  get engine(): Sandbox["engine"] {
    return this.#inner.engine;
  }

  get version(): string {
    return this.#inner.version;
  }

  async call(call: Call): Promise<Outcome> {
    const outcome = await this.#inner.call(call);
    await this.#count(call);
    return outcome;
  }

  inspect(program: Program, limits: Limits, tenant: string): Promise<Inspection> {
    return this.#inner.inspect(program, limits, tenant);
  }

  forget(programKey: string): void {
    this.#inner.forget(programKey);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#inner[Symbol.asyncDispose]();
  }
}

/** Adds the counts of one call. `false` where the text is not just as many numbers as there are places. */
function add(counts: FileCoverageData, output: string | null): boolean {
  const text = output === null ? null : /^"((?:\d+,)*)"$/.exec(output)?.[1];
  if (text === null || text === undefined) return false;
  const numbers = text.split(",").slice(0, -1).map(Number);
  const ways = Object.values(counts.b);
  const places =
    Object.keys(counts.s).length +
    Object.keys(counts.f).length +
    ways.reduce((sum, way) => sum + way.length, 0);
  if (numbers.length !== places) return false;
  let at = 0;
  const next = (): number => numbers[at++] as number;
  for (const part of [counts.s, counts.f])
    for (const key of Object.keys(part)) part[key] = (part[key] ?? 0) + next();
  for (const way of ways)
    for (let index = 0; index < way.length; index++) way[index] = (way[index] ?? 0) + next();
  return true;
}

/** Whether a file is the pack's own, and not that of a package in it. */
function isOwn(file: string, root: string): boolean {
  return file.startsWith(root + sep) && !file.slice(root.length).includes(`${sep}node_modules${sep}`);
}

/** The source map of a program, with real paths in it; `null` where there is none. */
function mapOf({ script }: SuiteHook, root: string): EncodedSourceMap | null {
  if (script.map === null) return null;
  const map = JSON.parse(script.map) as EncodedSourceMap;
  const sources = map.sources.map((source) =>
    source?.startsWith("pack:") ? join(root, source.slice("pack:".length)) : join(outside, source ?? ""),
  );
  return { ...map, sources };
}

function totalsOf(summary: {
  readonly lines: { readonly pct: number };
  readonly branches: { readonly pct: number };
  readonly functions: { readonly pct: number };
}): CoverageTotals {
  const { lines, branches, functions } = summary;
  return { lines: whole(lines.pct), branches: whole(branches.pct), functions: whole(functions.pct) };
}

/** Where there is nothing to run, nothing is left out. */
function whole(percent: number): number {
  return Number.isFinite(percent) ? percent : 100;
}
