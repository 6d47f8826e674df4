import type { AgentClient, Json } from "./client.ts";

const cancel = (errorMessage: string): Json => ({ cancel: true, errorMessage });
const context = (contextModification: string): Json => ({ contextModification });

const common = ({ taskId, workspaceRoots }: Json): Json => ({
  session_id: taskId,
  ...(Array.isArray(workspaceRoots) && typeof workspaceRoots[0] === "string"
    ? { cwd: workspaceRoots[0] }
    : {}),
});

/** Cline CLI. A hook can only cancel, which ends the whole task. */
export const cline: AgentClient = {
  name: "cline",
  title: "Cline CLI",
  npm: "cline",
  binary: "cline",
  namesEvent: false,
  events: {
    // It does not wait for this hook: a halt is kept for the next tool.
    TaskStart: { event: "SessionStart", read: common, answers: {} },
    PreToolUse: {
      event: "PreToolUse",
      read: toolOf,
      answers: { stop: cancel, halt: cancel, context, input: (overrideInput) => ({ overrideInput }) },
      instead: { ask: "stop" },
      // It runs the tool whatever status the hook ends with.
      fallback: "answer",
    },
    PostToolUse: {
      event: "PostToolUse",
      read: (message) => ({ ...toolOf(message), tool_response: resultOf(message) }),
      answers: { stop: cancel, halt: cancel, context },
      fallback: "answer",
    },
    TaskComplete: { event: "TurnComplete", read: common, answers: {} },
    TaskError: {
      event: "StopFailure",
      read: (message) => ({ ...common(message), error: JSON.stringify(message["taskError"] ?? "error") }),
      answers: {},
    },
    SessionShutdown: { event: "SessionEnd", read: common, answers: {} },
  },
  gaps: [
    "prompts: the command line fires no `UserPromptSubmit`",
    "a halt at the start of a task: Cline does not wait for that hook, so that a tool which is called at once may run",
  ],
};

/** The input of `tool_call` has its types; that of `preToolUse` holds texts only. */
function toolOf(message: Json): Json {
  const call = (message["tool_call"] ?? message["tool_result"] ?? {}) as Json;
  const named = (message["preToolUse"] ?? message["postToolUse"] ?? {}) as Json;
  return {
    ...common(message),
    tool_name: call["name"] ?? named["toolName"],
    tool_input: call["input"] ?? named["parameters"] ?? {},
    ...(typeof call["id"] === "string" ? { tool_use_id: call["id"] } : {}),
  };
}

function resultOf(message: Json): unknown {
  const { output, result } = (message["tool_result"] ?? {}) as Json;
  const { result: text } = (message["postToolUse"] ?? {}) as Json;
  return output ?? result ?? text ?? "";
}
