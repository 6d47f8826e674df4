import { withholdToolOutput, isObject } from "hookwarden/dialects";

/** What Claude Code is handed as the answer of a hook. */
export type Answer = { readonly [field: string]: unknown };

/**
 * The answer that lets nothing through, for when no decision could be made. Beside the dialect, and not made by it,
 * because the thin client must be able to give it when nothing else of us can be loaded.
 *
 * @param message the hook's input as it was parsed; anything at all.
 * @param sentence what went wrong; the model may read it.
 * @param halts whether the agent's turn ends too.
 */
export function closedAnswer(message: unknown, sentence: string, halts = false): Answer {
  const fields = isObject(message) ? message : {};
  const close = closings.get(fields["hook_event_name"]);
  const answer = close === undefined ? { systemMessage: sentence } : close(sentence, fields, halts);
  return halts ? { continue: false, stopReason: sentence, ...answer } : answer;
}

/** Whether an event is one that nothing may pass while we cannot decide, and that can be refused for ever. */
export function mustClose(message: unknown): boolean {
  if (!isObject(message)) return true;
  const event = message["hook_event_name"];
  // Refusing a stop for as long as we fail would keep the agent going without end.
  return !((event === "Stop" || event === "SubagentStop") && message["stop_hook_active"] === true);
}

type Closing = (sentence: string, message: { readonly [field: string]: unknown }, halts: boolean) => Answer;

const block: Closing = (reason) => ({ decision: "block", reason });
const end: Closing = (stopReason) => ({ continue: false, stopReason });
const blockOnce: Closing = (reason, message) =>
  mustClose(message) ? { decision: "block", reason } : { systemMessage: reason };

/** How each event that guards something is refused. Elsewhere there is nothing to refuse, and the person is told. */
const closings: ReadonlyMap<unknown, Closing> = new Map<string, Closing>([
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
