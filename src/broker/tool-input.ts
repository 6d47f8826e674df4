/** Checks the input of one tool: `null` if it is valid, otherwise a description of the problem. */
export type ToolInputCheck = (input: unknown) => string | null;

/** The checks that a host registered, by tool name, byte for byte. */
export type ToolInputChecks = ReadonlyMap<string, ToolInputCheck>;

/**
 * Whether any string or key of a JSON value contains U+0000: consumers written in C would read a path or a command only
 * up to there, so that what was checked is not what runs.
 */
export function containsNul(value: unknown): boolean {
  if (typeof value === "string") return value.includes("\0");
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some(containsNul);
  return Object.entries(value).some(([key, inner]) => key.includes("\0") || containsNul(inner));
}
