import { isObject, quote } from "@hookwarden/sandbox/json";
import type { Decision } from "../broker/index.ts";
import { invalid } from "./message.ts";
import { unsupported, writersOf } from "./decision-queries.ts";

/**
 * The arguments of a tool call as `tool_input`, which is an object: where a system's are an array, it stands in `args`.
 *
 * @param field what the arguments are called in the message.
 * @throws {HookwardenError} `event-invalid` for arguments that are neither.
 */
export function toToolInput(value: unknown, field: string): { readonly [field: string]: unknown } {
  if (Array.isArray(value)) return { args: value };
  if (isObject(value)) return value;
  throw invalid(`${quote(field)} is neither an object nor an array`, `/${field}`);
}

/**
 * Rewritten arguments in the form that the system gave them in.
 *
 * @param original the arguments as the message had them.
 * @throws {HookwardenError} `dialect-unsupported` where an array was given, and hooks made something else of it.
 */
export function fromToolInput(original: unknown, decision: Decision): unknown {
  const input = decision.changes.tool_input as { readonly args?: unknown };
  if (!Array.isArray(original)) return input;
  if (Array.isArray(input.args) && Object.keys(input).length === 1) return input.args;
  const writer = writersOf(decision, "modify_input").at(-1) ?? "";
  throw unsupported(
    decision,
    `the arguments are an array, and hook ${quote(writer)} has made them an input without just \`args\``,
  );
}
