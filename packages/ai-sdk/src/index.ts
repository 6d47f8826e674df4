/** Hooks for agents of the AI SDK: `import { guard } from "@hookwarden/ai-sdk"`. See docs/ai-sdk.md. */
export { guard } from "./guard.ts";
export type { Guard, GuardedSettings, GuardOptions, UnmediatedCall } from "./options.ts";
export {
  HookRefusedError,
  type RefusedHow,
  type DecidingWarden,
  type MediationOptions,
} from "@hookwarden/mediator";
