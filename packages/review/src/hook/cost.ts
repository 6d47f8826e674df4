import { limitCeilings, type Sandbox } from "@hookwarden/sandbox";
import { forecast, probeScaling, longestTextPath, Probe } from "@hookwarden/testing/measure";
import type { LoadedPack } from "hookwarden/pack";
import type { EventCost, Quantiles } from "../report.ts";
import type { Run, Runner } from "../run/runner.ts";

/** Largest event of a curve, in bytes: what is beyond is predicted. */
const maxBytes = 262_144;
/** The same in steps: from there on each call takes a second and more. */
const maxSteps = 10_000_000;
/** Steps below which growth says nothing. */
const minSteps = 2_000;

/** What a hook costs at each of its events, in its runs and in growing sizes of one event. */
export async function measureCost(
  runner: Runner,
  pack: LoadedPack,
  runs: readonly Run[],
  sandbox: Sandbox,
): Promise<readonly EventCost[]> {
  const costs: EventCost[] = [];
  for (const [event, own] of Map.groupBy(runs, (run) => run.event)) {
    const good = own.filter(({ outcome }) => outcome.ok);
    // The event that costs most has the most code to go through.
    const [costliest] = good.toSorted((a, b) => (b.outcome.steps ?? 0) - (a.outcome.steps ?? 0));
    const field = costliest ? longestTextPath(costliest.input.event, runner.hook.reads) : null;
    const samples =
      costliest && field
        ? await (async () => {
            const { hook } = runner;
            const limits = { ...hook.limits, wallMs: limitCeilings.wallMs };
            await using probe = await Probe.create(pack, { ...hook, limits }, sandbox);
            return await probeScaling(probe, {
              fields: costliest.input.event,
              path: field,
              maxBytes: Math.min(maxBytes, runner.hook.limits.inputBytes),
              maxSteps,
              signal: runner.signal,
            });
          })()
        : [];
    // Time is the machine's: where steps are counted, it says nothing that is the same in the next review.
    const counted = samples.map((one) => (one.steps === null ? one : { ...one, durationUs: 0 }));
    const predicted = counted.length > 0 ? forecast(counted, runner.hook.limits) : null;
    costs.push({
      event,
      calls: own.length,
      steps: quantiles(good.flatMap(({ outcome }) => outcome.steps ?? [])),
      memoryBytes: quantiles(good.map(({ outcome }) => outcome.memoryBytes)),
      curve: samples.map(({ inputBytes, steps, memoryBytes, outputBytes, fault }) => ({
        inputBytes,
        steps,
        memoryBytes,
        outputBytes,
        fault,
      })),
      field: field?.join(".") ?? null,
      exponent: exponentOf(samples),
      falls: predicted && {
        limit: predicted.limit,
        inputBytes: predicted.inputBytes,
        basis: predicted.basis,
      },
    });
  }
  return costs;
}

/** The slope of steps over size in logarithms, by least squares over the larger half of the sizes. */
function exponentOf(
  samples: readonly {
    readonly inputBytes: number;
    readonly steps: number | null;
    readonly fault: string | null;
  }[],
): number | null {
  const relevant = samples.filter(({ steps, fault }) => fault === null && (steps ?? 0) >= minSteps);
  const points = relevant
    .slice(-Math.max(3, Math.ceil(relevant.length / 2)))
    .map(({ inputBytes, steps }) => [Math.log(inputBytes), Math.log(steps ?? 1)] as const);
  if (points.length < 3) return null;
  const mean = (of: (point: readonly [number, number]) => number): number =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [x, y] = [mean((point) => point[0]), mean((point) => point[1])];
  const spread = mean((point) => (point[0] - x) ** 2);
  return spread === 0
    ? null
    : Math.round((mean((point) => (point[0] - x) * (point[1] - y)) / spread) * 100) / 100;
}

export function quantiles(values: readonly number[]): Quantiles | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] as number;
  return { min: sorted[0] as number, median: at(0.5), p99: at(0.99), max: sorted.at(-1) as number };
}
