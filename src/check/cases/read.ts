import { RE2JS } from "re2js";
import type { FaultCode } from "@hookwarden/sandbox";
import { forbiddenEventKeys, pointerPart, quote, readJsonBytes } from "@hookwarden/sandbox/json";
import { type Verdict, defaultMaxEventBytes, readEvent } from "../../broker/index.ts";
import { legalActions } from "../../catalogue/index.ts";
import { didYouMean, HookwardenError, readingJson } from "../../errors/index.ts";
import { checkAgainst } from "../../pack/index.ts";
import { caseSchema, expectation, fileObject, verdicts } from "./schema.ts";

/** A text that is expected: a part of it, all of it, a pattern of it, or that there is none. */
export type ExpectedText = string | { readonly equals: string } | { readonly matches: string } | null;

/** What is expected of a decision. What is not named is not looked at. */
export interface Expectation {
  readonly verdict: Verdict;
  readonly reason?: ExpectedText;
  readonly feedback?: ExpectedText;
  /** Fields that were rewritten, with their values. */
  readonly changes?: { readonly [field: string]: unknown };
  readonly additions?: {
    readonly augment?: ExpectedText;
    readonly context?: readonly ExpectedText[];
    readonly messages?: readonly { readonly role: string; readonly content: ExpectedText }[];
    readonly notices?: readonly ExpectedText[];
  };
  /** The hook's state after the event. */
  readonly state?: unknown;
  /** The code of the hook's fault, or the codes that it may have. Absent: there must be none. */
  readonly fault?: FaultCode | readonly FaultCode[];
}

/** One test of a hook: events one after another, and what is expected of each. */
export interface Case {
  /** JSON pointer of the case in its file. */
  readonly pointer: string;
  readonly name: string;
  readonly events: readonly { readonly [field: string]: unknown }[];
  /** One for each event; `null` where nothing is expected. */
  readonly expect: readonly (Expectation | null)[];
  /** The hook's state before the first event. */
  readonly state?: unknown;
  /** The hook's configuration, instead of the pack's. */
  readonly config?: unknown;
}

/** Name of a hook's cases, in its folder. */
export const casesFile = "cases.json";

/** What a file of cases may cost to read. */
export const casesLimits = {
  maxBytes: 4_194_304,
  maxDepth: 144,
  maxKeys: 500_000,
  maxKeyLength: 65_536,
} as const;

/** What an event of a case has where it does not say. */
export const caseDefaults = { session_id: "case", time: "2026-01-01T00:00:00Z" } as const;

type Json = { readonly [key: string]: unknown };

/**
 * Reads the cases of a hook. Every event must be one of the catalogue, and every expected verdict legal at its event.
 *
 * @param file how messages call it.
 * @throws {HookwardenError} `cases-invalid` with the place
 */
export function readCases(bytes: Uint8Array, file: string): readonly Case[] {
  const { list, at } = listOf(parse(bytes, file), file);
  const names = new Set<string>();
  return list.map((item: unknown, index) => {
    const pointer = `${at}/${index}`;
    checkForm(item, caseSchema, "the case", { file, pointer });
    const read = caseOf(item as Json, file, pointer);
    if (names.has(read.name))
      throw invalid(`the name ${quote(read.name)} stands twice`, file, `${pointer}/name`);
    names.add(read.name);
    return read;
  });
}

/** The list of cases: the file itself, or the member `cases` of an object, which has room for `$schema`. */
function listOf(value: unknown, file: string): { readonly list: readonly unknown[]; readonly at: string } {
  if (Array.isArray(value)) return { list: value, at: "" };
  if (typeof value === "object" && value !== null && Array.isArray((value as Json)["cases"])) {
    checkForm(value, fileObject, "the file", { file, pointer: "" });
    return { list: (value as { cases: unknown[] }).cases, at: "/cases" };
  }
  throw invalid('the file must be a list of cases: `[{ "name": …, "event": …, "expect": … }]`', file, "");
}

interface ObjectSchema {
  readonly properties: { readonly [name: string]: object };
}

/** A place in a file of cases; `pointer` is a JSON pointer. */
interface Place {
  readonly file: string;
  readonly pointer: string;
}

