import type { Limits } from "@hookwarden/sandbox";
import {
  type ActionName,
  type EventName,
  actionNames,
  actionRows,
  eventNames,
  eventRows,
  legalActions,
} from "../catalogue/index.ts";
import {
  type FactName,
  factsOf,
  factsOfCondition,
  factsRead,
  hostPrefix,
  type Matcher,
} from "../facts/index.ts";
import type { FailurePolicy, LoadedHook, LoadedPack, Subscription } from "../pack/index.ts";
import type { Verdict } from "./decision.ts";
import type { EventView } from "./event.ts";
import { type Projector, ProjectorPool } from "./project.ts";
import { isBounded } from "./retry-limit.ts";
import { digestWords, type Seed } from "./seed.ts";

/** Why an action is not allowed. */
export type DenialReason = "illegal-action" | "ungranted-action";

/** How a host's dialect changes the catalogue's rules. */
export interface PlanRules {
  /** Name of these rules in messages. */
  readonly name?: string;
  /**
   * Failure policy at an event for hooks in the chain, if neither manifest nor pack declares one. An event that
   * is absent has the catalogue's default; so have parallel hooks, which only add.
   */
  readonly onFailure?: ReadonlyMap<EventName, FailurePolicy>;
  /**
   * The actions that the host can carry out at an event; others are illegal there. An event that is absent carries
   * what the catalogue allows.
   */
  readonly carries?: ReadonlyMap<EventName, ReadonlySet<ActionName>>;
  /** Actions that are left out at an event where they are illegal or not granted, and would otherwise be a fault. */
  readonly lenient?: ReadonlyMap<EventName, ReadonlySet<ActionName>>;
  /** Degraded mode: why a hook that fails asks instead of denying, where both are legal; shown. Default: it denies. */
  readonly degraded?: string;
}

/** A hook at an event, with everything that can be computed before an event arrives. */
export interface Binding {
  readonly hook: LoadedHook;
  readonly event: EventName;
  /** Place in the order in which hooks run. */
  readonly place: number;
  /** The hook listens for names that any of these match; `null`: for every name. */
  readonly matchers: readonly Matcher[] | null;
  /** Where it listens, if any of it has a condition; otherwise `null`. */
  readonly routes: readonly Subscription[] | null;
  readonly project: Projector;
  /** The facts that it or its conditions read. */
  readonly facts: readonly FactName[];
  /** The facts of the host that it or its conditions read. */
  readonly hostFacts: readonly string[];
  /** Runs for the record only; what it returns has no effect. */
  readonly monitor: boolean;
  readonly parallel: boolean;
  /** Whether it may return any verdict but `continue`. */
  readonly guard: boolean;
  /** Whether it may return a verdict that is counted and bounded. */
  readonly bounded: boolean;
  /** The verdict if it faults; `null` if it fails open. */
  readonly failClosedVerdict: Verdict | null;
  /** Why `failClosedVerdict` asks instead of denying; otherwise `null`. */
  readonly degraded: string | null;
  /** The actions that are refused, with the reason, by name; all others of the catalogue may be returned. */
  readonly disallowed: ReadonlyMap<string, DenialReason>;
  /** Disallowed actions that are dropped without refusing the rest of the answer. */
  readonly lenient: ReadonlySet<string>;
  readonly limits: Limits;
  readonly seed: Seed;
  /** The start of the context's JSON: `{"hook":"…","config":…`. */
  readonly contextHead: string;
}

/** The hooks of one event, in the order in which they run. */
export interface EventPlan {
  readonly event: EventName;
  /** The field that matchers test. */
  readonly matches: string | null;
  /** Sequential and monitored hooks. */
  readonly sequential: readonly Binding[];
  readonly parallel: readonly Binding[];
  /** The facts of the host that hooks or conditions read. */
  readonly hostFacts: readonly string[];
  /** The facts that hooks or conditions read. */
  readonly facts: readonly FactName[];
  /** Whether any hook keeps state. */
  readonly stateful: boolean;
  /** Whether any hook may return a verdict that is counted and bounded. */
  readonly bounded: boolean;
}

/** A pack, made ready to decide. */
export interface Plan {
  readonly pack: LoadedPack;
  readonly events: ReadonlyMap<EventName, EventPlan>;
}

/** Works out, once for a pack, which hooks run at which event, in which order, and what each may see and do. */
export function makePlan(pack: LoadedPack, rules: PlanRules = {}): Plan {
  const projectors = new ProjectorPool();
  const seeds = new Map(pack.hooks.map((hook) => [hook, digestWords(hook.name)]));
  const ordered = pack.hooks.toSorted((a, b) => a.priority - b.priority || a.order - b.order);
  const events = new Map(
    eventNames.map((event): [EventName, EventPlan] => {
      const listening = ordered.filter((hook) =>
        hook.on.some((subscription) => subscription.event === event),
      );
      const runOrder = [
        ...listening.filter((hook) => hook.mode !== "parallel"),
        ...listening.filter((hook) => hook.mode === "parallel"),
      ];
      const bindings = runOrder.map((hook, place) =>
        bind({ pack, rules, projectors, event }, hook, place, seeds.get(hook) as Seed),
      );
      return [
        event,
        {
          event,
          matches: eventRows.get(event)?.matches ?? null,
          sequential: bindings.filter((binding) => !binding.parallel),
          parallel: bindings.filter((binding) => binding.parallel),
          hostFacts: [...new Set(bindings.flatMap((binding) => binding.hostFacts))],
          facts: [...new Set(bindings.flatMap((binding) => binding.facts))],
          stateful: bindings.some((binding) => binding.hook.state !== null),
          bounded: bindings.some((binding) => binding.bounded),
        },
      ];
    }),
  );
  return { pack, events };
}

