import { quote } from "@hookwarden/sandbox/json";
import { HookwardenError } from "../errors/index.ts";
import type { BrokerEvent } from "../broker/index.ts";

/** What stands in a record where something was masked. */
export const maskText = "[masked]";

/** An event without its masked values, and the values. */
export interface MaskedEvent {
  readonly event: { readonly [field: string]: unknown };
  /** The pointers at which something was masked. */
  readonly pointers: readonly string[];
  /** Everything that was at them. */
  readonly values: readonly unknown[];
}

/**
 * Reads a JSON pointer as its parts.
 *
 * @throws {HookwardenError} `option-invalid`, also for a pointer to the event's name or time: a record needs them.
 */
export function parseMask(pointer: string): readonly string[] {
  if (typeof pointer !== "string" || !/^(\/([^~/]|~[01])*)+$/.test(pointer)) {
    const what = typeof pointer === "string" ? quote(pointer) : String(pointer);
    throw new HookwardenError(
      "option-invalid",
      `\`log.mask\`: ${what} is no JSON pointer such as \`/tool_input/password\``,
    );
  }
  const parts = pointer
    .slice(1)
    .split("/")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  if (parts[0] === "hook_event_name" || parts[0] === "time" || (parts[0] === "*" && parts.length === 1)) {
    throw new HookwardenError("option-invalid", `\`log.mask\`: ${quote(pointer)} cannot be masked`);
  }
  return parts;
}

/** Masks an event. `null` where no mask meets anything. The event itself stays as it is. */
export function maskEvent(event: BrokerEvent, masks: readonly (readonly string[])[]): MaskedEvent | null {
  const pointers: string[] = [];
  const values: unknown[] = [];
  let masked: unknown = event;
  for (const parts of masks) {
    masked = replace(masked, parts, "", (pointer, value) => {
      pointers.push(pointer);
      values.push(value);
      return maskText;
    });
  }
  if (pointers.length === 0) return null;
  return { event: masked as MaskedEvent["event"], pointers, values };
}

function replace(
  value: unknown,
  parts: readonly string[],
  pointer: string,
  take: (pointer: string, value: unknown) => unknown,
): unknown {
  const [part, ...rest] = parts;
  if (part === undefined) return value === maskText ? value : take(pointer, value);
  if (typeof value !== "object" || value === null) return value;
  const keys = part === "*" ? Object.keys(value) : Object.hasOwn(value, part) ? [part] : [];
  // The length of an array is no member of it.
  const members = Array.isArray(value) ? keys.filter((key) => /^(0|[1-9]\d*)$/.test(key)) : keys;
  if (members.length === 0) return value;
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...value }) as {
    [key: string]: unknown;
  };
  for (const key of members) {
    const inner = `${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    copy[key] = replace(copy[key], rest, inner, take);
  }
  return copy;
}
