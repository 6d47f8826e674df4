import { JsonError, quote, readJson, readJsonBytes, isObject } from "@hookwarden/sandbox/json";
import { type EventInput, eventJsonLimits, snapshot, tooLarge } from "../broker/index.ts";
import { eventRows } from "../catalogue/index.ts";
import { HookwardenError, readingJson } from "../errors/index.ts";
import type { DialectRow, Message } from "./dialect.ts";

/** Fields that every dialect hands on as they are, where a message has them. */
const commonFields = ["session_id", "time", "cwd", "agent_id", "agent_type"] as const;

/** The session of messages that name none. */
const defaultSession = "default";

/**
 * Reads one message: an object, its JSON text, or the bytes of that. The result is a copy.
 *
 * @throws {HookwardenError} `event-not-json`, `event-too-large` or `event-invalid`
 */
export function readMessage(input: EventInput, maxBytes: number): Message {
  const value =
    typeof input === "string" || input instanceof Uint8Array
      ? readText(input, maxBytes, "the message", "")
      : snapshot(input, maxBytes);
  if (!isObject(value)) throw invalid("the message is not a JSON object", "");
  return value;
}

/**
 * Reads a JSON text that stands in a message as strictly as the message itself.
 *
 * @throws {HookwardenError} `event-not-json` at the text's own place.
 */
export function readInnerText(text: unknown, field: string): unknown {
  const pointer = `/${field}`;
  if (typeof text !== "string") throw invalid(`${quote(field)} is not a JSON text`, pointer);
  return readText(text, Infinity, quote(field), pointer);
}

function readText(text: string | Uint8Array, maxBytes: number, what: string, at: string): unknown {
  const limits = eventJsonLimits(maxBytes);
  const read = (): unknown => {
    try {
      return typeof text === "string" ? readJson(text, limits) : readJsonBytes(text, limits);
    } catch (error) {
      throw error instanceof JsonError && error.code === "too-large" ? tooLarge(maxBytes) : error;
    }
  };
  return readingJson("event-not-json", what, read, at === "" ? {} : { pointer: at });
}

/** A field of a message; `undefined` where it has none of its own. */
export function fieldOf(message: Message, field: string): unknown {
  return Object.hasOwn(message, field) ? message[field] : undefined;
}

/**
 * The row of a message.
 *
 * @param field where the message names its event.
 * @throws {HookwardenError} `event-unknown`, or `event-invalid` for a message that names none.
 */
export function rowOf<Row>(
  rows: ReadonlyMap<string, Row>,
  message: Message,
  field: string,
  dialect: string,
): [string, Row] {
  const name = fieldOf(message, field);
  const pointer = `/${field}`;
  if (typeof name !== "string") throw invalid(`the message has no ${quote(field)}`, pointer);
  const row = rows.get(name);
  if (row) return [name, row];
  const message_ = `${dialect} has no event ${quote(name)}; it has ${[...rows.keys()].join(", ")}`;
  throw new HookwardenError("event-unknown", message_, { pointer });
}

/**
 * The event of a row whose fields need no more than another name.
 *
 * @param extra fields that needed more; they count over those of the same name.
 * @throws {HookwardenError} `event-invalid` where the message lacks a field that the event must have.
 */
export function eventOf(
  name: string,
  row: DialectRow,
  message: Message,
  extra: { readonly [field: string]: unknown } = {},
): { readonly [field: string]: unknown } {
  const event: { [field: string]: unknown } = { hook_event_name: row.event, ...commonOf(message) };
  const known = eventRows.get(row.event)?.fields ?? {};
  for (const [wire, field] of Object.entries(row.fields ?? {})) {
    const value = fieldOf(message, wire);
    if (value !== undefined) event[field] = value;
    else if (!known[field]?.optional && extra[field] === undefined) {
      throw invalid(`the message is no ${quote(name)}: it must have ${quote(wire)}`, `/${wire}`);
    }
  }
  for (const [field, value] of Object.entries(extra)) if (value !== undefined) event[field] = value;
  return event;
}

/** The fields that all events have in common, as far as the message has them. */
export function commonOf(message: Message): { readonly [field: string]: unknown } {
  const common: { [field: string]: unknown } = { session_id: defaultSession };
  for (const field of commonFields) {
    const value = fieldOf(message, field);
    if (value !== undefined) common[field] = value;
  }
  return common;
}

export function invalid(message: string, pointer: string): HookwardenError {
  return new HookwardenError("event-invalid", message, { pointer });
}
