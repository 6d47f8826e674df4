import { type ActionName, actionRows, type EventName, eventRows } from "hookwarden/catalogue";
import type { LoadedPack } from "hookwarden/pack";
import type { ClientName } from "../clients/index.ts";
import { dialectOfClient } from "./client-dialect.ts";

/** A right of a hook that a client has no way to carry out. */
export interface Gap {
  readonly hook: string;
  readonly event: EventName;
  /** `null`: the client has no such event. */
  readonly action: ActionName | null;
}

/**
 * What a pack grants to hooks, and a client cannot carry out. A hook at an event that the client lacks would never run,
 * and an action that it lacks would be a fault.
 */
export function gapsOf(pack: LoadedPack, client: ClientName): Gap[] {
  const carried = new Map<EventName, Set<ActionName>>();
  for (const { event, carries } of dialectOfClient(client).rows.values()) {
    const set = carried.get(event) ?? new Set();
    for (const action of carries) set.add(action);
    carried.set(event, set);
  }
  return pack.hooks.flatMap(({ name, on, granted }) =>
    on.flatMap(({ event }): Gap[] => {
      const there = carried.get(event);
      const legal = new Set<ActionName>(eventRows.get(event)?.actions ?? []);
      const wanted = [...granted].filter(
        (action) => legal.has(action) && !actionRows.get(action)?.everywhere,
      );
      if (!there) return [{ hook: name, event, action: null }];
      return wanted.filter((action) => !there.has(action)).map((action) => ({ hook: name, event, action }));
    }),
  );
}

/** One line for a person. */
export function describeGap({ hook, event, action }: Gap): string {
  return action === null
    ? `hook \`${hook}\` would never run at ${event}, which the client does not have`
    : `hook \`${hook}\` may \`${action}\` at ${event}, which the client cannot do`;
}
