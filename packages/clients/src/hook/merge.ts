import type { Json } from "../clients/index.ts";

/** One answer of several parts. A field that two parts have is merged if both are objects, and otherwise the first's. */
export function merged(parts: readonly Json[]): Json {
  const result: { [field: string]: unknown } = {};
  for (const part of parts) {
    for (const [field, value] of Object.entries(part)) {
      const there = result[field];
      if (there === undefined) result[field] = value;
      else if (isPlain(there) && isPlain(value)) result[field] = merged([there, value]);
    }
  }
  return result;
}

function isPlain(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
