import { RE2JS } from "re2js";
import { type Decision, type Refusal, type TraceFault, locationSuffix } from "../../broker/index.ts";
import type { Expectation, ExpectedText } from "./read.ts";

/** One field in which a decision is not what a case expects. */
export interface Difference {
  /** Such as `verdict` or `changes.tool_input.command`. */
  readonly field: string;
  /** In words: a JSON text, or `a text that contains "…"`. */
  readonly wanted: string;
  /** In words: a JSON text, or `nothing`. */
  readonly got: string;
}

/** What came of one event, as cases speak of it. */
export interface Got {
  readonly verdict: string;
  readonly reason: string | null;
  readonly feedback: string | null;
  readonly changes: { readonly [field: string]: unknown };
  readonly additions: {
    readonly augment: string | null;
    readonly context: readonly string[];
    readonly notices: readonly string[];
    readonly messages: readonly { readonly role: string; readonly content: string }[];
  };
  /** `null`: none. */
  readonly state: unknown;
  readonly fault: TraceFault | null;
  readonly refused: readonly Refusal[];
}

/** Most differences that are reported for one event: a rewrite of a long list can have thousands. */
const most = 20;
/** Longest value in a difference, in characters. */
const longest = 500;

/** Reads a decision as cases speak of it. */
export function gotOf(decision: Decision, hook: string, state: unknown): Got {
  const { verdict, reason, feedback, changes, additions, trace } = decision;
  const entries = trace.filter((entry) => entry.hook === hook);
  return {
    verdict,
    reason,
    feedback,
    changes,
    additions: {
      augment: additions.augment?.text ?? null,
      context: additions.context.map(({ text }) => text),
      notices: additions.notices.map(({ text }) => text),
      messages: additions.messages.map(({ role, text }) => ({ role, content: text })),
    },
    state,
    fault: entries.find(({ fault }) => fault !== null)?.fault ?? null,
    refused: entries.flatMap(({ refused }) => refused),
  };
}

/** The fields in which a decision differs from what is expected; `null` expects only that there is no fault. */
export function differencesOf(expected: Expectation | null, got: Got): readonly Difference[] {
  const found: Difference[] = [];
  fault(found, expected?.fault, got);
  if (expected) {
    if (expected.verdict !== got.verdict) add(found, "verdict", json(expected.verdict), verdictWords(got));
    text(found, "reason", expected.reason, got.reason);
    text(found, "feedback", expected.feedback, got.feedback);
    if (expected.changes !== undefined) values(found, "changes", expected.changes, got.changes);
    additions(found, expected.additions ?? {}, got.additions);
    if ("state" in expected) values(found, "state", expected.state, got.state);
  }
  if (found.length <= most) return found;
  const left = found.length - most;
  return [...found.slice(0, most), { field: `and ${left} more`, wanted: "", got: "" }];
}

function fault(found: Difference[], wanted: Expectation["fault"], got: Got): void {
  const codes: readonly string[] = wanted === undefined ? [] : typeof wanted === "string" ? [wanted] : wanted;
  if (got.fault ? codes.includes(got.fault.code) : codes.length === 0) return;
  const words = got.fault
    ? `${got.fault.code}: ${got.fault.message}${locationSuffix(got.fault)}`
    : "no fault";
  add(found, "fault", codes.join(" or ") || "no fault", cut(words));
}

/** A verdict alone seldom explains itself. */
function verdictWords({ verdict, reason, feedback, refused }: Got): string {
  const why = reason ?? feedback ?? refused[0]?.message;
  return cut(why === undefined ? json(verdict) : `${json(verdict)}, because: ${why}`);
}

function additions(
  found: Difference[],
  { augment, context, messages, notices }: NonNullable<Expectation["additions"]>,
  got: Got["additions"],
): void {
  text(found, "additions.augment", augment, got.augment);
  if (context) texts(found, "additions.context", context, got.context);
  if (notices) texts(found, "additions.notices", notices, got.notices);
  if (!messages) return;
  if (counts(found, "additions.messages", messages, got.messages)) {
    for (const [index, { role, content }] of messages.entries()) {
      const there = got.messages[index];
      const field = `additions.messages.${index}`;
      if (there?.role !== role) add(found, `${field}.role`, json(role), json(there?.role));
      text(found, `${field}.content`, content, there?.content ?? null);
    }
  }
}

function texts(
  found: Difference[],
  field: string,
  wanted: readonly ExpectedText[],
  got: readonly string[],
): void {
  if (!counts(found, field, wanted, got)) return;
  for (const [index, one] of wanted.entries()) text(found, `${field}.${index}`, one, got[index] ?? null);
}

function counts(
  found: Difference[],
  field: string,
  wanted: readonly unknown[],
  got: readonly unknown[],
): boolean {
  if (wanted.length === got.length) return true;
  add(found, field, `${wanted.length} of them`, `${got.length}: ${cut(json(got))}`);
  return false;
}

function text(
  found: Difference[],
  field: string,
  wanted: ExpectedText | undefined,
  got: string | null,
): void {
  if (wanted === undefined || fits(wanted, got)) return;
  add(found, field, textWords(wanted), got === null ? "nothing" : cut(json(got)));
}

function fits(wanted: ExpectedText, got: string | null): boolean {
  if (wanted === null || got === null) return wanted === got;
  if (typeof wanted === "string") return got.includes(wanted);
  return "equals" in wanted ? got === wanted.equals : RE2JS.compile(wanted.matches).matcher(got).find();
}

function textWords(wanted: ExpectedText): string {
  if (wanted === null) return "nothing";
  if (typeof wanted === "string") return `a text that contains ${json(wanted)}`;
  return "equals" in wanted ? json(wanted.equals) : `a text that matches ${json(wanted.matches)}`;
}

/** Compares two JSON values part by part; the order of an object's keys does not count. */
function values(found: Difference[], field: string, wanted: unknown, got: unknown): void {
  if (found.length > most || Object.is(wanted, got)) return;
  if (isContainer(wanted) && isContainer(got) && Array.isArray(wanted) === Array.isArray(got)) {
    const keys = new Set([...Object.keys(wanted), ...Object.keys(got)]);
    for (const key of keys) {
      const [left, right] = [wanted, got].map((one) => (Object.hasOwn(one, key) ? one[key] : undefined));
      if (left !== right || (left === undefined) !== (right === undefined)) {
        values(found, `${field}.${key}`, left, right);
      }
    }
    return;
  }
  // JSON knows one zero.
  if (wanted === got) return;
  add(found, field, cut(json(wanted)), cut(json(got)));
}

function add(found: Difference[], field: string, wanted: string, got: string): void {
  found.push({ field, wanted, got });
}

function json(value: unknown): string {
  return value === undefined || value === null ? "nothing" : JSON.stringify(value);
}

function cut(words: string): string {
  return words.length > longest
    ? `${words.slice(0, longest).toWellFormed()}… (${words.length} characters)`
    : words;
}

/** Objects and arrays alike. */
function isContainer(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null;
}
