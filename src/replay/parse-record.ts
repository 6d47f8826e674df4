import { isObject } from "@hookwarden/sandbox/json";
import type { Fault, LogLine } from "@hookwarden/sandbox";
import { HookwardenError } from "../errors/index.ts";
import { readRecord, type LogRecord } from "../log/index.ts";

/** One call of a hook, as a log has it. Members that a masked record lacks are absent. */
export interface LoggedCall {
  readonly hook: string;
  readonly digest: string;
  readonly recheck: boolean;
  readonly input?: string;
  readonly output?: string | null;
  readonly steps: number | null;
  readonly fault: Fault | null;
  readonly output_text: string | null;
  readonly logs?: readonly LogLine[];
}

/** One hook's entry in a logged decision, as far as a replay needs it. */
export interface LoggedEntry {
  readonly hook: string;
  readonly recheck: boolean;
  readonly fault: Fault | null;
  readonly logs: readonly LogLine[];
}

/** A record of a decision. */
export interface LoggedDecision {
  readonly engine: string;
  readonly rules: string | null;
  readonly replayable: boolean;
  readonly why?: string;
  readonly event: { readonly [field: string]: unknown };
  readonly decision: {
    readonly decision_id: string;
    readonly pack: string;
    readonly trace: readonly LoggedEntry[];
  };
  readonly calls: readonly LoggedCall[];
  readonly skipped: readonly { hook: string; recheck: boolean; fault: Fault | null; note: string }[];
  readonly state: { readonly [hook: string]: string | null };
  readonly retries: { readonly [hook: string]: number };
}

/** A record of a pack. */
export interface LoggedPack {
  readonly pack: string;
  readonly hooks: readonly { readonly name: string; readonly version: string; readonly digest: string }[];
}

/** A record that begins a run. */
export interface LoggedStart {
  readonly log: string;
  readonly package: string;
  readonly catalogue: string;
  readonly facts: { readonly [fact: string]: string };
  readonly engine: {
    readonly name: "quickjs" | "isolate";
    readonly version: string;
    readonly digest: string;
  };
  readonly tools: { readonly [tool: string]: unknown } | null;
}

/**
 * Reads the members of a decision's record. Only what a replay relies on is checked: a log with
 * right hashes can be forged, but a replay shows that a forged decision differs.
 *
 * @throws {HookwardenError} `log-broken`
 */
export function readDecision({ text, line }: LogRecord): LoggedDecision {
  const record = readRecord(text, line) as Partial<LoggedDecision>;
  const { event, decision, calls, skipped, state, retries } = record;
  const whole =
    isObject(event) &&
    isObject(decision) &&
    typeof decision.decision_id === "string" &&
    typeof decision.pack === "string" &&
    [decision.trace, calls, skipped].every((list) => Array.isArray(list) && list.every(isHookEntry)) &&
    isObject(state) &&
    Object.values(state).every((one) => one === null || typeof one === "string") &&
    isObject(retries) &&
    Object.values(retries).every((one) => Number.isSafeInteger(one));
  if (!whole) throw lacks(line);
  return record as LoggedDecision;
}

/** @throws {HookwardenError} `log-broken` */
export function readStart({ text, line }: LogRecord): LoggedStart {
  const record = readRecord(text, line) as Partial<LoggedStart>;
  const { engine, tools, log, facts } = record;
  const name: unknown = engine?.name;
  if (
    (name !== "quickjs" && name !== "isolate") ||
    (tools !== null && !isObject(tools)) ||
    typeof log !== "string" ||
    !isObject(facts)
  ) {
    throw lacks(line);
  }
  return record as LoggedStart;
}

/** @throws {HookwardenError} `log-broken` */
export function readPackRecord({ text, line }: LogRecord): LoggedPack {
  const record = readRecord(text, line) as Partial<LoggedPack>;
  const hooks: unknown = record.hooks;
  const whole =
    typeof record.pack === "string" &&
    Array.isArray(hooks) &&
    hooks.every((hook) => typeof hook?.name === "string");
  if (!whole) throw lacks(line);
  return record as LoggedPack;
}

function isHookEntry(value: unknown): boolean {
  if (!isObject(value) || typeof value.hook !== "string" || typeof value.recheck !== "boolean") return false;
  const { fault } = value;
  return (
    fault === null || (isObject(fault) && typeof fault.code === "string" && typeof fault.message === "string")
  );
}

function lacks(line: number): HookwardenError {
  return new HookwardenError("log-broken", "the record lacks what a replay needs", { line });
}
