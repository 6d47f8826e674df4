import { asSchema } from "ai";
import type { AnyTool } from "./types.ts";

/** Holds an input to the tool's schema, and gives what the schema makes of it. */
export async function validateInput(tool: AnyTool, input: unknown): Promise<unknown> {
  const schema = asSchema(tool.inputSchema);
  if (!schema.validate) return input;
  const outcome = await schema.validate(input);
  if (!outcome.success) throw outcome.error;
  return outcome.value;
}
