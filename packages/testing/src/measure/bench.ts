import type { Sandbox } from "@hookwarden/sandbox";
import type { EventName } from "hookwarden/catalogue";
import type { LoadedHook, LoadedPack } from "hookwarden/pack";
import { type Forecast, forecast } from "./forecast.ts";
import { probeScaling, longestTextPath } from "./scaling-probe.ts";
import { Probe, type Sample } from "./probe.ts";
import { type Percentiles, percentilesOf } from "./percentiles.ts";

type Fields = { readonly [field: string]: unknown };

export interface BenchOptions {
  readonly pack: LoadedPack;
  /** Events that are valid, in their order. */
  readonly events: readonly Fields[];
  /** How often all events are decided. The first round, in which engines warm up, is not counted if there are more. */
  readonly rounds?: number;
  /** `false` leaves the forecast out. Default `true`. */
  readonly forecast?: boolean;
  readonly sandbox: Sandbox;
  readonly signal?: AbortSignal;
  readonly progress?: (text: string) => void;
}

/** What one hook costs at one event. */
export interface HookCost {
  readonly hook: string;
  readonly event: EventName;
  readonly calls: number;
  /** Calls that ended in a fault; their costs are not in the other figures. */
  readonly faults: number;
  /** Engine steps; `null` where the engine does not count them. */
  readonly steps: Percentiles | null;
  /** Microseconds of a call, as the host sees it. */
  readonly us: Percentiles | null;
  /** Bytes beyond the loaded program. */
  readonly memory: Percentiles | null;
  /** Bytes of the answer as JSON. */
  readonly output: Percentiles | null;
  /** `null` where the hook reads no text of this event that could probeScaling, or it was not asked for. */
  readonly forecast: (Forecast & { readonly field: string }) | null;
}

/**
 * Measures each hook of a pack by itself, at each event, one call after another. Time is that of this machine; steps,
 * memory and output are the same everywhere.
 */
export async function benchPack(options: BenchOptions): Promise<readonly HookCost[]> {
  const costs: HookCost[] = [];
  for (const hook of options.pack.hooks) {
    for (const event of new Set(hook.on.map((subscription) => subscription.event))) {
      if (options.signal?.aborted) return costs;
      options.progress?.(`${hook.name}, ${event}`);
      const cost = await costOf(hook, event, options);
      if (cost) costs.push(cost);
    }
  }
  return costs;
}

async function costOf(hook: LoadedHook, event: EventName, options: BenchOptions): Promise<HookCost | null> {
  const { pack, sandbox, rounds = 3 } = options;
  const signal = options.signal ?? new AbortController().signal;
  const own = options.events.filter((fields) => fields["hook_event_name"] === event);
  const samples: Sample[] = [];
  let largest: Fields | null = null;
  for (let round = 0; round < rounds; round++) {
    // State begins anew with each round.
    await using probe = await Probe.create(pack, hook, sandbox);
    for (const [index, fields] of own.entries()) {
      if (signal.aborted) return null;
      const sample = await probe.call(fields, `bench-${index}`);
      if (!sample) continue;
      if (largest === null || size(fields, hook) > size(largest, hook)) largest = fields;
      if (round > 0 || rounds === 1) samples.push(sample);
    }
  }
  if (largest === null) return null;
  const good = samples.filter(({ fault }) => fault === null);
  const steps = good.flatMap((sample) => (sample.steps === null ? [] : [sample.steps]));
  return {
    hook: hook.name,
    event,
    calls: samples.length,
    faults: samples.length - good.length,
    steps: percentilesOf(steps),
    us: percentilesOf(good.map(({ durationUs }) => durationUs)),
    memory: percentilesOf(good.map(({ memoryBytes }) => memoryBytes)),
    output: percentilesOf(good.map(({ outputBytes }) => outputBytes)),
    forecast: options.forecast === false ? null : await predict(hook, largest, options, signal),
  };
}

async function predict(
  hook: LoadedHook,
  fields: Fields,
  { pack, sandbox }: BenchOptions,
  signal: AbortSignal,
): Promise<HookCost["forecast"]> {
  const path = longestTextPath(fields, hook.reads);
  if (!path) return null;
  await using probe = await Probe.create(pack, hook, sandbox);
  const samples = await probeScaling(probe, {
    fields,
    path,
    maxBytes: hook.limits.inputBytes,
    signal,
  });
  return { ...forecast(samples, hook.limits), field: path.join(".") };
}

/** Length of the longest text that the hook reads: the event with the longest one is the one that grows. */
function size(fields: Fields, hook: LoadedHook): number {
  const path = longestTextPath(fields, hook.reads);
  let value: unknown = path === null ? "" : fields;
  for (const segment of path ?? []) value = (value as Fields)[segment];
  return String(value).length;
}
