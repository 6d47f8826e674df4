import type { ProcessSandboxOptions } from "@hookwarden/sandbox/process";
import type { PlanRules } from "../broker/index.ts";
import type { RequiredReview } from "../bundle/index.ts";
import { HookwardenError } from "../errors/index.ts";
import type { DecisionLog, LogOptions } from "../log/index.ts";
import { type LoadOptions, didYouMean } from "../pack/index.ts";
import type { DispatchOptions, WardenOptions } from "./options.ts";

/** Every member of a type, which the compiler holds to it. */
type Members<Options> = { readonly [Name in keyof Required<Options>]: object | null };

const log: Members<LogOptions> = {
  to: null,
  mask: null,
  onFull: null,
  flush: { everyMs: null, everyRecords: null },
  maxQueued: null,
  maxQueuedChars: null,
};
const load: Members<LoadOptions> = {
  nodeModules: null,
  compileTimeoutMs: null,
  childMemoryMb: null,
  maps: null,
  containment: null,
};
const rules: Members<PlanRules> = { name: null, onFailure: null, carries: null, lenient: null };
const requireReview: Members<RequiredReview> = { records: null, trust: null };
const processes: Members<Omit<ProcessSandboxOptions, "engine" | "pristine">> = {
  processes: null,
  spares: null,
  tenantsPerProcess: null,
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
export const wardenMembers: Members<WardenOptions> = {
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

const dispatchMembers: Members<DispatchOptions> = { decisionId: null, tenant: null, time: null, rules };

/** Refuses options that do not exist: a misspelt `requireReviews` must not leave a pack without its review. */
export function checkWardenMembers(options: object): void {
  checkMembers(options, wardenMembers, "");
}

/** The same for the options of one dispatch. */
export function checkDispatchMembers(options: object): void {
  for (const name in options) if (!Object.hasOwn(dispatchMembers, name)) unknown(name, dispatchMembers, "");
}

/** @throws {HookwardenError} `option-invalid`, with the pointer of the option and the name that was probably meant */
function checkMembers(options: object, known: object, pointer: string): void {
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
