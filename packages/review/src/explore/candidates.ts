import { wordsOf } from "@hookwarden/testing/mutate";
import type { InstrumentedRun } from "../run/runner.ts";
import type { Operand, Comparison } from "../instrumented/recording.ts";
import { inTurn } from "./in-turn.ts";
import { harmless, type Slot } from "./slots.ts";
import { timesOf } from "./times.ts";

/** A change to an input that may turn a comparison of the program. */
export interface Candidate {
  readonly slot: Slot;
  readonly to: string | number;
  /** What was put into a text; absent where it was set as a whole. */
  readonly word?: string;
  /** Whether what is done stays the same: a guard that is honest says the same again. */
  readonly harmless: boolean;
  /** Whether a part of a text was put into it where another part stands, or the text was given a length. */
  readonly spliced?: true;
}

/** Kinds of slots that do not affect the action. */
const aside: ReadonlySet<string> = new Set(["tenant", "time", "id", "inert", "chance", "state"]);
/** Constants that are put into every slot, although nothing shows where they belong, at most. */
const maxAnywhere = 24;
/** Longest text that is made here, in characters: a call that notes comparisons costs many times its own price. */
const maxMadeLength = 5_000;
/** Candidates of one run. */
const maxCandidates = 600;
const maxSplices = 40;

/**
 * Inputs for which the comparisons of a run would end otherwise. Where an operand is found in the input, the other one
 * is put in its place; where it is not (the program has worked on it first), the other one is tried everywhere.
 *
 * @param first whether a comparison comes before others: those of the hook's own code do.
 * @param isOrdinary whether a text is no exception of the author's: what it reaches counts as seen.
 */
export function candidatesOf(
  run: InstrumentedRun,
  slots: readonly Slot[],
  first: (pair: Comparison) => boolean,
  isOrdinary: (text: string) => boolean,
): readonly Candidate[] {
  const { watched } = run;
  if (!watched) return [];
  let found: Candidate[] = [];
  const groups = [found];
  const spliced: Candidate[] = [];
  const known = new Set<string>();
  const texts = slots.filter(({ kind }) => kind !== "chance");
  const add = (
    slot: Slot,
    value: string | number,
    { isHarmless = aside.has(slot.kind) || slot.path === "cwd", word, isSpliced = false }: Change = {},
  ): void => {
    const key = `${slot.path} ${value}`;
    if (value === slot.value || known.has(key)) return;
    known.add(key);
    found.push({
      slot,
      to: value,
      harmless: isHarmless,
      ...(word !== undefined && { word }),
      ...(isSpliced && { spliced: true }),
    });
  };
  let anywhere = 0;
  const readsTime =
    watched.clock > 0 || watched.reads.some(({ path }) => path.length === 1 && path[0] === "time");
  const pairs = [...watched.pairs.filter(first), ...watched.pairs.filter((pair) => !first(pair))];
  for (const pair of pairs) {
    if (known.size >= maxCandidates) break;
    groups.push((found = []));
    if (pair.op === "re") {
      matching(pair, texts, { add, isOrdinary });
      continue;
    }
    for (const [seen, wanted] of sides(pair)) {
      if (typeof wanted === "number" && typeof seen === "number") {
        numbers({ seen, wanted, run, readsTime }, texts, add);
        continue;
      }
      if (typeof wanted !== "string" || typeof seen !== "string" || wanted === "") continue;
      if (readsTime && run.input.event.time.includes(seen) && seen.length > 1) {
        const slot = slots.find(({ kind }) => kind === "time");
        if (slot)
          for (const time of timesOf(wanted, run.input.event.time)) add(slot, time, { isHarmless: true });
      }
      let placed = false;
      const bounds = pair.op === "<" ? charactersAt(wanted) : [];
      for (const slot of texts) {
        if (typeof slot.value !== "string" || slot.kind === "time") continue;
        for (const bound of slot.value.includes(seen) ? bounds : [])
          for (const value of harmless(slot.path, slot.value, bound)) add(slot, value, { isHarmless: true });
        placed = place(slot, { seen, wanted, op: pair.op }, add) || placed;
        if (pair.op === "in")
          for (const to of splicesOf(slot, seen, wanted))
            spliced.push({ slot, to, harmless: false, ...(!isOrdinary(wanted) && { spliced: true }) });
      }
      if (placed || wanted.length < 3 || inArgs(run, wanted) || anywhere >= maxAnywhere) continue;
      anywhere++;
      for (const slot of texts) {
        if (slot.kind === "tenant" || slot.kind === "id" || slot.kind === "inert" || slot.path === "cwd")
          add(slot, wanted);
        else if (slot.kind === "text" && typeof slot.value === "string")
          for (const value of harmless(slot.path, slot.value, wanted).slice(0, 1))
            add(slot, value, { isHarmless: true, word: wanted });
      }
    }
  }
  // Last, so that they take no room of what is known to change nothing else.
  return [...inTurn(groups), ...spliced.slice(0, maxSplices)];
}

