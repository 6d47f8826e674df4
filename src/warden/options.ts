import { type ContainmentMode, type EngineName, type Sandbox } from "@hookwarden/sandbox";
import type { ProcessSandboxOptions } from "@hookwarden/sandbox/process";
import { type DecisionRecord, type PlanRules, type ToolSchemas } from "../broker/index.ts";
import type { RequiredReview, Trust } from "../bundle/index.ts";
import type { DecisionLog, LogOptions } from "../log/index.ts";
import type { LoadOptions, LoadedPack } from "../pack/index.ts";
import type { LinkResolver } from "../facts/index.ts";
import type { HostFact } from "./host-facts.ts";
import type { StateStore } from "../state/index.ts";

export type Isolation = "process" | "inline";

export interface WardenOptions {
  /** Folder of the pack, or a pack that is loaded already. Either this or `bundle`. */
  readonly pack?: string | LoadedPack;
  /** A signed bundle: the path of the .tgz, or its bytes. Needs `trust`. See docs/bundles.md. */
  readonly bundle?: string | Uint8Array;
  /** What bundles are accepted: the path of a trust file, or what stands in it. Read again with every reload. */
  readonly trust?: string | Trust;
  /**
   * Insists on a signed review that approves the pack, at the start and with every reload: no other pack serves. See
   * docs/reviewing.md.
   */
  readonly requireReview?: RequiredReview;
  /** Folder in which the last good bundle is kept with its signature, for the case that the next one cannot serve. */
  readonly keepBundle?: string;
  /** Default `quickjs`. */
  readonly engine?: EngineName;
  /** Where the engine lives: in child processes that can be killed (default), or, quickjs only, in this process. */
  readonly isolation?: Isolation;
  /**
   * Walls of the operating system around the child processes that run hooks and bundle their scripts; see
   * docs/containment.md. `auto`: those that the machine can have. `required`: all of them, or `createWarden` rejects with
   * `containment-missing`. `none`: none of them. Default `auto`.
   */
  readonly containment?: ContainmentMode;
  /** `false`: calls of one session may share a context, and see what earlier ones left. Default `true`. */
  readonly pristine?: boolean;
  /** Share of calls, 0 to 1, that run on the other engine too; the event `divergence` reports differing answers. Default 0. */
  readonly crossCheck?: number;
  /** Where hooks' state is kept. Default: in memory. A store given here is not closed with the warden. */
  readonly store?: StateStore;
  /** Input schemas of the host's tools; an input that a hook has modified must keep to its tool's schema. */
  readonly tools?: ToolSchemas;
  /**
   * Facts of the host's own, by name, which hooks read as `facts.host.NAME`; see docs/facts.md. `recorded`: those that
   * come with the events, for programs that replay or test; anyone who sends events could forge them.
   */
  readonly facts?: { readonly [name: string]: HostFact } | "recorded";
  /**
   * Where an absolute path leads if symbolic links are followed; for `facts.paths`. It is called with the paths of the
   * event as it comes. If it throws or takes longer than a second, `inside` is not known.
   */
  readonly resolveLink?: LinkResolver;
  /** Largest event, in bytes of JSON. Default 8 MiB. */
  readonly maxEventBytes?: number;
  /**
   * Reload when the folder of the pack changes, or the bundle's file or the trust file. Needs a path. Default `false`.
   */
  readonly watch?: boolean;
  /**
   * Load every script in the sandbox before the pack serves: one that throws at its top level is an error then, and
   * not a fault of its first event. Costs the loading of all scripts with each start and reload. Default `false`.
   */
  readonly preload?: boolean;
  /** Spans and metrics through `@opentelemetry/api`, for hosts that have registered a provider. Default `false`. */
  readonly telemetry?: boolean;
  /** Processes, queues and margins of the child processes. */
  readonly processes?: Omit<ProcessSandboxOptions, "engine" | "pristine">;
  /** How scripts are bundled. */
  readonly load?: LoadOptions;
  /** What a host's own way to speak of events changes: default failure policy, actions that it can carry out. */
  readonly rules?: PlanRules;
  /**
   * The decision log: a path, or where it goes with masks, flushing and what happens when it is full. Default: none.
   * See docs/decision-log.md. A `DecisionLog` that is already open stays open when the warden is closed.
   */
  readonly log?: string | LogOptions | DecisionLog;
  /** Is handed every decision with what a log needs, before the host gets it. Where it fails, so does the dispatch. */
  readonly recorder?: (record: DecisionRecord, made: RecordedWith) => void | Promise<void>;
  /** A sandbox of the host's own, instead of `engine` and `isolation`. It is not closed with the warden. */
  readonly sandbox?: Sandbox;
}

/** What a recorded decision was made with. */
export interface RecordedWith {
  readonly pack: LoadedPack;
  /** Rules of the dispatch or of the warden; absent without any. */
  readonly rules: PlanRules | undefined;
}

export interface DispatchOptions {
  /** Up to 128 visible ASCII characters. Default: a new UUID of version 7. */
  readonly decisionId?: string;
  /** Whose event it is: 1 to 256 characters. Default `default`. */
  readonly tenant?: string;
  /**
   * When it happened, where the event has no `time`: ISO 8601, milliseconds since 1970, or a `Date`. Default: the time
   * in a decision id of version 7, and 1970 for any other id that was given, so that an event and an id always make
   * the same decision.
   */
  readonly time?: string | number | Date;
  /**
   * What the system changes that this event comes from, instead of the warden's `rules`. Frozen: a plan is made for the
   * object once, and kept with it.
   */
  readonly rules?: PlanRules;
  /**
   * A sandbox of the host's own for this event, of the same engine as the warden's. It is called directly, without the
   * warden's circuit breaker and cross-checks: a host that chooses sandboxes suspends failing hooks itself.
   */
  readonly sandbox?: Sandbox;
}
