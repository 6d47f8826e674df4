/** Hooks for agents of LangChain: `import { hookwardenMiddleware } from "@hookwarden/langchain"`. See docs/langchain.md. */
export type { ApprovalAnswer, ApprovalRequest, AskPerson } from "./approval.ts";
export { hookwardenMiddleware } from "./guard.ts";
export type { HookwardenMiddlewareOptions, Identity, RunInfo } from "./options.ts";
export {
  HookRefusedError,
  type RefusedHow,
  type DecidingWarden,
  type MediationOptions,
} from "@hookwarden/mediator";
