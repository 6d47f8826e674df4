/** Hooks for agents of LangChain: `import { hookwardenMiddleware } from "hookwarden/langchain"`. See docs/langchain.md. */
export type { ApprovalRequest, AskPerson } from "./ask.ts";
export { hookwardenMiddleware, type HookwardenMiddlewareOptions } from "./middleware.ts";
export type { Identity, RunInfo } from "./session.ts";
export { HookRefusedError, type RefusedHow } from "../shared/refused-error.ts";
export type { DecidingWarden, MediationOptions } from "../shared/mediator.ts";
