import { quote } from "@hookwarden/sandbox/json";
import { HookwardenError } from "../errors/index.ts";
import { acceptSchema, checkAgainst } from "../pack/index.ts";
import type { ToolInputCheck, ToolInputChecks } from "./tool-input.ts";

/** Input schemas of the host's tools, by tool name: JSON Schema, as passed to a model. */
export type ToolSchemas = { readonly [tool: string]: unknown } | ReadonlyMap<string, unknown>;

/**
 * Checks for the inputs of tools. The schemas may be untrusted, for example from MCP servers: they are
 * interpreted within limits, never compiled.
 *
 * @throws {HookwardenError} `option-invalid` with the tool's name where a schema cannot be used.
 */
export function toolInputChecks(tools: ToolSchemas): ToolInputChecks {
  const entries = tools instanceof Map ? [...tools] : Object.entries(tools);
  return new Map(entries.map(([tool, schema]) => [tool as string, checkFor(tool as string, schema)]));
}

function checkFor(tool: string, given: unknown): ToolInputCheck {
  // A copy: the prepared schema is cached by identity and must not change.
  const schema: unknown = structuredClone(given);
  const problem = acceptSchema(schema);
  if (problem) {
    const message = `the input schema of tool ${quote(tool)} cannot be used: it ${problem.message}`;
    throw new HookwardenError("option-invalid", message, { pointer: problem.pointer });
  }
  return (input) => {
    const wrong = checkAgainst(schema, input);
    return wrong && `${wrong.pointer === "" ? "it" : quote(wrong.pointer)} ${wrong.message}`;
  };
}