interface BindingContext {
  readonly pack: LoadedPack;
  readonly rules: PlanRules;
  readonly projectors: ProjectorPool;
  readonly event: EventName;
}

function bind(
  { pack, rules, projectors, event }: BindingContext,
  hook: LoadedHook,
  place: number,
  seed: Seed,
): Binding {
  const on = hook.on.filter((subscription) => subscription.event === event);
  const conditions = on.flatMap(({ when }) => (when ? factsOfCondition(when.condition) : []));
  const used = [...factsRead(hook.reads), ...conditions];
  const matchers = on.map(({ matcher }) => matcher);
  const monitor = pack.monitor || hook.mode === "monitor";
  const parallel = hook.mode === "parallel";
  const disallowed = disallowedActions(hook, event, parallel, rules);
  const isOpen = monitor || failurePolicy(pack, rules, hook, event) === "open";
  const closedAs = isOpen ? null : (eventRows.get(event)?.closedAs ?? null);
  const degraded = (closedAs === "deny" && canCarry("ask", event, rules) && rules.degraded) || null;
  return {
    hook,
    event,
    place,
    matchers: matchers.includes(null) ? null : (matchers as Matcher[]),
    routes: on.some(({ when }) => when) ? on : null,
    project: projectors.compile(event, hook.reads),
    facts: factsOf(event).filter((fact) => used.includes(fact)),
    hostFacts: used
      .filter((fact) => fact.startsWith(hostPrefix))
      .map((fact) => fact.slice(hostPrefix.length)),
    monitor,
    parallel,
    guard: !monitor && actionNames.some((name) => isStrongVerdict(name) && !disallowed.has(name)),
    bounded: !monitor && actionNames.some((name) => isBounded(event, name) && !disallowed.has(name)),
    failClosedVerdict: degraded === null ? closedAs : "ask",
    degraded,
    disallowed,
    lenient: rules.lenient?.get(event) ?? noActions,
    limits: hook.limits,
    seed,
    contextHead: `{"hook":${JSON.stringify(hook.name)},"config":${hook.configJson}`,
  };
}

const noActions: ReadonlySet<string> = new Set();

function isStrongVerdict(name: ActionName): boolean {
  return name !== "continue" && actionRows.get(name)?.kind === "verdict";
}

function failurePolicy(
  pack: LoadedPack,
  rules: PlanRules,
  hook: LoadedHook,
  event: EventName,
): FailurePolicy {
  const declared = hook.manifest.onFailure ?? pack.manifest.defaults?.onFailure;
  const fromRules =
    declared === undefined && hook.mode !== "parallel" ? rules.onFailure?.get(event) : undefined;
  return fromRules ?? hook.onFailure.get(event) ?? "open";
}

/** Whether an action is legal at an event, and the host can carry it out. */
function canCarry(name: ActionName, event: EventName, { carries }: PlanRules): boolean {
  return legalActions(event).has(name) && carries?.get(event)?.has(name) !== false;
}

function disallowedActions(
  hook: LoadedHook,
  event: EventName,
  parallel: boolean,
  rules: PlanRules,
): Map<string, DenialReason> {
  const disallowed = new Map<string, DenialReason>();
  for (const name of actionNames) {
    if (name === "continue") continue;
    if (!canCarry(name, event, rules) || (parallel && actionRows.get(name)?.kind !== "addition"))
      disallowed.set(name, "illegal-action");
    else if (!hook.asked.has(name) || !hook.granted.has(name)) disallowed.set(name, "ungranted-action");
    else if (name === "set_state" && hook.state === null) disallowed.set(name, "ungranted-action");
  }
  return disallowed;
}

/**
 * Whether a hook listens to this event. If the event lacks the field that matchers test, only
 * a hook without a matcher does.
 *
 * @param view the event, for hooks with conditions; absent: whether a hook listens to the name at all.
 */
export function listens(binding: Binding, name: unknown, view?: EventView): boolean {
  const passes = (matcher: Matcher | null): boolean =>
    matcher === null || (typeof name === "string" && matcher.test(name));
  if (view && binding.routes)
    return binding.routes.some(
      ({ matcher, when }) => passes(matcher) && (when === null || when.matches(view, view.routes)),
    );
  return binding.matchers === null || binding.matchers.some(passes);
}
