import {
  forbiddenEventKeys,
  JsonError,
  type JsonLimits,
  quote,
  readJson,
  readJsonBytes,
} from "@hookwarden/sandbox/json";
import { type EventName, eventNames, validateEvent, type ValidationError } from "../catalogue/index.ts";
import { didYouMean, HookwardenError, nearestName, readingJson } from "../errors/index.ts";
import type { BrokerEvent } from "./event.ts";
import { isoTime } from "./iso-time.ts";
import { maxEventDepth, snapshot, tooLarge } from "./snapshot.ts";

/** Largest event by default, in bytes of JSON. */
export const defaultMaxEventBytes = 8 * 1_048_576;

/** What a host may hand in: an object, or the JSON text of one, or the bytes of that. */
export type EventInput = object | string | Uint8Array;

/** An event that can be dispatched. */
export interface ReadEvent {
  readonly event: BrokerEvent;
  /** Its `time`, in milliseconds since 1970. */
  readonly clock: number;
}

/**
 * Reads one event, checks it against its schema, and adds `time` where it is absent.
 *
 * @param time in milliseconds since 1970: what `time` becomes where the event has none.
 * @throws {HookwardenError} `event-not-json`, `event-too-large`, `event-unknown` or `event-invalid`.
 */
export function readEvent(input: unknown, maxBytes: number, time: number): ReadEvent {
  const value =
    typeof input === "string" || input instanceof Uint8Array
      ? parse(input, maxBytes)
      : snapshot(input, maxBytes);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new HookwardenError("event-invalid", "the event is not a JSON object", { pointer: "" });
  }
  const event = value as Record<string, unknown>;
  const name = Object.hasOwn(event, "hook_event_name") ? event.hook_event_name : undefined;
  if (typeof name !== "string") {
    const near = nearestName("hook_event_name", Object.keys(event));
    const hint = near === null || near === "hook_event_name" ? "" : `; did you mean it by ${quote(near)}?`;
    const fix = "Add `hook_event_name`, such as `PreToolUse`.";
    throw new HookwardenError(
      "event-invalid",
      `the event has no \`hook_event_name\`${hint}`,
      { pointer: "/hook_event_name" },
      { fix },
    );
  }
  const validate = validateEvent.get(name);
  if (!validate) {
    const message = `there is no event ${quote(name)}${didYouMean(name, eventNames)}`;
    throw new HookwardenError("event-unknown", message, { pointer: "/hook_event_name" });
  }
  if (!validate(event)) throw invalid(name as EventName, event, validate.errors?.[0]);
  if (event.time !== undefined)
    return { event: event as BrokerEvent, clock: Date.parse(event.time as string) };
  event.time = isoTime(time);
  return { event: event as BrokerEvent, clock: time };
}

/** Limits of the strict reader for a host's JSON: events and other systems' messages. */
export function eventJsonLimits(maxBytes: number): JsonLimits {
  return {
    maxBytes,
    maxDepth: maxEventDepth,
    // Already bounded by the size of the text.
    maxKeys: Infinity,
    maxKeyLength: 65_536,
    forbiddenKeys: forbiddenEventKeys,
  };
}

function parse(input: string | Uint8Array, maxBytes: number): unknown {
  const limits = eventJsonLimits(maxBytes);
  return readingJson("event-not-json", "the event", () => {
    try {
      return typeof input === "string" ? readJson(input, limits) : readJsonBytes(input, limits);
    } catch (error) {
      throw error instanceof JsonError && error.code === "too-large" ? tooLarge(maxBytes) : error;
    }
  });
}

function invalid(name: EventName, event: object, error: ValidationError | undefined): HookwardenError {
  const { pointer, problem } = describeError(error);
  const lacks = error?.keyword === "required" && pointer === "" ? String(error.params.missingProperty) : null;
  const near = lacks === null ? null : nearestName(lacks, Object.keys(event));
  const hint = near === null ? "" : `; did you mean it by ${quote(near)}?`;
  const what = lacks === null ? `${quote(pointer)} ${problem}` : `${quote(lacks)} is missing${hint}`;
  const fix = `Correct the event; docs/events.md#${name.toLowerCase()} lists its fields.`;
  return new HookwardenError("event-invalid", `not a valid \`${name}\` event: ${what}`, { pointer }, { fix });
}

/** An error of a compiled validator as pointer and words. Does not reveal the refused value. */
export function describeError(error: ValidationError | undefined): { pointer: string; problem: string } {
  if (!error) return { pointer: "", problem: "does not match its schema" };
  const { instancePath: pointer, keyword, params } = error;
  switch (keyword) {
    case "required":
      return { pointer, problem: `must have ${quote(String(params.missingProperty))}` };
    case "additionalProperties":
      return { pointer, problem: `must not have ${quote(String(params.additionalProperty))}` };
    case "enum":
      return {
        pointer,
        problem: `must be one of ${(params.allowedValues as unknown[]).map((v) => `\`${String(v)}\``).join(", ")}`,
      };
    case "format":
      return { pointer, problem: `must be a ${String(params.format)}, such as \`2026-01-31T12:00:00Z\`` };
    case "pattern":
      // The pattern of reasons asks for something visible, that of names for no control characters.
      return {
        pointer,
        problem:
          params.pattern === "\\S" ? "must not be blank" : "has an invalid form or a forbidden character",
      };
    case "propertyNames":
      return { pointer, problem: `must not have a key ${quote(String(params.propertyName))}` };
    case "type":
      return {
        pointer,
        problem: `must be ${/^[aeio]/.test(String(params.type)) ? "an" : "a"} ${String(params.type)}`,
      };
    default:
      return { pointer, problem: error.message ?? "does not match its schema" };
  }
}
