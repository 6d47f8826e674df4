import { pointerPart, quote } from "@hookwarden/sandbox/json";
import type { CallRecord } from "../broker/index.ts";
import type { LoadedPack } from "../pack/index.ts";
import { inputDigest, digestOf } from "../log/index.ts";
import type { LoggedDecision, LoggedPack } from "./parse-record.ts";

/** Where a replayed decision differs from the logged one, and what is known of the reason. */
export interface Difference {
  /** JSON pointer into the decision. */
  readonly pointer: string;
  /** Both values, as JSON; `null` for a value that is absent. */
  readonly logged: string | null;
  readonly replayed: string | null;
  readonly cause: string;
}

/** Members that two runs of the same decision may differ in. */
const measured: readonly string[] = ["duration_us", "memory_bytes"];
/** Two engines count their work in different ways, or not at all. */
const engineSpecific: readonly string[] = [...measured, "steps"];

/**
 * A decision as it is compared: plain JSON, without what no two runs have in common.
 *
 * @param sameEngine whether the engine that replays is the one that decided.
 */
export function comparable(decision: object, sameEngine: boolean): { readonly [member: string]: unknown } {
  const plain = JSON.parse(JSON.stringify(decision)) as { [member: string]: unknown };
  for (const member of measured) delete plain[member];
  for (const entry of plain.trace as { [member: string]: unknown }[]) {
    for (const member of sameEngine ? measured : engineSpecific) delete entry[member];
  }
  return plain;
}

/** The first place at which two comparable decisions differ; `null` where they are equal. */
export function firstDifference(
  logged: { readonly [member: string]: unknown },
  replayed: { readonly [member: string]: unknown },
): Omit<Difference, "cause"> | null {
  // The digest of the pack last: it says less than what came of it.
  const { pack: oldPack, ...before } = logged;
  const { pack: newPack, ...after } = replayed;
  return differ(before, after, "") ?? differ(oldPack, newPack, "/pack");
}

function differ(a: unknown, b: unknown, pointer: string): Omit<Difference, "cause"> | null {
  if (
    typeof a !== "object" ||
    typeof b !== "object" ||
    a === null ||
    b === null ||
    Array.isArray(a) !== Array.isArray(b)
  ) {
    return Object.is(a, b) ? null : { pointer, logged: short(a), replayed: short(b) };
  }
  const one = a as { [key: string]: unknown };
  const other = b as { [key: string]: unknown };
  for (const key of new Set([...Object.keys(one), ...Object.keys(other)])) {
    const found = differ(
      Object.hasOwn(one, key) ? one[key] : undefined,
      Object.hasOwn(other, key) ? other[key] : undefined,
      pointer + pointerPart(key),
    );
    if (found) return found;
  }
  return null;
}

function short(value: unknown): string | null {
  if (value === undefined) return null;
  const text = JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

/** What the two runs did not have in common. */
export interface ReplayContext {
  readonly logged: LoggedDecision;
  /** What the log says of the pack; absent where that record is missing. */
  readonly loggedPack: LoggedPack | undefined;
  readonly pack: LoadedPack;
  readonly calls: readonly CallRecord[];
  /** In words, where another engine replays; else `null`. */
  readonly engine: string | null;
  /** In words, where another version of the catalogue replays; else `null`. */
  readonly catalogue: string | null;
  /** Facts of which another version is derived here, in words. */
  readonly facts: readonly string[];
}

/** Says why a decision may have come out differently, the nearest cause first. */
export function causeOf(context: ReplayContext): string {
  const { logged, loggedPack, pack, calls, engine, catalogue, facts } = context;
  const causes = [
    ...changedHooks(logged, loggedPack, pack),
    ...[engine, catalogue, ...facts].filter((cause) => cause !== null),
  ];
  if (logged.decision.pack !== pack.digest && causes.length === 0) {
    causes.push("the pack has the same hooks, but another manifest (order, grants, configuration, budgets)");
  }
  for (const [index, call] of calls.entries()) {
    const before = logged.calls[index];
    if (!before || before.hook !== call.hook) break;
    if (before.input !== inputDigest(call.input)) {
      causes.push(`hook ${quote(call.hook)} was given another input`);
      break;
    }
    const output = call.output === null ? null : digestOf(call.output);
    if (before.output !== output || before.fault?.code !== call.fault?.code) {
      causes.push(`hook ${quote(call.hook)} answered otherwise to the same input`);
      break;
    }
  }
  return causes.length === 0 ? "nothing that the log records was different" : causes.join("; ");
}

/** Most hooks that a cause names. */
const maxNamedHooks = 3;

function changedHooks(
  logged: LoggedDecision,
  loggedPack: LoggedPack | undefined,
  pack: LoadedPack,
): string[] {
  if (logged.decision.pack === pack.digest) return [];
  const now = new Map(pack.hooks.map((hook) => [hook.name, hook]));
  const recorded = loggedPack?.hooks ?? logged.calls.map(({ hook, digest }) => ({ name: hook, digest }));
  const before = new Map(recorded.map((hook) => [hook.name, hook]));
  // Those that had a part in the decision first.
  const called = new Set(logged.calls.map(({ hook }) => hook));
  const names = [...before.keys()].sort((a, b) => Number(called.has(b)) - Number(called.has(a)));
  const causes: string[] = [];
  for (const name of names) {
    const { digest } = before.get(name) as { digest: string };
    const hook = now.get(name);
    if (!hook) causes.push(`hook ${quote(name)} is not in the pack`);
    else if (hook.digest !== digest)
      causes.push(
        `hook ${quote(name)} is another one: ${brief(digest)} in the log, ${brief(hook.digest)} in the pack`,
      );
  }
  if (loggedPack) {
    for (const name of now.keys())
      if (!before.has(name)) causes.push(`hook ${quote(name)} is new in the pack`);
  }
  const more = causes.length - maxNamedHooks;
  return more > 0
    ? [...causes.slice(0, maxNamedHooks), `${more} more ${more === 1 ? "hook differs" : "hooks differ"}`]
    : causes;
}

function brief(digest: string): string {
  return quote(digest.slice(0, 19));
}
