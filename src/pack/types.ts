import type { Limits } from "@hookwarden/sandbox";
import type { ActionName, EventName } from "../catalogue/index.ts";
import type { MappedProgram } from "../compile/index.ts";
import type { Condition, Matcher, Route } from "../facts/index.ts";

/** How a hook runs: in the chain, in parallel, or monitored without effect. */
export type HookMode = "sequential" | "parallel" | "monitor";
export type FailurePolicy = "open" | "closed";
export type InjectRole = "user" | "system";

/** `hook.json`, as its JSON Schema accepts it. */
export interface HookManifest {
  /** For editors; not read. */
  readonly $schema?: string;
  readonly apiVersion: 1;
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  readonly entry: string;
  readonly on: readonly {
    readonly event: EventName;
    readonly matcher?: string;
    readonly when?: Condition;
  }[];
  readonly reads: readonly string[];
  /** Major versions of the facts that it reads; absent: 1. */
  readonly facts?: { readonly [fact: string]: number };
  readonly actions: readonly ActionName[];
  readonly priority?: number;
  readonly mode?: HookMode;
  readonly onFailure?: FailurePolicy;
  readonly limits?: Partial<Limits>;
  readonly state?: StateDeclaration;
  /** JSON Schema of the hook's configuration. */
  readonly config?: unknown;
}

export interface StateDeclaration {
  readonly scope: "session" | "tenant";
  readonly maxBytes: number;
}

/** What a pack lets one hook have. What is absent is granted as asked, `allow` and role `system` excepted. */
export interface Grant {
  readonly actions?: readonly ActionName[];
  readonly reads?: readonly string[];
  readonly limits?: Partial<Limits>;
  readonly roles?: readonly InjectRole[];
  /** `open`: the hook may let a step pass when it fails. */
  readonly onFailure?: "open";
}

export interface Budgets {
  /** Time for a whole decision, in milliseconds. */
  readonly decisionMs: number;
  /** Most hooks that may run for one event. */
  readonly maxHooks: number;
  /** Bytes of UTF-8 that all hooks together may add for the model, for one event. */
  readonly injectionBytes: number;
}

/** `hookwarden.json`, as its JSON Schema accepts it. */
export interface PackManifest {
  /** For editors; not read. */
  readonly $schema?: string;
  readonly apiVersion: 1;
  readonly name?: string;
  readonly version?: string;
  /** Folders of the hooks, in order. */
  readonly hooks: readonly string[];
  /** Configuration values by hook name. */
  readonly config?: { readonly [hook: string]: unknown };
  readonly grants?: { readonly [hook: string]: Grant };
  readonly defaults?: { readonly limits?: Partial<Limits>; readonly onFailure?: FailurePolicy };
  readonly budgets?: Partial<Budgets>;
  /** `true`: run everything, honour nothing, record what would have happened. */
  readonly monitor?: boolean;
}

/** Where a hook listens. */
export interface Subscription {
  readonly event: EventName;
  /** `null`: every name. */
  readonly matcher: Matcher | null;
  /** `null`: always. */
  readonly when: Route | null;
}

/** A hook after loading: what it asked for, cut down to what it was granted, with its program. */
export interface LoadedHook {
  readonly manifest: HookManifest;
  readonly name: string;
  readonly version: string;
  /** `sha256:` of manifest, configuration, grant and program. */
  readonly digest: string;
  /** Place in the pack, from 0. */
  readonly order: number;
  readonly priority: number;
  readonly mode: HookMode;
  readonly on: readonly Subscription[];
  /** Granted read paths, such as `tool_input.command` or `*`. */
  readonly reads: readonly string[];
  /** What the manifest asks for; `continue` always belongs to it. */
  readonly asked: ReadonlySet<ActionName>;
  /** What of it the pack grants. */
  readonly granted: ReadonlySet<ActionName>;
  readonly roles: ReadonlySet<InjectRole>;
  /** Per event: what a fault becomes. */
  readonly onFailure: ReadonlyMap<EventName, FailurePolicy>;
  readonly limits: Limits;
  readonly state: StateDeclaration | null;
  /** The configuration, as JSON text. */
  readonly configJson: string;
  /** Descriptions of what it requested and was not granted, for reviewers. */
  readonly notes: readonly string[];
  readonly program: MappedProgram;
}

/** A pack after loading. Immutable: a reload makes another one. */
export interface LoadedPack {
  readonly manifest: PackManifest;
  /** `sha256:` of everything that can change a decision. */
  readonly digest: string;
  /** Real path of the folder it was read from; absent for a bundle. */
  readonly root?: string;
  /** In the order of the pack. */
  readonly hooks: readonly LoadedHook[];
  readonly budgets: Budgets;
  readonly monitor: boolean;
}
