/** Hooks for agents of LangChain: `import { hookwardenMiddleware } from "@hookwarden/langchain"`. See docs/langchain.md. */
export type { ApprovalRequest, AskPerson } from "./approval.ts";
export { hookwardenMiddleware, type HookwardenMiddlewareOptions } from "./guard.ts";
export type { Identity, RunInfo } from "./session.ts";
export {
  HookRefusedError,
  type RefusedHow,
  type DecidingWarden,
  type MediationOptions,
} from "@hookwarden/mediator";
