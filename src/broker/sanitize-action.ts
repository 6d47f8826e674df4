import { actionRows } from "../catalogue/index.ts";
import type { Action } from "./decision.ts";
import { noReadableReason, noReadableText, sanitizeVisibleText } from "../text/index.ts";

/** The fields of actions that are texts for people or the model, with the replacement for a text without visible characters. */
const textFields: ReadonlyMap<string, string> = new Map([
  ["reason", noReadableReason],
  ["feedback", noReadableReason],
  ["text", noReadableText],
]);

const fieldsOf: ReadonlyMap<string, readonly string[]> = new Map(
  [...actionRows].map(([name, row]) => [
    name,
    Object.keys(row.payload).filter((field) => textFields.has(field)),
  ]),
);

/** Makes the texts of a validated action safe to show. Works in place: the action is ours alone. */
export function sanitizeAction(action: Action): void {
  const fields = action as unknown as Record<string, unknown>;
  for (const field of fieldsOf.get(action.action) ?? []) {
    const text = fields[field];
    if (typeof text === "string") fields[field] = sanitizeVisibleText(text, textFields.get(field) as string);
  }
  if (action.action === "inject") {
    for (const message of action.messages as { content: string }[]) {
      message.content = sanitizeVisibleText(message.content, noReadableText);
    }
  }
}
