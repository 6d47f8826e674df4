import { limitNames, limitTable } from "@hookwarden/sandbox";
import { actionRows } from "hookwarden/catalogue";
import { conditionText } from "hookwarden/facts";
import type { LoadedHook, LoadedPack, Subscription } from "hookwarden/pack";
import type { BeforeAfter } from "./before-after.ts";

/** What a manifest or a pack asks for or gives, and whether the new version has it or has lost it. */
export interface PowerChange {
  /** `null`: the pack as a whole. */
  readonly hook: string | null;
  readonly power:
    | "action"
    | "grant"
    | "read"
    | "limit"
    | "role"
    | "onFailure"
    | "reach"
    | "mode"
    | "state"
    | "hook"
    | "other";
  readonly what: string;
  /** Whether it opens something: a new power, or a guard that guards less. */
  readonly opens: boolean;
}

type Report = (power: PowerChange["power"], what: string, opens: boolean) => void;

/**
 * What two versions of a hook may do differently, from their manifests, grants and limits alone.
 *
 * @param names names of tools and the like, to see how far matchers reach.
 */
export function comparePowers(
  hooks: BeforeAfter<LoadedHook>,
  names: readonly string[],
): readonly PowerChange[] {
  const changes: PowerChange[] = [];
  const { old, new: next } = hooks;
  const report: Report = (power, what, opens) => changes.push({ hook: next.name, power, what, opens });
  const asked = compareSets(old.asked, next.asked, (action, gained) =>
    report("action", `${gained ? "asks for" : "no longer asks for"} \`${action}\``, gained),
  );
  compareSets(old.granted, next.granted, (action, gained) => {
    if (!asked.has(action))
      report("grant", `${gained ? "is" : "is no longer"} granted \`${action}\``, gained);
  });
  compareSets(old.reads, next.reads, (path, gained) =>
    report(
      "read",
      `${gained ? "reads" : "no longer reads"} \`${path}\``,
      gained && !old.reads.some((wide) => path.startsWith(`${wide}.`)),
    ),
  );
  compareSets(old.roles, next.roles, (role, gained) =>
    report("role", `${gained ? "may" : "may no longer"} add messages of the role \`${role}\``, gained),
  );
  for (const name of limitNames) {
    const [before, after] = [old.limits[name], next.limits[name]];
    if (before === after) continue;
    report("limit", `limit \`${name}\`: ${before} → ${after} ${limitTable[name].unit}`, after > before);
  }
  compareFailure(hooks, report);
  compareReach(hooks, names, report);
  if (old.mode !== next.mode) report("mode", `mode: ${old.mode} → ${next.mode}`, next.mode === "monitor");
  compareState(hooks, report);
  if (old.priority !== next.priority) report("other", `priority: ${old.priority} → ${next.priority}`, false);
  if (old.configJson !== next.configJson) report("other", "has another configuration", false);
  return changes;
}

/** What comes with a hook that is new, or goes with one that is gone. */
export function lonePowers(hook: LoadedHook, gained: boolean): readonly PowerChange[] {
  const actions = [...hook.granted].filter((action) => action !== "continue");
  const where = [...new Set(hook.on.map(({ event }) => event))].join(", ");
  const may = actions.length === 0 ? "no action" : actions.map((action) => `\`${action}\``).join(", ");
  const reads = hook.reads.length === 0 ? "nothing" : hook.reads.map((path) => `\`${path}\``).join(", ");
  const what = gained
    ? `is new: at ${where}; reads ${reads}; may return ${may}`
    : `is gone: it listened at ${where}, and could return ${may}`;
  return [{ hook: hook.name, power: "hook", what, opens: gained || isGuard(hook) }];
}

/** What the packs themselves declare. */
export function comparePacks({ old, new: next }: BeforeAfter<LoadedPack>): readonly PowerChange[] {
  const changes: PowerChange[] = [];
  const report: Report = (power, what, opens) => changes.push({ hook: null, power, what, opens });
  if (old.monitor !== next.monitor) {
    report(
      "mode",
      next.monitor ? "honours nothing any more: monitor" : "is no longer in monitor mode",
      next.monitor,
    );
  }
  for (const name of ["decisionMs", "maxHooks", "injectionBytes"] as const) {
    const [before, after] = [old.budgets[name], next.budgets[name]];
    if (before !== after) report("limit", `budget \`${name}\`: ${before} → ${after}`, after > before);
  }
  const order = (pack: LoadedPack, other: LoadedPack): string =>
    pack.hooks
      .map(({ name }) => name)
      .filter((name) => other.hooks.some((hook) => hook.name === name))
      .join("\n");
  if (order(old, next) !== order(next, old)) report("other", "has its hooks in another order", false);
  return changes;
}

