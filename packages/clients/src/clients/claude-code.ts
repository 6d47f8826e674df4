import type { AgentClient, ClientEvent } from "./client.ts";

/**
 * Claude Code. Its answers are those of the dialect `claude-code`, which its Agent SDK and the server share; here are
 * only its names.
 */
const events = [
  "SessionStart",
  "SessionEnd",
  "UserPromptSubmit",
  "PreToolUse",
  "PermissionRequest",
  "PermissionDenied",
  "PostToolUse",
  "PostToolUseFailure",
  "Stop",
  "StopFailure",
  "SubagentStart",
  "SubagentStop",
  "PreCompact",
  "PostCompact",
  "Notification",
] as const;

export const claudeCode: AgentClient = {
  name: "claude-code",
  title: "Claude Code",
  npm: "@anthropic-ai/claude-code",
  binary: "claude",
  events: Object.fromEntries(events.map((event): [string, ClientEvent] => [event, { event, answers: {} }])),
  gaps: [],
};
