import { containmentModes, type Sandbox } from "@hookwarden/sandbox";
import type { ProcessSandboxOptions } from "@hookwarden/sandbox/process";
import { type PlanRules, defaultMaxEventBytes } from "../broker/index.ts";
import { didYouMean, HookwardenError } from "../errors/index.ts";
import type { RequiredReview } from "../bundle/index.ts";
import type { DecisionLog, LogOptions } from "../log/index.ts";
import { type LoadedPack, type LoadOptions } from "../pack/index.ts";
import type { DispatchOptions, WardenOptions } from "./options.ts";

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
  // A bundle is never loaded without a trusted signature.
  if (trust === undefined) invalid("`bundle` needs `trust`: the keys that may sign it");
}

/** Options of one dispatch with every default that does not depend on the event. */
export interface CheckedDispatch {
  readonly decisionId: string | undefined;
  readonly tenant: string;
  /** In milliseconds since 1970. */
  readonly time: number | undefined;
  readonly rules: PlanRules | undefined;
  readonly sandbox: Sandbox | undefined;
}

const idPattern = /^[\x21-\x7e]{1,128}$/;
// oxlint-disable-next-line no-control-regex
const tenantPattern = /^[^\u0000-\u001f\u007f-\u009f]{1,256}$/;
const nothing: CheckedDispatch = {
  decisionId: undefined,
  tenant: "default",
  time: undefined,
  rules: undefined,
  sandbox: undefined,
};

/** @throws {HookwardenError} `option-invalid` */
export function checkDispatch(options: DispatchOptions | undefined): CheckedDispatch {
  if (options === undefined) return nothing;
  checkDispatchMembers(options);
  const { decisionId, tenant = "default", time, rules, sandbox } = options;
  if (decisionId !== undefined && (typeof decisionId !== "string" || !idPattern.test(decisionId))) {
    invalid("`decisionId` must be 1 to 128 visible ASCII characters");
  }
  if (typeof tenant !== "string" || !tenantPattern.test(tenant) || !tenant.isWellFormed()) {
    invalid("`tenant` must be 1 to 256 characters, without control characters and lone surrogates");
  }
  if (rules !== undefined && (typeof rules !== "object" || rules === null))
    invalid("`rules` must be an object");
  return { decisionId, tenant, time: time === undefined ? undefined : millisecondsOf(time), rules, sandbox };
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

/** Every member of a type, which the compiler holds to it. */
type Every<Options> = { readonly [Name in keyof Required<Options>]: object | null };

const log: Every<LogOptions> = {
  to: null,
  mask: null,
  onFull: null,
  flush: { everyMs: null, everyRecords: null },
  maxQueued: null,
  maxQueuedChars: null,
};
const load: Every<LoadOptions> = {
  nodeModules: null,
  compileTimeoutMs: null,
  childMemoryMb: null,
  maps: null,
  containment: null,
};
const rules: Every<PlanRules> = { name: null, onFailure: null, carries: null, lenient: null, degraded: null };
const requireReview: Every<RequiredReview> = { records: null, trust: null };
const processes: Every<Omit<ProcessSandboxOptions, "engine" | "pristine">> = {
  processes: null,
  spares: null,
  tenantsPerProcess: null,
  realm: null,
  rssMarginBytes: null,
  rssRetireBytes: null,
  heapMb: null,
  queueLimit: null,
  queueBytes: null,
  queueMs: null,
  pipeline: null,
  gather: null,
  spinUs: null,
  graceMs: null,
  startMs: null,
  containment: null,
  launcher: null,
  childModule: null,
  engineModule: null,
};

/** The options of `createWarden`: `null`, or the members of an option that is an object. */
export const wardenMembers: Every<WardenOptions> = {
  pack: null,
  bundle: null,
  trust: null,
  requireReview,
  keepBundle: null,
  engine: null,
  isolation: null,
  containment: null,
  pristine: null,
  crossCheck: null,
  store: null,
  tools: null,
  facts: null,
  resolveLink: null,
  maxEventBytes: null,
  watch: null,
  preload: null,
  telemetry: null,
  processes,
  load,
  rules,
  log,
  recorder: null,
  sandbox: null,
};

const dispatchMembers: Every<DispatchOptions> = {
  decisionId: null,
  tenant: null,
  time: null,
  rules,
  sandbox: null,
};

/** Refuses options that do not exist: a misspelt `requireReviews` must not leave a pack without its review. */
function checkWardenMembers(options: object): void {
  checkMembers(options, wardenMembers, "");
}

/** The same for the options of one dispatch. */
function checkDispatchMembers(options: object): void {
  for (const name in options) if (!Object.hasOwn(dispatchMembers, name)) unknown(name, dispatchMembers, "");
}

/** @throws {HookwardenError} `option-invalid`, with the pointer of the option and the name that was probably meant */
export function checkMembers(options: object, known: object, pointer: string): void {
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(known, name)) unknown(name, known, pointer);
    const inner = (known as { readonly [name: string]: object | null })[name];
    if (inner && typeof value === "object" && value !== null && !Array.isArray(value) && !isOpenLog(value))
      checkMembers(value as object, inner, `${pointer}/${name}`);
  }
}

/** An open log in place of the options of one. */
function isOpenLog(value: object): value is DecisionLog {
  return typeof (value as Partial<DecisionLog>).admit === "function";
}

function unknown(name: string, known: object, pointer: string): never {
  const where = pointer === "" ? "" : ` in \`${pointer.slice(1).replaceAll("/", ".")}\``;
  const meant = didYouMean(name, Object.keys(known));
  throw new HookwardenError("option-invalid", `there is no option \`${name}\`${where}${meant}`, {
    pointer: `${pointer}/${name}`,
  });
}