/** A text with a constant of the code at the part of it that the code looked into. */
function splicesOf({ kind, value }: Slot, seen: string, wanted: string): readonly string[] {
  if (typeof value !== "string" || (kind !== "text" && kind !== "place")) return [];
  return inPlaceOf(value, seen, [`${seen}${wanted}`, `${wanted}${seen}`]);
}

/** The text with its part replaced by each of the others; none where the part is the whole of it. */
function inPlaceOf(text: string, part: string, others: readonly string[]): readonly string[] {
  const at = part.length < 2 || part.length >= text.length ? -1 : text.indexOf(part);
  return at < 0 ? [] : others.map((one) => text.slice(0, at) + one + text.slice(at + part.length));
}

/** A part with a constant over its beginning or its end, as long as before: its length may count too. */
function overlaid(part: string, constant: string): readonly string[] {
  const rest = part.length - constant.length;
  return rest > 0 ? [constant + part.slice(-rest), part.slice(0, rest) + constant] : [];
}

/** What is known of a change: whether it is harmless follows from the slot, if nothing else is said. */
interface Change {
  readonly isHarmless?: boolean;
  readonly word?: string;
  readonly isSpliced?: boolean;
}

type Add = (slot: Slot, value: string | number, change?: Change) => void;

/** Texts that a pattern matches, in place of what it was tried on. */
function matching(
  { a, b }: Comparison,
  slots: readonly Slot[],
  { add, isOrdinary }: { readonly add: Add; readonly isOrdinary: (text: string) => boolean },
): void {
  const pattern = /^\/(.*)\/([a-z]*)$/s.exec(String(b));
  if (!pattern || typeof a !== "string") return;
  const words = wordsOf(pattern[1] ?? "", pattern[2] ?? "").slice(0, 6);
  for (const slot of slots) {
    const value = String(slot.value);
    if (typeof slot.value !== "string" || slot.kind === "time") continue;
    // The text may be a part of what was tried, such as JSON of the whole.
    if (!value.includes(a) && !(value.length > 1 && a.toLowerCase().includes(value.toLowerCase()))) continue;
    for (const word of words) {
      if (slot.kind !== "text") add(slot, word);
      else for (const way of harmless(slot.path, value, word)) add(slot, way, { isHarmless: true, word });
      if (slot.kind === "text" || slot.kind === "place") {
        for (const text of inPlaceOf(value, a, [word])) add(slot, text, { isSpliced: !isOrdinary(word) });
        for (const text of [`${value}${word}`, `${value} ${word}`, word]) add(slot, text);
      }
    }
  }
}

function sides({ op, a, b }: Comparison): readonly (readonly [Operand, Operand])[] {
  if (op === "key" || op === "re") return [];
  // Of a text and a part of it, only the part can be put somewhere.
  if (op === "in") return [[a, b]];
  return [
    [a, b],
    [b, a],
  ];
}

