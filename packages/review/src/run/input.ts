import { defaultMaxEventBytes, type EventInput, readEvent, type BrokerEvent } from "hookwarden/broker";
import { HookwardenError } from "hookwarden/errors";

/** Where an input comes from. */
export type InputOrigin = "recorded" | "case" | "sample" | "made" | "hostile";

export type Fields = { readonly [field: string]: unknown };

/** All that an answer of a hook can depend on. */
export interface Input {
  readonly origin: InputOrigin;
  /** Where it was found, or what was done to make it, in words. */
  readonly label: string;
  readonly event: BrokerEvent;
  readonly tenant: string;
  /** The hook's state as JSON text; `null` for none. */
  readonly state: string | null;
  /** Chance is drawn from it. */
  readonly decisionId: string;
  /** Facts in place of those that are derived from the event. */
  readonly facts?: { readonly [fact: string]: unknown };
  /** Whether a part of a text was put in place of another: what it does is not known, so what it reaches counts as unseen. */
  readonly spliced?: true;
  /** The configuration as JSON text, where it is not the pack's own. */
  readonly config?: string;
}

/** Time of an event that has none: every run must see the same. */
const noTime = Date.UTC(2026, 0, 15, 10, 30);

/**
 * Makes an input of an event.
 *
 * @returns `null` where it is no event that could be dispatched.
 */
export function inputOf(fields: Fields, origin: InputOrigin, label: string): Input | null {
  const event = validEvent(fields);
  return event && { origin, label, event, tenant: "default", state: null, decisionId: "review" };
}

/**
 * A recorded event, as `review` takes them.
 *
 * @param input the event as an object, as JSON text, or as the bytes of that.
 * @param place where it was found, in words.
 * @throws {HookwardenError} `event-not-json`, `event-too-large`, `event-unknown`, `event-invalid`
 */
export function recordedInput(input: EventInput, place: string): Input {
  const { event } = readEvent(input, defaultMaxEventBytes, noTime);
  return { origin: "recorded", label: place, event, tenant: "default", state: null, decisionId: "review" };
}

/** The event checked, `time` included; `null` where it is none. */
export function validEvent(fields: Fields): BrokerEvent | null {
  try {
    return readEvent(fields, defaultMaxEventBytes * 4, noTime).event;
  } catch (error) {
    if (error instanceof HookwardenError) return null;
    throw error;
  }
}