/** Whether a hook may hold an event back or rewrite it. */
function isGuard({ granted }: LoadedHook): boolean {
  return [...granted].some((action) => {
    const kind = actionRows.get(action)?.kind;
    return action !== "continue" && action !== "allow" && (kind === "verdict" || kind === "change");
  });
}

function compareSets<T extends string>(
  before: Iterable<T>,
  after: Iterable<T>,
  onChange: (one: T, gained: boolean) => void,
): ReadonlySet<T> {
  const [old, next] = [new Set(before), new Set(after)];
  const gained = new Set([...next].filter((one) => !old.has(one)));
  for (const one of gained) onChange(one, true);
  for (const one of old) if (!next.has(one)) onChange(one, false);
  return new Set([...old, ...next].filter((one) => !old.has(one) || !next.has(one)));
}

function compareFailure({ old, new: next }: BeforeAfter<LoadedHook>, report: Report): void {
  for (const [event, after] of next.onFailure) {
    const before = old.onFailure.get(event);
    if (before !== undefined && before !== after) {
      report("onFailure", `a fault at ${event}: ${before} → ${after}`, after === "open");
    }
  }
}

function compareState({ old, new: next }: BeforeAfter<LoadedHook>, report: Report): void {
  const [before, after] = [old.state, next.state];
  if (before?.scope === after?.scope && before?.maxBytes === after?.maxBytes) return;
  const words = (state: LoadedHook["state"]): string =>
    state === null ? "none" : `${state.maxBytes} bytes for each ${state.scope}`;
  const more =
    after !== null &&
    (before === null ||
      after.maxBytes > before.maxBytes ||
      (before.scope === "session" && after.scope === "tenant"));
  report("state", `state: ${words(before)} → ${words(after)}`, more);
}

/** Reach is compared by what matchers match, not by how they are written. */
function compareReach(
  { old, new: next }: BeforeAfter<LoadedHook>,
  names: readonly string[],
  report: Report,
): void {
  const events = new Set([...old.on, ...next.on].map(({ event }) => event));
  const guard = isGuard(old);
  for (const event of events) {
    const [before, after] = [reachOf(old.on, event), reachOf(next.on, event)];
    compareConditions({ old: before.condition, new: after.condition }, event, guard, report);
    if (before.sources === after.sources) continue;
    if (before.sources === "" || after.sources === "") {
      const gained = before.sources === "";
      report("reach", `${gained ? "listens" : "no longer listens"} at ${event}`, gained || guard);
      continue;
    }
    const gained = names.filter((name) => after.test(name) && !before.test(name));
    const lost = names.filter((name) => before.test(name) && !after.test(name));
    // Without a matcher, names that no list has are reached.
    const wider = gained.length > 0 || (after.every && !before.every);
    const narrower = lost.length > 0 || (before.every && !after.every);
    const list = (all: readonly string[]): string =>
      all.length === 0
        ? ""
        : ` (such as ${all
            .slice(0, 3)
            .map((name) => `\`${name}\``)
            .join(", ")})`;
    if (wider) report("reach", `at ${event} it listens to more names${list(gained)}`, true);
    if (narrower) report("reach", `at ${event} it listens to fewer names${list(lost)}`, guard);
    if (!wider && !narrower)
      report("reach", `at ${event} it has another matcher; no known name distinguishes them`, false);
  }
}

/** A condition `when` is part of what a guard guards: an event that it excludes is not seen. */
function compareConditions(
  { old, new: next }: BeforeAfter<string>,
  event: string,
  guard: boolean,
  report: Report,
): void {
  if (old === next) return;
  if (old === "") report("reach", `at ${event} it runs only when ${next}`, guard);
  else if (next === "") report("reach", `at ${event} it runs always, and not only when ${old}`, true);
  else report("reach", `at ${event} it runs when ${next}, and not when ${old}`, true);
}

interface Reach {
  /** When it runs, for people; `""`: always, or it does not listen there. */
  readonly condition: string;
  /** `""`: it does not listen there at all. */
  readonly sources: string;
  readonly every: boolean;
  test(name: string): boolean;
}

function reachOf(on: readonly Subscription[], event: string): Reach {
  const own = on.filter((subscription) => subscription.event === event);
  const every = own.some(({ matcher }) => matcher === null);
  const conditions = own.map(({ matcher, when }) => {
    const text = when === null ? "" : conditionText(when.condition);
    return matcher === null || text === "" ? text : `${matcher.source} and ${text}`;
  });
  return {
    // One subscription without a condition is enough to run always.
    condition: conditions.includes("") ? "" : [...new Set(conditions)].sort().join(" or "),
    sources: every
      ? "*"
      : own
          .map(({ matcher }) => matcher?.source)
          .sort()
          .join("\n"),
    every,
    test: (name) => own.some(({ matcher }) => matcher === null || matcher.test(name)),
  };
}
