import { type ActionName, type ActionRow, actions } from "./actions.ts";
import { type EventName, type EventRow, events } from "./events.ts";
import { commonFields } from "./fields.ts";

/**
 * The tables as Maps. Names that come from outside are only ever looked up here, byte for byte, so that
 * `constructor` or `__proto__` finds nothing.
 */
export const eventRows: ReadonlyMap<string, EventRow> = new Map<string, EventRow>(Object.entries(events));
export const actionRows: ReadonlyMap<string, ActionRow> = new Map<string, ActionRow>(Object.entries(actions));

export const eventNames = Object.keys(events) as readonly EventName[];
export const actionNames = Object.keys(actions) as readonly ActionName[];

const everywhere = actionNames.filter((name) => actionRows.get(name)?.everywhere);

const legal: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  [...eventRows].map(([name, row]) => [name, new Set<string>([...row.actions, ...everywhere])]),
);
const nothing: ReadonlySet<string> = new Set();

/** The actions that are legal at an event, those that are legal everywhere included; empty for an unknown event. */
export function legalActions(event: string): ReadonlySet<string> {
  return legal.get(event) ?? nothing;
}

/** The names of an event's fields that the catalogue knows: its own and the common ones. */
export function catalogueFields(event: string): readonly string[] {
  const row = eventRows.get(event);
  return row
    ? [...new Set(["hook_event_name", ...Object.keys(commonFields), ...Object.keys(row.fields)])]
    : [];
}
