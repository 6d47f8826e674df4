import {
  block,
  context,
  endTurn,
  notice,
  permissionRequest,
  preToolUse,
  resultText,
} from "./answer-parts.ts";
import type { AgentClient } from "./client.ts";

/**
 * OpenAI Codex CLI. It reads answers strictly: one field that it does not know, or a denial without a reason, and the
 * whole answer counts for nothing and the tool runs.
 */
export const codex: AgentClient = {
  name: "codex",
  title: "OpenAI Codex CLI",
  npm: "@openai/codex",
  binary: "codex",
  events: {
    SessionStart: {
      event: "SessionStart",
      answers: { halt: endTurn, context: context("SessionStart"), notice },
    },
    UserPromptSubmit: {
      event: "UserPromptSubmit",
      answers: { stop: block, context: context("UserPromptSubmit"), notice },
    },
    PreToolUse: {
      event: "PreToolUse",
      answers: {
        stop: preToolUse.stop,
        input: preToolUse.input,
        context: context("PreToolUse"),
        notice,
      },
      instead: { ask: "stop" },
    },
    PermissionRequest: {
      event: "PermissionRequest",
      answers: { ...permissionRequest, notice },
      instead: { ask: "stop" },
    },
    PostToolUse: {
      event: "PostToolUse",
      answers: {
        stop: block,
        // The reason takes the place of the result.
        result: (result) => block(resultText(result)),
        context: context("PostToolUse"),
        notice,
      },
    },
    PreCompact: { event: "PreCompact", answers: { halt: endTurn, notice } },
    PostCompact: { event: "PostCompact", answers: { notice } },
    SubagentStart: {
      event: "SubagentStart",
      answers: { context: context("SubagentStart"), notice },
    },
    SubagentStop: { event: "SubagentStop", answers: { retry: block, notice } },
    Stop: { event: "Stop", answers: { retry: block, notice } },
    SessionEnd: { event: "SessionEnd", answers: {} },
  },
  note: "start Codex and trust the hooks with `/hooks`; until then Codex does not run them",
  gaps: ["web search that the provider runs"],
};
