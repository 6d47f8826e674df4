import type { Answers, Json } from "./client.ts";

/** Parts of answers in Claude Code's wire format, which several clients share. */

export const notice = (systemMessage: string): Json => ({ systemMessage });
export const endTurn = (stopReason: string): Json => ({ continue: false, stopReason });
export const block = (reason: string): Json => ({ decision: "block", reason });

/** `hookSpecificOutput` of an event. */
export const output = (hookEventName: string, fields: Json): Json => ({
  hookSpecificOutput: { hookEventName, ...fields },
});

export const context =
  (event: string) =>
  (additionalContext: string): Json =>
    output(event, { additionalContext });

/** `PreToolUse` by `permissionDecision`. */
export const preToolUse = {
  stop: (permissionDecisionReason: string): Json =>
    output("PreToolUse", { permissionDecision: "deny", permissionDecisionReason }),
  ask: (permissionDecisionReason: string): Json =>
    output("PreToolUse", { permissionDecision: "ask", permissionDecisionReason }),
  allow: (): Json => output("PreToolUse", { permissionDecision: "allow" }),
  /** Only together with `allow` do all clients take another input. */
  input: (updatedInput: Json): Json => output("PreToolUse", { permissionDecision: "allow", updatedInput }),
} satisfies Answers;

/** `PermissionRequest` by a decision. */
export const permissionRequest = {
  stop: (message: string): Json => output("PermissionRequest", { decision: { behavior: "deny", message } }),
  allow: (): Json => output("PermissionRequest", { decision: { behavior: "allow" } }),
} satisfies Answers;

/**
 * Another input for a client that merges it with the model's, so that no field can be taken out.
 *
 * @throws where a field was taken out: the step must not run with it.
 */
export function mergeable(title: string, input: Json, { tool_input }: Json): Json {
  const lost = Object.keys((tool_input ?? {}) as Json).filter((field) => !Object.hasOwn(input, field));
  if (lost.length === 0) return input;
  throw new Error(`${title} cannot remove a field of a tool's input (\`${lost.join("`, `")}\`)`);
}

/** A result as the text that a model reads. */
export function resultText(result: unknown): string {
  return typeof result === "string" ? result : JSON.stringify(result);
}
