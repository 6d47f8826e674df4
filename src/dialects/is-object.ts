/** Whether a value of JSON is an object: neither a list nor `null`. */
export function isObject(value: unknown): value is { readonly [field: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
