/** Hooks for agents of the AI SDK: `import { guard } from "@hookwarden/ai-sdk"`. See docs/ai-sdk.md. */
export { guard, type Guard, type GuardedSettings, type GuardOptions } from "./guard.ts";
export type { UnmediatedCall } from "./session.ts";
export {
  HookRefusedError,
  type RefusedHow,
  type DecidingWarden,
  type MediationOptions,
} from "@hookwarden/mediator";
