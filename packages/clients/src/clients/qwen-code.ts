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

/** Qwen Code. */
export const qwenCode: AgentClient = {
  name: "qwen-code",
  title: "Qwen Code",
  npm: "@qwen-code/qwen-code",
  binary: "qwen",
  events: {
    SessionStart: { event: "SessionStart", answers: { context: context("SessionStart"), notice } },
    UserPromptSubmit: {
      event: "UserPromptSubmit",
      answers: { stop: block, halt: endTurn, context: context("UserPromptSubmit"), notice },
    },
    PreToolUse: {
      event: "PreToolUse",
      answers: {
        stop: preToolUse.stop,
        ask: preToolUse.ask,
        notice,
      },
    },
    PermissionRequest: { event: "PermissionRequest", answers: { ...permissionRequest, notice } },
    PostToolUse: {
      event: "PostToolUse",
      answers: {
        // The reason takes the place of the result, and the turn goes on.
        stop: endTurn,
        result: (result) => endTurn(resultText(result)),
        context: context("PostToolUse"),
        notice,
      },
    },
    PostToolUseFailure: {
      event: "PostToolUseFailure",
      answers: { context: context("PostToolUseFailure"), notice },
    },
    SubagentStart: { event: "SubagentStart", answers: { notice } },
    SubagentStop: { event: "SubagentStop", answers: { retry: block, notice } },
    Stop: { event: "Stop", answers: { retry: block, notice } },
    StopFailure: { event: "StopFailure", answers: {} },
    PreCompact: { event: "PreCompact", answers: { notice } },
    PostCompact: { event: "PostCompact", answers: {} },
    Notification: { event: "Notification", answers: {} },
    SessionEnd: { event: "SessionEnd", answers: {} },
  },
  gaps: [],
};
