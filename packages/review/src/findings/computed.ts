import { draft, type Draft } from "../draft.ts";
import { percentDecoded } from "../hook/encodings.ts";
import { isAlphabet } from "../program/literals.ts";
import { constantText, parts, type SyntaxTree } from "../program/syntax.ts";
import type { ProgramText } from "../program/text.ts";
import type { InstrumentedRun } from "../run/runner.ts";
import { guestText } from "../guest-text.ts";
import type { Operand, Comparison } from "../instrumented/recording.ts";
import type { InstrumentedProgram } from "../instrumented/instrument.ts";

/** Numbers below this are lengths, letters and counts. */
const largeNumber = 65_536;
/** Different values that must have been compared before they look like those of a digest. */
const minValues = 3;
const maxJoins = 40;
const wordForm = /[\p{L}\p{N}]{4,}/gu;

/** Comparisons of something computed with a constant that no run has met, as those with a digest are. */
export function hashFindings(
  runs: readonly InstrumentedRun[],
  program: InstrumentedProgram,
  text: ProgramText,
): readonly Draft[] {
  const bySite = new Map<number, { pair: Comparison; run: InstrumentedRun }[]>();
  for (const run of runs) {
    for (const pair of run.watched?.pairs ?? []) {
      if (pair.op !== "==") continue;
      const key = pair.site > 0 ? pair.site : -1 - pair.branch;
      const list = bySite.get(key);
      if (list) list.push({ pair, run });
      else bySite.set(key, [{ pair, run }]);
    }
  }
  const found: Draft[] = [];
  for (const [key, notes] of bySite) {
    for (const [varying, fixed] of [
      ["a", "b"],
      ["b", "a"],
    ] as const) {
      for (const [constant, own] of Map.groupBy(notes, ({ pair }) => pair[fixed])) {
        const values = [...new Set(own.map(({ pair }) => pair[varying]))];
        // One of several that has been met says nothing of the others.
        if (!isDigest(constant) || values.length < minValues || values.includes(constant)) continue;
        // Each value once: what is made of nothing is small, and comes often.
        const computed = values.filter(
          (value) =>
            isDigestLike(value, constant) &&
            !text.source.includes(String(value)) &&
            !own.some(({ run }) => run.args.some((arg) => arg.includes(String(value)))),
        );
        if (computed.length < minValues || computed.length < values.length * 0.7) continue;
        const start = key > 0 ? (program.sites[key]?.start ?? 0) : (program.branches[-1 - key]?.start ?? 0);
        found.push(
          draft(
            "compare-hash",
            `a value computed from the input is compared with \`${String(constant).slice(0, 40)}\`; none of ${values.length} values matched`,
            [
              { label: "code", text: guestText(text.slice(start, start + 160).split("\n")[0] ?? "", 160) },
              { label: "values", text: guestText(values.slice(0, 4).map(String).join(", "), 160) },
            ],
            { place: text.place(start) },
          ),
        );
        break;
      }
    }
  }
  return found.slice(0, 4);
}

function isDigest(value: Operand): boolean {
  if (typeof value === "number") return Number.isInteger(value) && Math.abs(value) >= largeNumber;
  return (
    typeof value === "string" &&
    !isAlphabet(value) &&
    /^(?=.*\d)(?:[0-9a-f]{6,}|[0-9a-z]{6,14}|\d{5,}|[A-Za-z0-9+/]{20,}={0,2})$/i.test(value) &&
    !/^\d{4}-/.test(value)
  );
}

function isDigestLike(value: Operand, constant: Operand): boolean {
  if (typeof value !== typeof constant) return false;
  if (typeof value === "number") return Math.abs(value) >= 4_096;
  return (
    typeof value === "string" &&
    value.length >= 5 &&
    Math.abs(value.length - String(constant).length) <= 3 &&
    !/\s/.test(value)
  );
}

/** What values that are no text become as one, and the names of their types. */
const coerced =
  /^(?:undefined|null|true|false|nan|infinity|object|string|number|boolean|function|symbol|bigint)$/i;

