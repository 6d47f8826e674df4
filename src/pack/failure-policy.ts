import { type EventName, actionRows, eventRows, legalActions } from "../catalogue/index.ts";
import type { FailurePolicy } from "./types.ts";

/** Verdicts that neither stop nor ask: a hook that can return only these is not a guard. */
const harmlessActions: ReadonlySet<string> = new Set(["continue", "allow"]);

/** Whether a fault can be closed at an event. */
export function canFailClosed(event: EventName): boolean {
  return eventRows.get(event)?.closedAs !== undefined;
}

/** Whether a hook with these actions guards the event: it may stop, ask, redo or rewrite there. */
export function canReturnStrongVerdict(event: EventName, granted: ReadonlySet<string>): boolean {
  const legal = legalActions(event);
  return [...granted].some((action) => {
    if (!legal.has(action)) return false;
    const kind = actionRows.get(action)?.kind;
    return kind === "change" || (kind === "verdict" && !harmlessActions.has(action));
  });
}

/**
 * What a fault becomes at each event. The pack's default counts where the hook asks for nothing that it can have:
 * `closed` closes wherever that is possible. Without one, a fault is closed where the event can be closed and the hook
 * guards it, and open elsewhere.
 */
export function failurePolicies(
  events: readonly EventName[],
  granted: ReadonlySet<string>,
  asked: FailurePolicy | undefined,
  packDefault: FailurePolicy | undefined,
): ReadonlyMap<EventName, FailurePolicy> {
  const wanted = asked ?? packDefault;
  return new Map(
    events.map((event) => {
      const closed =
        canFailClosed(event) &&
        (wanted === undefined ? canReturnStrongVerdict(event, granted) : wanted === "closed");
      return [event, closed ? "closed" : "open"];
    }),
  );
}
