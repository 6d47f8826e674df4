import { quote } from "@hookwarden/sandbox/json";
import { HookwardenError } from "../errors/index.ts";
import { acceptSchema, checkAgainst } from "../pack/index.ts";
import type { ToolInputCheck, ToolInputChecks } from "./tool-input.ts";

/** Input schemas of the host's tools, by tool name: JSON Schema, as a model is given it. */
export type ToolSchemas = { readonly [tool: string]: unknown } | ReadonlyMap<string, unknown>;

/**
 * Checks for the inputs of tools. Such schemas may come from strangers, as those of MCP servers do: they are
 * interpreted within limits, never compiled.
 *
 * @throws {HookwardenError} `option-invalid` with the tool's name where a schema cannot be used.
 */
export function toolInputChecks(tools: ToolSchemas): ToolInputChecks {
  const entries = tools instanceof Map ? [...tools] : Object.entries(tools);
  return new Map(entries.map(([tool, schema]) => [tool as string, checkFor(tool as string, schema)]));
}

function checkFor(tool: string, given: unknown): ToolInputCheck {
  // A copy: what was learnt of a schema holds for as long as nobody changes it.
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
