import type { PlanRules } from "../broker/index.ts";
import { type ActionName, actionRows, type EventName, eventRows } from "../catalogue/index.ts";
import { HookwardenError } from "../errors/index.ts";
import type { FailurePolicy } from "../pack/index.ts";

/** Rules as JSON. */
export interface PlainRules {
  readonly name?: string;
  readonly onFailure?: { readonly [event: string]: FailurePolicy };
  readonly carries?: { readonly [event: string]: readonly string[] };
  readonly lenient?: { readonly [event: string]: readonly string[] };
  readonly degraded?: string;
}

export function plainRules({ name, onFailure, carries, lenient, degraded }: PlanRules): PlainRules {
  return {
    ...(name === undefined ? {} : { name }),
    ...(onFailure === undefined ? {} : { onFailure: Object.fromEntries(onFailure) }),
    ...(carries === undefined ? {} : { carries: lists(carries) }),
    ...(lenient === undefined ? {} : { lenient: lists(lenient) }),
    ...(degraded === undefined ? {} : { degraded }),
  };
}

function lists(sets: ReadonlyMap<EventName, ReadonlySet<ActionName>>): {
  readonly [event: string]: readonly string[];
} {
  return Object.fromEntries([...sets].map(([event, names]) => [event, [...names]]));
}

/** @throws {HookwardenError} `log-broken` for what no rules can be */
export function readRules(value: unknown, line: number): PlanRules {
  const { name, onFailure, carries, lenient, degraded } = (value ?? {}) as PlainRules;
  const policies = onFailure === undefined ? undefined : Object.entries(onFailure);
  const known = policies?.every(
    ([event, policy]) => eventRows.has(event) && (policy === "open" || policy === "closed"),
  );
  if (known === false) throw wrong(line);
  return {
    ...(typeof name === "string" ? { name } : {}),
    ...(policies ? { onFailure: new Map(policies as [EventName, FailurePolicy][]) } : {}),
    ...(carries === undefined ? {} : { carries: sets(carries, line) }),
    ...(lenient === undefined ? {} : { lenient: sets(lenient, line) }),
    ...(typeof degraded === "string" ? { degraded } : {}),
  };
}

function sets(
  plain: { readonly [event: string]: readonly string[] },
  line: number,
): Map<EventName, Set<ActionName>> {
  const made = new Map<EventName, Set<ActionName>>();
  for (const [event, names] of Object.entries(plain)) {
    if (!eventRows.has(event) || !Array.isArray(names) || !names.every((name) => actionRows.has(name)))
      throw wrong(line);
    made.set(event as EventName, new Set(names as ActionName[]));
  }
  return made;
}

function wrong(line: number): HookwardenError {
  return new HookwardenError("log-broken", "the rules in the log are not ones that this version knows", {
    line,
  });
}
