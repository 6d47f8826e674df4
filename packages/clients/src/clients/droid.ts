import { block, context, endTurn, mergeable, notice, preToolUse } from "./answer-parts.ts";
import type { AgentClient } from "./client.ts";

/** Factory droid. */
export const droid: AgentClient = {
  name: "droid",
  title: "Factory droid",
  npm: "droid",
  binary: "droid",
  events: {
    SessionStart: {
      event: "SessionStart",
      answers: { context: context("SessionStart"), notice },
    },
    PreToolUse: {
      event: "PreToolUse",
      answers: {
        stop: preToolUse.stop,
        halt: endTurn,
        allow: preToolUse.allow,
        input: (input, message) => preToolUse.input(mergeable("droid", input, message)),
        notice,
      },
      // `ask` runs the tool where permissions are skipped.
      instead: { ask: "stop" },
    },
    PostToolUse: {
      event: "PostToolUse",
      // A result cannot be replaced: a denial ends the turn before the model sees it.
      answers: { stop: endTurn, halt: endTurn, context: context("PostToolUse"), notice },
    },
    SubagentStop: { event: "SubagentStop", answers: { retry: block, notice } },
    Stop: { event: "Stop", answers: { retry: block, notice } },
    PreCompact: { event: "PreCompact", answers: { notice } },
    Notification: { event: "Notification", answers: {} },
    SessionEnd: { event: "SessionEnd", answers: {} },
  },
  gaps: [
    "prompts: `droid exec` fires no `UserPromptSubmit`",
    "subagents: they need droid's own daemon, so that `doctor` cannot test them",
    "a file `hooks.json` with its events in an object `hooks`, which droid does not read",
  ],
};
