import type { Limits } from "@hookwarden/sandbox";
import type { Sample } from "./probe.ts";

/** The limits that a larger input can reach. */
export type ForecastLimit = "steps" | "wallMs" | "memoryKb" | "inputBytes" | "outputBytes";

/** At which size of the input a limit is reached, and which one is the first. */
export interface Forecast {
  readonly limit: ForecastLimit;
  /** Bytes of the event and the context, as the hook gets them. */
  readonly inputBytes: number;
  /** `reached`: a call of that size ran into it. `fitted`: the smaller calls point there. */
  readonly basis: "reached" | "fitted";
}

/** Uses below these say nothing about growth: they are what a call costs at any size. */
const minUse: { readonly [L in "steps" | "wallMs" | "memoryKb" | "outputBytes"]: number } = {
  steps: 2_000,
  wallMs: 2,
  memoryKb: 64,
  outputBytes: 512,
};
const byFault: ReadonlyMap<string, ForecastLimit> = new Map([
  ["steps-exceeded", "steps"],
  ["timeout", "wallMs"],
  ["memory-exceeded", "memoryKb"],
  ["output-too-large", "outputBytes"],
  ["input-too-large", "inputBytes"],
]);
/** Growth below this power of the size is none: the use does not come from the input. */
const minPower = 0.2;

/**
 * Foretells which limit a hook reaches first as its input grows.
 *
 * @param samples of the same event in growing sizes; the last one may have ended in a fault.
 */
export function forecast(samples: readonly Sample[], limits: Limits): Forecast {
  const last = samples.at(-1);
  const reached = last?.fault === null || last?.fault === undefined ? undefined : byFault.get(last.fault);
  const good = samples.filter(({ fault }) => fault === null);
  const uses: readonly (readonly [keyof typeof minUse, (sample: Sample) => number])[] = [
    ["steps", ({ steps }) => steps ?? 0],
    ["wallMs", ({ durationUs }) => durationUs / 1_000],
    ["memoryKb", ({ memoryBytes }) => memoryBytes / 1_024],
    ["outputBytes", ({ outputBytes }) => outputBytes],
  ];
  const candidates: Forecast[] = [
    {
      limit: "inputBytes",
      inputBytes: limits.inputBytes,
      basis: "fitted",
    },
  ];
  for (const [limit, use] of uses) {
    const size = sizeAt(good, use, minUse[limit], limits[limit]);
    if (size !== null) candidates.push({ limit, inputBytes: size, basis: "fitted" });
  }
  const first = candidates.reduce((a, b) => (b.inputBytes < a.inputBytes ? b : a));
  if (!last || reached === undefined) {
    // It went well up to here, whatever the line through the smaller ones says.
    return { ...first, inputBytes: Math.max(first.inputBytes, good.at(-1)?.inputBytes ?? 0) };
  }
  // Such an input is refused before it is made, so that its size is not known, and the limit is exact.
  if (reached === "inputBytes") return { limit: reached, inputBytes: limits.inputBytes, basis: "reached" };
  const own = candidates.find(({ limit }) => limit === reached);
  const above = good.at(-1)?.inputBytes ?? 0;
  const inputBytes = Math.min(Math.max(own?.inputBytes ?? last.inputBytes, above), last.inputBytes);
  return { limit: reached, inputBytes, basis: "reached" };
}

/**
 * The size at which a use reaches its limit: the line through the two largest samples in logarithms, which is exact for
 * every power of the size. `null` where the use does not grow with the size.
 */
function sizeAt(
  samples: readonly Sample[],
  use: (sample: Sample) => number,
  least: number,
  limit: number,
): number | null {
  const relevant = samples.filter((sample) => use(sample) >= least);
  const [a, b] = relevant.slice(-2);
  if (!a || !b || b.inputBytes <= a.inputBytes) return null;
  const power = Math.log(use(b) / use(a)) / Math.log(b.inputBytes / a.inputBytes);
  if (power < minPower) return null;
  return Math.round(b.inputBytes * (limit / use(b)) ** (1 / power));
}
