import { type Limits, limitNames } from "@hookwarden/sandbox";
import { type Binding, listens, makePlan } from "../broker/index.ts";
import { conditionText } from "../facts/index.ts";
import { type ActionName, type EventName, actionNames, eventRows, legalActions } from "../catalogue/index.ts";
import type { LoadedHook, LoadedPack } from "../pack/index.ts";

/** A hook that runs at an event, with what it may do there. */
export interface RunningHook {
  readonly hook: string;
  readonly version: string;
  readonly priority: number;
  readonly mode: LoadedHook["mode"];
  /** Nothing that it returns counts. */
  readonly monitor: boolean;
  /** It runs only for these names; `null`: for every name. */
  readonly matchers: readonly string[] | null;
  /** Conditions of its subscriptions to the event; `null` if it has none. */
  readonly when: readonly string[] | null;
  readonly reads: readonly string[];
  readonly may: readonly ActionName[];
  /** Legal here and asked for, but not granted. */
  readonly ungranted: readonly ActionName[];
  readonly on_failure: "open" | "closed";
  /** The verdict that its fault becomes; `null` where the step goes on. */
  readonly closed_as: string | null;
  readonly state: "session" | "tenant" | null;
  readonly limits: Limits;
  readonly notes: readonly string[];
}

/** A hook of the pack that does not run. */
export interface IdleHook {
  readonly hook: string;
  readonly why: string;
}

export interface Explanation {
  readonly event: EventName;
  /** The field that matchers are held against here; `null` where there is none. */
  readonly matches: string | null;
  /** The name that was asked about. */
  readonly name: string | null;
  readonly closed_as: string | null;
  readonly runs: readonly RunningHook[];
  readonly idle: readonly IdleHook[];
}

/**
 * Which hooks of a pack run at an event, in their order, what each may read and do there, and why others do not run.
 * Made from the plan that decisions are made with.
 *
 * @param name what the event has in the field that matchers are held against; absent: any name.
 */
export function explain(pack: LoadedPack, event: EventName, name: string | null): Explanation {
  const plan = makePlan(pack).events.get(event);
  const bindings = plan ? [...plan.sequential, ...plan.parallel] : [];
  const runs = bindings.filter((binding) => name === null || listens(binding, name));
  const bound = new Map(bindings.map((binding) => [binding.hook, binding]));
  const running = new Set(runs.map(({ hook }) => hook));
  return {
    event,
    matches: plan?.matches ?? null,
    name,
    closed_as: eventRows.get(event)?.closedAs ?? null,
    runs: runs.map(describe),
    idle: pack.hooks
      .filter((hook) => !running.has(hook))
      .map((hook) => ({ hook: hook.name, why: whyIdle(hook, event, name, bound.get(hook)) })),
  };
}

function describe(binding: Binding): RunningHook {
  const { hook, event, disallowed } = binding;
  const legal = legalActions(event);
  return {
    hook: hook.name,
    version: hook.version,
    priority: hook.priority,
    mode: hook.mode,
    monitor: binding.monitor,
    matchers: binding.matchers?.map(({ source }) => source) ?? null,
    when: binding.routes?.map(({ when }) => (when ? conditionText(when.condition) : "always")) ?? null,
    reads: hook.reads,
    may: actionNames.filter((action) => action !== "continue" && !disallowed.has(action)),
    ungranted: actionNames.filter(
      (action) => legal.has(action) && hook.asked.has(action) && disallowed.has(action),
    ),
    on_failure: binding.failClosedVerdict === null ? "open" : "closed",
    closed_as: binding.failClosedVerdict,
    state: hook.state?.scope ?? null,
    limits: Object.fromEntries(limitNames.map((limit) => [limit, hook.limits[limit]])) as Limits,
    notes: hook.notes,
  };
}

function whyIdle(
  hook: LoadedHook,
  event: EventName,
  name: string | null,
  binding: Binding | undefined,
): string {
  if (!binding) {
    const events = [...new Set(hook.on.map((subscription) => subscription.event))];
    return `not subscribed to ${event}; listens to ${events.join(", ")}`;
  }
  const sources = (binding.matchers ?? []).map(({ source }) => `\`${source}\``);
  return `${sources.join(" and ")} ${sources.length > 1 ? "do" : "does"} not match \`${name}\``;
}
