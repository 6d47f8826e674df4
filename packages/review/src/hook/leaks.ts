import { leavesOf, valueAt, withValue } from "@hookwarden/testing/mutate";
import type { Action } from "hookwarden/broker";
import { actionRows } from "hookwarden/catalogue";
import type { Encoding } from "../report.ts";
import { validEvent, type Input } from "../run/input.ts";
import { acts, effectWords } from "../run/effect.ts";
import type { Run, Runner } from "../run/runner.ts";
import { harmless } from "../explore/slots.ts";

/** Data of an event that came out of a hook. */
export interface Leak {
  readonly path: string;
  readonly as: Encoding;
  /** Where it came out: `reason`, `text`, or the path in a rewrite. */
  readonly at: string;
  readonly action: string;
  readonly kind: "text" | "address" | "field" | "state";
  /** Characters of the field that came out with it. */
  readonly characters: number;
  readonly output: string;
  readonly input: Input;
}

const max = { bases: 10, leaves: 8 } as const;
/** Characters of a text, half from its start and half from its end, in which other forms of a word are looked for. */
const maxScannedChars = 16_384;

/**
 * Puts unique words into the fields that a hook reads, and looks for them in what it says: as they are, and in every known
 * encoding. An unknown encoding shows too: where another word of the same length gives the same answer with another text,
 * the text depends on the word.
 *
 * @param others events at which what was kept may come out.
 */
export async function findLeaks(
  runner: Runner,
  bases: readonly Run[],
  others: readonly Run[],
): Promise<readonly Leak[]> {
  const leaks: Leak[] = [];
  for (const base of bases.slice(0, max.bases)) {
    const leaves = leavesOf(base.input.event, runner.seen)
      // The name of a tool is no data.
      .filter(({ path, value }) => typeof value === "string" && path[0] !== "tool_name")
      .slice(-max.leaves);
    const more = ["session_id", "cwd"].filter(
      (name) =>
        (runner.seen.includes(name) || runner.seen.includes("*")) &&
        !leaves.some(({ path }) => path[0] === name),
    );
    for (const path of [...leaves.map((leaf) => leaf.path), ...more.map((name) => [name])]) {
      for (const way of [0, 1, 2]) {
        const found = await tryLeaf(runner, base, path, way);
        leaks.push(...found);
        if (found.length > 0) break;
      }
    }
  }
  const kept = leaks.filter(({ kind }) => kind === "state");
  return [
    ...leaks.filter(({ kind }) => kind !== "state"),
    ...(await outOfState(runner, kept, [...bases, ...others])),
  ];
}

/** What was kept is no leak before it comes out: the other events are decided with it. */
async function outOfState(
  runner: Runner,
  kept: readonly Leak[],
  bases: readonly Run[],
): Promise<readonly Leak[]> {
  const leaks: Leak[] = [];
  for (const leak of kept.slice(0, max.bases)) {
    const first = await runner.run(leak.input);
    if (!first?.answer.ok || first.answer.state === null) continue;
    for (const base of bases) {
      const after = await runner.run({
        ...base.input,
        state: first.answer.state,
        label: `${base.input.label}; after ${leak.input.label}`,
      });
      if (!after?.answer.ok) continue;
      for (const [at, { text, action }] of textsOf(after)) {
        const as = action === "set_state" ? null : foundAs(text, words[0]);
        if (as === null) continue;
        leaks.push({
          ...leak,
          as,
          at,
          action,
          kind: "state",
          characters: text.length,
          output: text,
          input: after.input,
        });
        return leaks;
      }
    }
  }
  return leaks;
}

const words = ["kxqzvjwpha", "wqjvzkxpbu"] as const;

async function tryLeaf(
  runner: Runner,
  base: Run,
  path: readonly string[],
  way: number,
): Promise<readonly Leak[]> {
  const [one, two] = [marked(base.input, path, words[0], way), marked(base.input, path, words[1], way)];
  if (!one || !two) return [];
  const [a, b] = [await runner.run(one), await runner.run(two)];
  if (!a?.answer.ok || !b?.answer.ok || effectWords(a.effect) !== effectWords(b.effect)) return [];
  if (!acts(a.effect) && a.answer.state === null) return [];
  const name = path.join(".");
  const leaks: Leak[] = [];
  const [outA, outB] = [textsOf(a), textsOf(b)];
  const original = textAt(one.event, path);
  for (const [at, { text, action, rewrites }] of outA) {
    const other = outB.get(at)?.text;
    const as = foundAs(text, words[0]);
    // Where it stands is no secret: it stood there already.
    if (as !== null) {
      const characters = as === "verbatim" ? longestShared(text, original) : text.length;
      const address = as === "verbatim" ? inAddress(text, words[0]) && !inAddress(original, words[0]) : false;
      if (rewrites !== null && rewrites === name && as === "verbatim" && !address) continue;
      const kind = address
        ? "address"
        : rewrites !== null && action !== "set_state"
          ? "field"
          : action === "set_state"
            ? "state"
            : "text";
      leaks.push({ path: name, as, at, action, kind, characters, output: text, input: one });
    } else if (
      other !== undefined &&
      other !== text &&
      action !== "set_state" &&
      foundAs(other, words[1]) === null &&
      !onlyNumbers(text, other)
    ) {
      leaks.push({
        path: name,
        as: "rotated",
        at,
        action,
        kind: rewrites === null ? "text" : "field",
        characters: text.length,
        output: text,
        input: one,
      });
    }
  }
  return leaks;
}

