/** What hooks cost, and at which size of their input they reach a limit. */
export { type BenchOptions, benchPack, type HookCost } from "./bench.ts";
export type { Forecast, ForecastLimit } from "./forecast.ts";
export type { Percentiles } from "./percentiles.ts";
export { forecast } from "./forecast.ts";
export { probeScaling, longestTextPath } from "./scaling-probe.ts";
export { Probe } from "./probe.ts";
