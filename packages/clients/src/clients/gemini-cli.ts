import { context, endTurn, mergeable, notice, output, resultText } from "./answer-parts.ts";
import type { AgentClient, Json } from "./client.ts";

const deny = (reason: string): Json => ({ decision: "deny", reason });

/** Google Gemini CLI. */
export const geminiCli: AgentClient = {
  name: "gemini-cli",
  title: "Google Gemini CLI",
  npm: "@google/gemini-cli",
  binary: "gemini",
  events: {
    SessionStart: { event: "SessionStart", answers: { context: context("SessionStart"), notice } },
    BeforeAgent: {
      event: "UserPromptSubmit",
      answers: { stop: deny, halt: endTurn, context: context("BeforeAgent"), notice },
    },
    BeforeModel: {
      event: "PreModelRequest",
      read: ({ llm_request }) => modelRequest(llm_request),
      answers: { stop: deny, halt: endTurn, notice },
    },
    BeforeTool: {
      event: "PreToolUse",
      answers: {
        stop: deny,
        halt: endTurn,
        input: (input, message) =>
          output("BeforeTool", { tool_input: mergeable("Gemini CLI", input, message) }),
        notice,
      },
      // Without a terminal, `ask` waits for ever.
      instead: { ask: "stop" },
    },
    AfterTool: {
      event: "PostToolUse",
      answers: {
        stop: deny,
        halt: endTurn,
        // The reason takes the place of the result.
        result: (result) => deny(resultText(result)),
        context: context("AfterTool"),
        notice,
      },
    },
    AfterAgent: {
      event: "Stop",
      read: ({ prompt_response }) => ({ last_assistant_message: prompt_response }),
      answers: { retry: deny, halt: endTurn, notice },
    },
    PreCompress: { event: "PreCompact", answers: { notice } },
    Notification: { event: "Notification", answers: { notice } },
    SessionEnd: { event: "SessionEnd", answers: {} },
  },
  gaps: [],
};

function modelRequest(request: unknown): Json {
  const { model, messages, config } = (request ?? {}) as Json;
  return {
    model,
    messages: (Array.isArray(messages) ? (messages as Json[]) : []).map(({ role, content }) => ({
      role: role === "model" ? "assistant" : role,
      content,
    })),
    ...(config === undefined ? {} : { params: config }),
  };
}
