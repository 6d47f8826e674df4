/** Hooks for agents of the OpenAI Agents SDK: `import { guardAgent } from "@hookwarden/openai-agents"`. See docs/openai-agents.md. */
export { guardAgent, type GuardAgentOptions } from "./guard.ts";
export type { UnmediatedTool } from "./session.ts";
export {
  HookRefusedError,
  type RefusedHow,
  type DecidingWarden,
  type MediationOptions,
} from "@hookwarden/mediator";
