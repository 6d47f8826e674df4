import { isObject } from "@hookwarden/sandbox/json";
import { withholdToolOutput } from "hookwarden/dialects";

/** The answer of a hook to Claude Code. */
export type Answer = { readonly [field: string]: unknown };

/**
 * The answer that refuses an event when there is no decision. It does not use the dialect's reply, because the thin client
 * must be able to give it when nothing else of hookwarden can be loaded.
 *
 * @param message the hook's parsed input; any value.
 * @param sentence what went wrong; shown to the model.
 * @param halts whether the agent's turn ends as well.
 */
export function failClosedAnswer(message: unknown, sentence: string, halts = false): Answer {
  const fields = isObject(message) ? message : {};
  const close = refusals.get(fields["hook_event_name"]);
  const answer = close === undefined ? { systemMessage: sentence } : close(sentence, fields, halts);
  return halts ? { continue: false, stopReason: sentence, ...answer } : answer;
}

/** Whether an event without a decision must be refused: all but a repeated stop. */
export function mustFailClosed(message: unknown): boolean {
  if (!isObject(message)) return true;
  const event = message["hook_event_name"];
  // Refusing each stop while hookwarden fails would keep the agent running forever.
  return !((event === "Stop" || event === "SubagentStop") && message["stop_hook_active"] === true);
}

type Refuse = (sentence: string, message: { readonly [field: string]: unknown }, halts: boolean) => Answer;

const block: Refuse = (reason) => ({ decision: "block", reason });
const end: Refuse = (stopReason) => ({ continue: false, stopReason });
const blockOnce: Refuse = (reason, message) =>
  mustFailClosed(message) ? { decision: "block", reason } : { systemMessage: reason };

/** How each event that can be refused is refused. At other events, the person gets a message. */
const refusals: ReadonlyMap<unknown, Refuse> = new Map<string, Refuse>([
  ["SessionStart", end],
  ["SubagentStart", end],
  ["UserPromptSubmit", block],
  [
    "PreToolUse",
    (permissionDecisionReason) => ({
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "deny",
        permissionDecisionReason,
      },
    }),
  ],
  [
    "PermissionRequest",
    (message, _, halts) => ({
      hookSpecificOutput: {
        hookEventName: "PermissionRequest",
        decision: { behavior: "deny", message, ...(halts ? { interrupt: true } : {}) },
      },
    }),
  ],
  [
    "PostToolUse",
    (reason, message) => ({
      decision: "block",
      reason,
      hookSpecificOutput: {
        hookEventName: "PostToolUse",
        updatedToolOutput: withholdToolOutput(message["tool_response"]),
      },
    }),
  ],
  ["Stop", blockOnce],
  ["SubagentStop", blockOnce],
  ["PreCompact", block],
]);
