import type { PlanRules } from "hookwarden/broker";

/** Longest duration of a degraded window, in minutes. */
export const maxDegradedMinutes = 240;

/**
 * For how long a tenant is in degraded mode, and why: a hook that fails does not deny but asks a person, for requests
 * that open approvals. It ends by itself.
 */
export interface DegradedWindow {
  /** An operator's words, shown to those who are asked. */
  readonly reason: string;
  /** ISO 8601. */
  readonly since: string;
  readonly until: string;
  /** Id of the credential that opened the window; of the one that ended it, if it was ended early. */
  readonly by: string;
}

/** What the sentence in a decision's reason and notice says about the window. */
export function degradedNote({ until, reason }: DegradedWindow): string {
  return `a person is asked instead of denying, because this tenant is in degraded mode until ${until}: ${reason}`;
}

/** The rules of decisions in a window. The same object for the whole window, so that wardens plan for it once. */
export function degradedRules(window: DegradedWindow): PlanRules {
  let rules = made.get(window);
  if (!rules) {
    rules = Object.freeze({ name: "degraded", degraded: degradedNote(window) });
    made.set(window, rules);
  }
  return rules;
}

const made = new WeakMap<DegradedWindow, PlanRules>();