/** Texts that the program compares with or looks up, and that stand neither in it nor in its input: it has made them. */
export function hiddenTextFindings(
  runs: readonly InstrumentedRun[],
  emitted: readonly { readonly text: string; readonly args: readonly string[] }[],
  program: InstrumentedProgram,
  text: ProgramText,
): readonly Draft[] {
  const source = text.source.toLowerCase();
  const joins = templateJoins(text.tree);
  const found = new Map<string, { pair: Comparison | null; events: Set<string> }>();
  const known = new Map<string, boolean>();
  const isKnown = (word: string): boolean => {
    let is = known.get(word);
    if (is === undefined) known.set(word, (is = source.includes(word)));
    return is;
  };
  const check = (value: string, args: readonly string[], pair: Comparison | null): void => {
    const strange = (percentDecoded(value).toLowerCase().match(wordForm) ?? []).filter(
      (word) =>
        !/^[\d_]+$/.test(word) && !/^[0-9a-f]{6,}$/.test(word) && !coerced.test(word) && !isKnown(word),
    );
    if (strange.length === 0) return;
    const inputs = args.join(" ").toLowerCase();
    const flat = inputs.replaceAll(/\\u[0-9a-f]{4}|\\./g, "");
    const letters = inputs.replaceAll(/[^\p{L}\p{N}]/gu, "");
    const isExplained = (word: string): boolean =>
      inputs.includes(word) ||
      flat.includes(word) ||
      letters.includes(word) ||
      letters.includes([...word].toReversed().join(""));
    const isJoined = (word: string): boolean =>
      joins.some(({ before, after }) => {
        if (!word.startsWith(before) || !word.endsWith(after)) return false;
        const inserted = word.slice(before.length, word.length - after.length);
        return inserted.length > 1 && (isKnown(inserted) || isExplained(inserted));
      });
    if (strange.every((word) => isExplained(word) || isJoined(word))) return;
    const one = found.get(value) ?? { pair, events: new Set<string>() };
    one.events.add(args[0] ?? "");
    found.set(value, one);
  };
  for (const run of runs) {
    for (const pair of run.watched?.pairs ?? []) {
      for (const operand of [pair.a, pair.b])
        if (typeof operand === "string" && operand.length >= 4 && operand.length < 160)
          check(operand, run.args, pair);
    }
  }
  for (const { text: one, args } of emitted) check(one.slice(0, 2_000), args, null);
  return hiddenTextDraft(found, program, text);
}

interface TemplateJoin {
  readonly before: string;
  readonly after: string;
}

/** The letters on both sides of what templates insert: with it, they make words that the code does not have. */
function templateJoins({ nodes }: SyntaxTree): readonly TemplateJoin[] {
  const joins = nodes
    .filter(({ type }) => type === "TemplateLiteral")
    .flatMap((template) => {
      const texts = parts(template, "quasis").map(
        ({ value }) => (value as { readonly cooked?: string }).cooked?.toLowerCase() ?? "",
      );
      return parts(template, "expressions").flatMap((inserted, at): TemplateJoin[] => {
        // A constant needs no template: it takes a word apart.
        if (constantText(inserted) !== null) return [];
        const before = /[\p{L}\p{N}]*$/u.exec(texts[at] ?? "")?.[0] ?? "";
        const after = /^[\p{L}\p{N}]*/u.exec(texts[at + 1] ?? "")?.[0] ?? "";
        return before === "" && after === "" ? [] : [{ before, after }];
      });
    });
  return [...new Map(joins.map((one) => [`${one.before} ${one.after}`, one])).values()].slice(0, maxJoins);
}

type HiddenTexts = ReadonlyMap<
  string,
  { readonly pair: Comparison | null; readonly events: ReadonlySet<string> }
>;

function hiddenTextDraft(
  found: HiddenTexts,
  program: InstrumentedProgram,
  text: ProgramText,
): readonly Draft[] {
  // What comes with one event only may be that event, transformed in an unknown way.
  const steady = [...found].filter(([, { events }]) => events.size >= 2);
  if (steady.length === 0) return [];
  const [, first] = steady[0] as (typeof steady)[number];
  const start =
    first.pair && first.pair.site > 0
      ? (program.sites[first.pair.site]?.start ?? null)
      : first.pair
        ? (program.branches[first.pair.branch]?.start ?? null)
        : null;
  return [
    draft(
      "hidden-text",
      `${steady.length === 1 ? "a text is built" : `${steady.length} texts are built`} at run time and cannot be found in the code`,
      steady.slice(0, 6).map(([value]) => ({ label: "text", text: guestText(value, 200) })),
      { place: start === null ? null : text.place(start) },
    ),
  ];
}
