import type { EventName } from "../catalogue/index.ts";
import type { Condition } from "../facts/index.ts";
import type { HookMode, LoadedHook } from "../pack/index.ts";

/** What is loaded of a hook, for people and programs that ask. */
export interface HookDescription {
  readonly name: string;
  readonly version: string;
  readonly description: string | null;
  readonly digest: string;
  readonly priority: number;
  readonly mode: HookMode;
  readonly on: readonly {
    readonly event: EventName;
    readonly matcher: string | null;
    readonly when: Condition | null;
  }[];
  readonly reads: readonly string[];
  /** Actions that it may return where they are legal. */
  readonly actions: readonly string[];
  readonly state: "session" | "tenant" | null;
}

export function describeHook(hook: LoadedHook): HookDescription {
  return {
    name: hook.name,
    version: hook.version,
    description: hook.manifest.description ?? null,
    digest: hook.digest,
    priority: hook.priority,
    mode: hook.mode,
    on: hook.on.map(({ event, matcher, when }) => ({
      event,
      matcher: matcher?.source ?? null,
      when: when?.condition ?? null,
    })),
    reads: hook.reads,
    actions: [...hook.granted],
    state: hook.state?.scope ?? null,
  };
}