/** Validates a value. An unknown field is reported first, with the one that was probably meant. */
function checkForm(value: unknown, schema: ObjectSchema, what: string, place: Place): void {
  const { file, pointer } = place;
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    const known = Object.keys(schema.properties);
    const wrong = Object.keys(value).find((name) => !known.includes(name));
    if (wrong !== undefined) {
      const message = `${what} has no field ${quote(wrong)}${didYouMean(wrong, known)}`;
      throw invalid(message, file, pointer + pointerPart(wrong));
    }
    const additions = (value as Json)["additions"];
    if (schema === expectation && typeof additions === "object") {
      checkForm(additions, expectation.properties.additions, "`additions`", {
        file,
        pointer: `${pointer}/additions`,
      });
    }
  }
  const problem = checkAgainst(schema, value);
  if (!problem) return;
  const name = problem.pointer === "" ? what : quote(problem.pointer);
  throw invalid(`${name} ${problem.message}`, file, pointer + problem.pointer);
}

function parse(bytes: Uint8Array, file: string): unknown {
  const limits = { ...casesLimits, byteOrderMark: true, forbiddenKeys: forbiddenEventKeys };
  return readingJson("cases-invalid", "the file", () => readJsonBytes(bytes, limits), { file });
}

function caseOf(item: Json, file: string, pointer: string): Case {
  const { name, event, events, expect } = item;
  if ((event === undefined) === (events === undefined)) {
    throw invalid("a case has either `event` or `events`", file, pointer);
  }
  const one = events === undefined;
  if (one === Array.isArray(expect)) {
    throw invalid(
      "`expect` is a list where there are `events`, and one expectation where there is one `event`",
      file,
      `${pointer}/expect`,
    );
  }
  const all = (one ? [event] : events) as readonly Json[];
  const expected = (one ? [expect] : expect) as readonly (Expectation | null)[];
  expected.forEach((wanted, index) => {
    const at = one ? `${pointer}/expect` : `${pointer}/expect/${index}`;
    if (one || wanted !== null) checkForm(wanted, expectation, "the expectation", { file, pointer: at });
  });
  if (all.length !== expected.length) {
    throw invalid(
      `there are ${all.length} events and ${expected.length} expectations`,
      file,
      `${pointer}/expect`,
    );
  }
  all.forEach((given, index) =>
    checkEvent(given, expected[index] ?? null, file, one ? `${pointer}/event` : `${pointer}/events/${index}`),
  );
  return {
    pointer,
    name: name as string,
    events: all,
    expect: expected,
    ...("state" in item ? { state: item["state"] } : {}),
    ...("config" in item ? { config: item["config"] } : {}),
  };
}

function checkEvent(given: Json, expected: Expectation | null, file: string, pointer: string): void {
  const event = { ...caseDefaults, ...given };
  try {
    readEvent(event, defaultMaxEventBytes, 0);
  } catch (error) {
    if (!(error instanceof HookwardenError)) throw error;
    throw invalid(error.message, file, `${pointer}${error.place.pointer ?? ""}`);
  }
  const name = String((given as Json)["hook_event_name"]);
  const { verdict = "continue" } = expected ?? {};
  if (!legalActions(name).has(verdict)) {
    const legal = verdicts.filter((one) => legalActions(name).has(one)).map((one) => `\`${one}\``);
    const at = pointer.replace(
      /\/event(s\/\d+)?$/,
      (_, index: string | undefined) => `/expect${index?.slice(1) ?? ""}/verdict`,
    );
    throw invalid(
      `the verdict \`${verdict}\` is not legal at ${name}; legal are ${legal.join(", ")}`,
      file,
      at,
    );
  }
  const { changes: _values, state: _state, ...texts } = expected ?? {};
  checkPatterns(texts, file, `${pointer.replace(/\/events?(\/\d+)?$/, "")}/expect`);
}

/** Patterns run on an engine that is linear in the text, because cases are untrusted too. */
function checkPatterns(value: unknown, file: string, pointer: string): void {
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (key !== "matches" || typeof inner !== "string") {
      checkPatterns(inner, file, pointer + pointerPart(key));
      continue;
    }
    try {
      RE2JS.compile(inner);
    } catch {
      throw invalid(`the pattern ${quote(inner)} does not compile`, file, `${pointer}/matches`);
    }
  }
}

function invalid(message: string, file: string, pointer: string): HookwardenError {
  return new HookwardenError("cases-invalid", message, { file, ...(pointer === "" ? {} : { pointer }) });
}