/** Puts a text where another one stands. @returns whether it stands there at all. */
function place(
  slot: Slot,
  { seen: known, wanted, op }: { readonly seen: string; readonly wanted: string; readonly op: string },
  add: Add,
): boolean {
  const value = String(slot.value);
  const lower = value.toLowerCase();
  const at = known === "" ? -1 : lower.indexOf(known.toLowerCase());
  if (op === "in") {
    if (known === "" || (at < 0 && !known.toLowerCase().includes(lower))) return false;
    const ways = harmless(slot.path, value, wanted);
    for (const way of ways) add(slot, way, { isHarmless: true, word: wanted });
    if (slot.kind === "id" || slot.kind === "tenant" || slot.kind === "inert" || slot.kind === "place") {
      for (const text of inPlaceOf(value, known, overlaid(known, wanted))) add(slot, text);
      add(slot, `${value}${wanted}`);
      add(slot, wanted);
      add(slot, `${wanted}${value}`);
      if (slot.kind === "place") add(slot, `${value.replace(/\/$/, "")}/x${wanted}`);
    } else if (slot.kind === "text") {
      add(slot, `${value} ${wanted}`);
      add(slot, `${wanted} ${value}`);
    }
    return true;
  }
  // One letter is in nearly every text.
  const isWord = ` ${value} `.indexOf(` ${known} `) === at;
  if (at < 0 || (known.length < 2 && !isWord)) return false;
  if (known.length === value.length) add(slot, wanted);
  else {
    add(slot, value.slice(0, at) + wanted + value.slice(at + known.length));
    for (const way of harmless(slot.path, value, wanted)) add(slot, way, { isHarmless: true, word: wanted });
  }
  return true;
}

interface NumberPair {
  readonly seen: number;
  readonly wanted: number;
  readonly run: InstrumentedRun;
  readonly readsTime: boolean;
}

function numbers(
  { seen: known, wanted, run, readsTime }: NumberPair,
  slots: readonly Slot[],
  add: Add,
): void {
  const near = [wanted, wanted + 1, wanted - 1];
  for (const slot of slots) {
    if (slot.kind === "time") {
      if (readsTime)
        for (const time of timesOf(wanted, run.input.event.time)) add(slot, time, { isHarmless: true });
    } else if (typeof slot.value === "number") {
      if (slot.value === known || slot.kind === "state")
        for (const one of near) add(slot, one, { isSpliced: slot.kind !== "state" && isOdd(wanted) });
    } else if (aside.has(slot.kind) || slot.path === "cwd") {
      if (wanted > 0 && wanted < maxMadeLength)
        for (const text of resized(slot.value, known, near)) add(slot, text);
    } else if (slot.value.length === known && wanted > 0 && wanted < maxMadeLength) {
      for (const length of near) {
        if (length <= 0) continue;
        const missing = length - slot.value.length;
        const [longer] = missing > 4 ? harmless(slot.path, slot.value, "a".repeat(missing - 3)) : [];
        if (longer !== undefined) add(slot, longer.slice(0, length), { isHarmless: true });
        // What is done with a text of exactly that length is not known.
        else add(slot, padded(slot.value, length), { isHarmless: false, isSpliced: true });
      }
    }
  }
}

/** The text, or a part of it, with other lengths in place of one. */
function resized(text: string, from: number, to: readonly number[]): readonly string[] {
  const lengths = to.filter((one) => one > 0);
  if (text.length === from) return lengths.map((length) => padded(text, length));
  const part = text.split(/[^\p{L}\p{N}]+/u).find(({ length }) => length === from);
  return part === undefined
    ? []
    : inPlaceOf(
        text,
        part,
        lengths.map((length) => padded(part, length)),
      );
}

/** A character that a range begins or ends with, and those next to it; none for ASCII, of which events have all. */
function charactersAt(bound: string): readonly string[] {
  const code = bound.codePointAt(0) ?? 0;
  if (code < 0x80 || bound !== String.fromCodePoint(code)) return [];
  return [bound, ...[code - 1, code + 1].map((one) => String.fromCodePoint(one).toWellFormed())];
}

/** Whether an event has a number only because the code asks for it. */
function isOdd(number: number): boolean {
  return !Number.isInteger(number) || (Math.abs(number) > 10 && number % 10 !== 0);
}

function padded(text: string, length: number): string {
  return text.slice(0, length).padEnd(length, "a");
}

function inArgs({ args }: InstrumentedRun, text: string): boolean {
  return args[0].includes(text);
}
