import { resultText } from "./answer-parts.ts";
import type { AgentClient, Json } from "./client.ts";

const deny = (reason: string): Json => ({ deny: reason });
const context = (text: string): Json => ({ context: text });

/**
 * opencode. Its hooks are functions of a plugin; `install` writes one that calls the hook program with these messages
 * and throws where the answer denies.
 */
export const opencode: AgentClient = {
  name: "opencode",
  title: "opencode",
  npm: "opencode-ai",
  binary: "opencode",
  events: {
    "chat.message": {
      event: "UserPromptSubmit",
      answers: { stop: deny, prompt: (prompt) => ({ prompt }), context },
    },
    "tool.execute.before": {
      event: "PreToolUse",
      answers: { stop: deny, input: (input) => ({ input }) },
      instead: { ask: "stop" },
    },
    "tool.execute.after": {
      event: "PostToolUse",
      answers: {
        stop: (reason) => ({ result: `A policy withheld the result of this tool: ${reason}` }),
        result: (result) => ({ result: resultText(result) }),
        context,
      },
    },
    "session.created": { event: "SessionStart", answers: {} },
    "session.idle": { event: "TurnComplete", answers: {} },
  },
  gaps: ["tools that the model calls inside Code Mode"],
};
