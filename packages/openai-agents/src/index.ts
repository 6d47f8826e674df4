/** Hooks for agents of the OpenAI Agents SDK: `import { guardAgent } from "@hookwarden/openai-agents"`. See docs/openai-agents.md. */
export { guardAgent } from "./guard.ts";
export type { GuardAgentOptions, UnmediatedTool } from "./options.ts";
export {
  HookRefusedError,
  type RefusedHow,
  type DecidingWarden,
  type MediationOptions,
} from "@hookwarden/mediator";
