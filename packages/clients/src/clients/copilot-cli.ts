import { resultText } from "./answer-parts.ts";
import type { AgentClient, Json } from "./client.ts";

const context = (additionalContext: string): Json => ({ additionalContext });
const block = (reason: string): Json => ({ decision: "block", reason });
const shown = (textResultForLlm: string): Json => ({
  modifiedResult: { resultType: "success", textResultForLlm },
});
const prompt = (modifiedTransformedPrompt: string): Json => ({ modifiedTransformedPrompt });

const common = ({ sessionId, cwd }: Json): Json => ({ session_id: sessionId, cwd });
const tool = (message: Json): Json => ({
  ...common(message),
  tool_name: message["toolName"],
  tool_input: objectOf(message["toolArgs"]),
});

/** GitHub Copilot CLI. Its answers are flat, and it drops what hooks answer at `userPromptSubmitted`. */
export const copilotCli: AgentClient = {
  name: "copilot-cli",
  title: "GitHub Copilot CLI",
  npm: "@github/copilot",
  binary: "copilot",
  namesEvent: false,
  events: {
    sessionStart: { event: "SessionStart", read: common, answers: { context } },
    userPromptTransformed: {
      event: "UserPromptSubmit",
      read: (message) => ({ ...common(message), prompt: message["transformedPrompt"] }),
      answers: {
        // A prompt cannot be blocked there: the model gets the refusal instead of it.
        stop: (reason) => prompt(`A policy withheld the user's message: ${reason}`),
        prompt,
        context: (text, message) => prompt(`${String(message["transformedPrompt"])}\n\n${text}`),
      },
      fallback: "answer",
    },
    preToolUse: {
      event: "PreToolUse",
      read: tool,
      answers: {
        stop: (permissionDecisionReason) => ({ permissionDecision: "deny", permissionDecisionReason }),
        ask: (permissionDecisionReason) => ({ permissionDecision: "ask", permissionDecisionReason }),
        allow: () => ({ permissionDecision: "allow" }),
        input: (modifiedArgs) => ({ permissionDecision: "allow", modifiedArgs }),
      },
    },
    permissionRequest: {
      event: "PermissionRequest",
      read: (message) => ({
        ...common(message),
        tool_name: message["toolName"],
        tool_input: objectOf(message["toolInput"] ?? message["toolArgs"]),
      }),
      answers: {
        stop: (message) => ({ behavior: "deny", message }),
        halt: (message) => ({ behavior: "deny", message, interrupt: true }),
        allow: () => ({ behavior: "allow" }),
      },
    },
    postToolUse: {
      event: "PostToolUse",
      read: (message) => ({
        ...tool(message),
        tool_response: (message["toolResult"] as Json | undefined)?.["textResultForLlm"] ?? "",
      }),
      answers: {
        stop: (reason) => shown(`A policy withheld the result of this tool: ${reason}`),
        result: (result) => shown(resultText(result)),
        context,
      },
      fallback: "answer",
    },
    postToolUseFailure: {
      event: "PostToolUseFailure",
      read: (message) => ({ ...tool(message), error: message["error"] }),
      answers: {},
    },
    agentStop: { event: "Stop", read: common, answers: { retry: block } },
    subagentStart: {
      event: "SubagentStart",
      read: (message) => ({
        ...common(message),
        agent_id: message["agentName"],
        agent_type: message["agentName"],
      }),
      answers: { context },
    },
    subagentStop: {
      event: "SubagentStop",
      read: (message) => ({
        ...common(message),
        agent_id: message["agentId"] ?? message["agentName"],
        agent_type: message["agentType"] ?? message["agentName"],
        last_assistant_message: message["response"],
      }),
      answers: { retry: block },
    },
    preCompact: {
      event: "PreCompact",
      read: (message) => ({ ...common(message), trigger: message["trigger"] }),
      answers: {},
    },
    notification: { event: "Notification", read: common, answers: {} },
    sessionEnd: { event: "SessionEnd", read: common, answers: {} },
  },
  gaps: [],
};

/** Arguments come as an object, or as the JSON text of one. */
function objectOf(value: unknown): unknown {
  if (typeof value !== "string") return value ?? {};
  try {
    return JSON.parse(value);
  } catch {
    return { input: value };
  }
}
