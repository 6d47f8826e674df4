import { readEvent, defaultMaxEventBytes, type EventInput } from "hookwarden/broker";
import type { EventName } from "hookwarden/catalogue";

/** Where an event comes from: it was recorded, stands in a test case, or was made from another one. */
export type Origin = "recorded" | "case" | "neighbour";

/** An event that both versions decide. */
export interface DiffEvent {
  readonly origin: Origin;
  /** Where it was found, in words; for a neighbour, that of the event it was made from and what was done to it. */
  readonly place: string;
  readonly name: EventName;
  /** Valid against the catalogue, `time` included. */
  readonly fields: { readonly [field: string]: unknown };
  /** Bytes of it as JSON: the measure of the smallest example. */
  readonly bytes: number;
  /** The same on both sides, so that chance is. */
  readonly decisionId: string;
}

/**
 * Checks an event and adds its `time` (1970 where it has none: both sides, and every run, must see the same).
 *
 * @throws {HookwardenError} `event-not-json`, `event-too-large`, `event-unknown`, `event-invalid`
 */
export function diffEvent(input: EventInput, origin: Origin, place: string, decisionId: string): DiffEvent {
  const { event } = readEvent(input, defaultMaxEventBytes, 0);
  return {
    origin,
    place,
    name: event.hook_event_name,
    fields: event,
    bytes: Buffer.byteLength(JSON.stringify(event)),
    decisionId,
  };
}
