import { leavesOf, valueAt, withValue } from "@hookwarden/testing/mutate";
import type { Action } from "hookwarden/broker";
import { actionRows } from "hookwarden/catalogue";
import type { Encoding } from "../report.ts";
import { validEvent, type Input } from "../run/input.ts";
import { acts, effectWords } from "../run/effect.ts";
import type { Run, Runner } from "../run/runner.ts";
import { touches } from "../run/touched.ts";
import { harmless } from "../explore/slots.ts";
import { foundAs, percentDecoded } from "./encodings.ts";

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
/** The way to add a word in the middle of a long text, of which a short quotation shows a part only. */
const inDocument = 3;
const document =
  "The settings of the service are described here, one after another, with what they are for and who may change them. " +
  "Each password, token, key and secret has an owner, is kept in the vault, and is renewed every ninety days by a job. ";

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
      .filter(
        ({ path, value }) =>
          typeof value === "string" && path[0] !== "tool_name" && touches(base, path.join(".")),
      )
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
      leaks.push(...(await tryLeaf(runner, base, path, inDocument)));
    }
  }
  const kept = leaks.filter(({ kind }) => kind === "state");
  return [
    ...leaks.filter(({ kind }) => kind !== "state"),
    ...(await outOfState(runner, kept, [...bases, ...others])),
  ];
}

/** Whether two paths are the same but for the places in lists, which move when one of a list is left out. */
export function isSamePlace(one: string, other: string): boolean {
  const anywhere = (path: string): string => path.replaceAll(/(?<=\.)\d+(?=\.|$)/g, "*");
  return anywhere(one) === anywhere(other);
}

/** Whether what comes out later is what a person said to the same model. */
export function isReminder({ path }: Pick<Leak, "path">, scope: string | null): boolean {
  return path === "prompt" && scope === "session";
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
          characters:
            as === "verbatim"
              ? longestShared(text, textAt(leak.input.event, leak.path.split(".")))
              : text.length,
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
      if (rewrites !== null && isSamePlace(rewrites, name) && as === "verbatim" && !address) continue;
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
      !onlyNumbers(text, other) &&
      !isCut(text, other)
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

/** Whether two texts quote the words up to the same place, as those do that shorten what they quote. */
function isCut(text: string, other: string): boolean {
  const cutAt = (length: number): boolean =>
    text.replaceAll(words[0].slice(0, length), "") === other.replaceAll(words[1].slice(0, length), "");
  return Array.from({ length: words[0].length }, (_, at) => at + 1).some(cutAt);
}

/** The input with a word in one of its texts; `null` where there is no such way. */
export function marked(input: Input, path: readonly string[], word: string, way: number): Input | null {
  const value = withWord(textAt(input.event, path), path.join("."), word, way);
  if (value === undefined) return null;
  const event = validEvent(withValue(input.event, path, value));
  return event && { ...input, origin: "made", label: `${input.label}; a word in ${path.join(".")}`, event };
}

/** A text with a word in it; `undefined` where its field has no such way. */
function withWord(text: string, path: string, word: string, way: number): string | undefined {
  const added = harmless(path, text, word);
  if (way === inDocument) {
    const isProse = added.length > 0 && !added[0]?.includes("#");
    return isProse ? `${text}\n${document}${word} ${document}` : undefined;
  }
  if (way < 2) return added[way];
  return added.length === 0 ? `${text}${word}` : undefined;
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