/** The input with a word in one of its texts; `null` where there is no such way. */
export function marked(input: Input, path: readonly string[], word: string, way: number): Input | null {
  const text = textAt(input.event, path);
  const added = harmless(path.join("."), text, word);
  const value =
    way < 2 ? added[way] : added.length === 0 ? (text === "" ? word : `${text}${word}`) : undefined;
  if (value === undefined) return null;
  const event = validEvent(withValue(input.event, path, value));
  return event && { ...input, origin: "made", label: `${input.label}; a word in ${path.join(".")}`, event };
}

/** The text at a path of an event; empty where there is none. */
export function textAt(event: unknown, path: readonly string[]): string {
  const value = valueAt(event, path);
  return typeof value === "string" ? value : "";
}

interface Out {
  readonly text: string;
  readonly action: string;
  /** Path in the event that the text is written to; `null` for a text beside it. */
  readonly rewrites: string | null;
}

/** Every text of an answer, raw, by where it stands. */
export function textsOf(run: Run): ReadonlyMap<string, Out> {
  const found = new Map<string, Out>();
  const raw: unknown = run.output === null ? null : JSON.parse(run.output);
  const list = Array.isArray(raw) ? (raw as unknown[]) : [raw];
  for (const [index, action] of list.entries()) {
    if (typeof action !== "object" || action === null) continue;
    const name = String((action as Action).action);
    const row = actionRows.get(name);
    if (!row) continue;
    const rewrites = (path: readonly string[]): string | null => {
      const target = row.rewrites?.[path[0] ?? ""];
      if (target !== undefined) return [target, ...path.slice(1)].join(".");
      return name === "set_state" ? "state" : null;
    };
    const walk = (value: unknown, path: readonly string[]): void => {
      if (typeof value === "string") {
        found.set(`${index} ${path.join(".")}`, { text: value, action: name, rewrites: rewrites(path) });
      } else if (typeof value === "object" && value !== null) {
        for (const [key, member] of Object.entries(value)) walk(member, [...path, key]);
        // Keys are texts too.
        const keys = Object.keys(value).join(" ");
        if (path.length > 0 && !Array.isArray(value) && keys.length > 0) {
          found.set(`${index} ${path.join(".")} (keys)`, {
            text: keys,
            action: name,
            rewrites: rewrites(path),
          });
        }
      }
    };
    for (const field of Object.keys(row.payload)) walk((action as Action)[field], [field]);
  }
  return found;
}

/** In which form a word stands in a text; `null` where it does not. */
export function foundAs(whole: string, word: string): Encoding | null {
  if (whole.includes(word)) return "verbatim";
  const text =
    whole.length > maxScannedChars
      ? whole.slice(0, maxScannedChars / 2) + whole.slice(-maxScannedChars / 2)
      : whole;
  const lower = text.toLowerCase();
  if (lower.includes(word)) return "case";
  const reversed = [...word].toReversed().join("");
  if (lower.includes(reversed)) return "reversed";
  for (const run of text.match(/[A-Za-z0-9+/_-]{8,}={0,2}/g) ?? []) {
    for (let skip = 0; skip < 4; skip++) {
      const bytes = Buffer.from(
        run.slice(skip),
        run.includes("-") || run.includes("_") ? "base64url" : "base64",
      ).toString("latin1");
      if (bytes.includes(word) || bytes.includes(reversed)) return "base64";
    }
  }
  for (const run of text.match(/(?:[0-9a-fA-F]{2}[\s:,]?){8,}/g) ?? []) {
    if (
      Buffer.from(run.replaceAll(/[^0-9a-fA-F]/g, ""), "hex")
        .toString("latin1")
        .includes(word)
    )
      return "hex";
  }
  if (/%[0-9a-fA-F]{2}/.test(text) && percentDecoded(text).includes(word)) return "percent";
  const numbers = text.match(/\d+/g)?.map(Number) ?? [];
  if (numbers.length >= word.length) {
    const spelt = String.fromCharCode(...numbers.filter((code) => code < 65_536).slice(0, 20_000));
    if (spelt.toLowerCase().includes(word)) return "code points";
  }
  if (lower.replaceAll(/[^a-z]/g, "").includes(word)) return "invisible";
  for (let by = 1; by < 26; by++) {
    if (
      lower.includes(
        [...word].map((letter) => String.fromCharCode(((letter.charCodeAt(0) - 97 + by) % 26) + 97)).join(""),
      )
    )
      return "rotated";
  }
  return null;
}

function percentDecoded(text: string): string {
  return text.replaceAll(/%([0-9a-fA-F]{2})/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/** Whether a word is part of a URL of a text. */
export function inAddress(text: string, word: string): boolean {
  return (
    text.match(
      /(?:[a-z][a-z0-9+.-]{1,12}:\/\/|(?:mailto|data|tel|sms|javascript):|(?<=[("'\s]|^)\/\/|\bwww\.)[^\s"'`<>)\]]+/gi,
    ) ?? []
  ).some((address) => percentDecoded(address).includes(word));
}

/** Characters of the longest run of a text that stands in another one too, counted in steps of eight. */
function longestShared(whole: string, from: string): number {
  // Long texts are quoted from their start, if at all; more would cost the square of it.
  const [text, original] = [whole.slice(0, 8_000), from.slice(0, 2_000)];
  let longest = 0;
  for (let at = 0; at + 8 <= original.length; at += 8) {
    if (!text.includes(original.slice(at, at + 8))) continue;
    let end = at + 8;
    while (end < original.length && text.includes(original.slice(at, end + 8))) end += 8;
    longest = Math.max(longest, end - at);
  }
  return longest;
}

/** Counts and sizes differ where words do; they tell little. */
function onlyNumbers(a: string, b: string): boolean {
  return (
    a.replaceAll(/\d+/g, "#") === b.replaceAll(/\d+/g, "#") &&
    (a.match(/\d+/g) ?? []).every((number) => number.length <= 6)
  );
}
