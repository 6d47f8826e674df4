import { type ContainmentMode, containmentModes } from "../../sandbox/containment/index.ts";
import type { EngineName, Sandbox } from "../../sandbox/index.ts";
import type { ProcessSandboxOptions } from "../../sandbox/process/index.ts";
import type { DecisionRecord } from "../broker/record.ts";
import type { PlanRules } from "../broker/select.ts";
import { defaultMaxEventBytes } from "../broker/read-event.ts";
import type { ToolSchemas } from "../broker/tool-schemas.ts";
import { HookwardenError } from "../errors.ts";
import type { RequiredReview } from "../bundle/review-record.ts";
import type { Trust } from "../bundle/trust.ts";
import type { LogOptions } from "../log/options.ts";
import type { LoadOptions } from "../pack/load.ts";
import type { LoadedPack } from "../pack/types.ts";
import type { StateStore } from "../state/store.ts";
import { checkDispatchMembers, checkWardenMembers } from "./known-options.ts";

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
  /** Share of calls, 0 to 1, that run on the other engine too; `divergence` tells of differing answers. Default 0. */
  readonly crossCheck?: number;
  /** Where hooks' state is kept. Default: in memory. A store given here is not closed with the warden. */
  readonly store?: StateStore;
  /** Input schemas of the host's tools; an input that a hook has modified must keep to its tool's schema. */
  readonly tools?: ToolSchemas;
  /** Largest event, in bytes of JSON. Default 1 MiB. */
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
   * See docs/decision-log.md.
   */
  readonly log?: string | LogOptions;
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
}

/** @throws {HookwardenError} `option-invalid` */
export function checkOptions(options: WardenOptions): void {
  checkWardenMembers(options);
  const { engine, isolation, crossCheck, maxEventBytes, watch, pack } = options;
  if (engine !== undefined && engine !== "quickjs" && engine !== "isolate") {
    invalid("`engine` must be `quickjs` or `isolate`");
  }
  if (isolation !== undefined && isolation !== "process" && isolation !== "inline") {
    invalid("`isolation` must be `process` or `inline`");
  }
  if (engine === "isolate" && isolation === "inline") {
    invalid(
      "`engine` `isolate` runs in child processes only, because some of its code can be stopped from outside only",
    );
  }
  checkContainment(options);
  if (crossCheck !== undefined && !(crossCheck >= 0 && crossCheck <= 1))
    invalid("`crossCheck` must be a number from 0 to 1");
  if (maxEventBytes !== undefined && !(Number.isSafeInteger(maxEventBytes) && maxEventBytes > 0)) {
    invalid("`maxEventBytes` must be a whole number above 0");
  }
  checkSupply(options);
  checkReview(options.requireReview);
  if (watch && typeof pack !== "string" && typeof options.bundle !== "string") {
    invalid("`watch` needs `pack` to be the path of a folder, or `bundle` to be that of a file");
  }
}

function checkReview(required: RequiredReview | undefined): void {
  if (required === undefined) return;
  const { records, trust } = (required ?? {}) as Partial<RequiredReview>;
  // Asking for a review in the wrong form must not end as asking for none.
  if (!Array.isArray(records) || (typeof trust !== "string" && typeof trust !== "object") || trust === null)
    invalid("`requireReview` must have `records`, a list, and `trust`: the keys of the reviewers");
}

function checkContainment({ containment, isolation }: WardenOptions): void {
  if (containment === undefined) return;
  if (!containmentModes.includes(containment)) {
    invalid("`containment` must be `auto`, `required` or `none`");
  }
  if (containment === "required" && isolation === "inline") {
    invalid("`containment` `required` needs child processes, and `isolation` `inline` has none");
  }
}

function checkSupply({ pack, bundle, trust, keepBundle }: WardenOptions): void {
  if (bundle === undefined) {
    if (typeof pack !== "string" && !Array.isArray((pack as Partial<LoadedPack> | null | undefined)?.hooks)) {
      invalid("`pack` must be the path of a folder, or a loaded pack");
    }
    if (trust !== undefined || keepBundle !== undefined)
      invalid("`trust` and `keepBundle` belong to a `bundle`");
    return;
  }
  if (pack !== undefined) invalid("there must be either `pack` or `bundle`, not both");
  if (typeof bundle !== "string" && !(bundle instanceof Uint8Array)) {
    invalid("`bundle` must be the path of a file, or its bytes");
  }
  // Nothing is ever loaded from a bundle that nobody vouches for.
  if (trust === undefined) invalid("`bundle` needs `trust`: the keys that may sign it");
}

/** Options of one dispatch with every default that does not depend on the event. */
export interface CheckedDispatch {
  readonly decisionId: string | undefined;
  readonly tenant: string;
  /** In milliseconds since 1970. */
  readonly time: number | undefined;
  readonly rules: PlanRules | undefined;
}

const idPattern = /^[\x21-\x7e]{1,128}$/;
// oxlint-disable-next-line no-control-regex
const tenantPattern = /^[^\u0000-\u001f\u007f-\u009f]{1,256}$/;
const nothing: CheckedDispatch = {
  decisionId: undefined,
  tenant: "default",
  time: undefined,
  rules: undefined,
};

/** @throws {HookwardenError} `option-invalid` */
export function checkDispatch(options: DispatchOptions | undefined): CheckedDispatch {
  if (options === undefined) return nothing;
  checkDispatchMembers(options);
  const { decisionId, tenant = "default", time, rules } = options;
  if (decisionId !== undefined && (typeof decisionId !== "string" || !idPattern.test(decisionId))) {
    invalid("`decisionId` must be 1 to 128 visible ASCII characters");
  }
  if (typeof tenant !== "string" || !tenantPattern.test(tenant) || !tenant.isWellFormed()) {
    invalid("`tenant` must be 1 to 256 characters, without control characters and lone surrogates");
  }
  if (rules !== undefined && (typeof rules !== "object" || rules === null))
    invalid("`rules` must be an object");
  return { decisionId, tenant, time: time === undefined ? undefined : millisecondsOf(time), rules };
}

function millisecondsOf(time: string | number | Date): number {
  const milliseconds =
    typeof time === "number"
      ? Math.trunc(time)
      : typeof time === "string"
        ? Date.parse(time)
        : time.getTime();
  // From 0000 to 9999: other years have no place in the format of events.
  if (!(milliseconds >= -62_167_219_200_000 && milliseconds <= 253_402_300_799_999)) {
    invalid("`time` must be an ISO 8601 text, milliseconds since 1970 or a Date");
  }
  return milliseconds;
}

export function maxEventBytesOf(options: WardenOptions): number {
  return options.maxEventBytes ?? defaultMaxEventBytes;
}

function invalid(message: string): never {
  throw new HookwardenError("option-invalid", message);
}
