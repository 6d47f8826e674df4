/** A text as it is, any other value as JSON. */
export function asText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

/** Whether a value has the form that frameworks give a part of a message: an object with a `type`. */
export function isPart(value: unknown): boolean {
  return (
    typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string"
  );
}
