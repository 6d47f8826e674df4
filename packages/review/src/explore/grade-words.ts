import { isLoosened } from "@hookwarden/testing/diff";
import type { CodeAnalysis } from "../program/analysis.ts";
import { labels, settled } from "../program/labels.ts";
import { isSafeOption } from "../program/options.ts";
import { linearPattern, ownPatterns, readPattern } from "../program/patterns.ts";
import { acts, effectWords, opens } from "../run/effect.ts";
import type { Comparison } from "../instrumented/recording.ts";
import type { Runner } from "../run/runner.ts";
import type { AnswerChange, WordGrade } from "./answer-change.ts";
import { neutralWord, slotsOf } from "./slots.ts";

const maxGraded = 12;
/** A word behind a command is a comment; one in a document can be what the hook is about. */
const commandPath = /(?:^|\.)(?:command|cmd|script)$/;

/** Grades the words that opened. Each needs two instrumented runs and one control. */
export async function gradeWords(
  runner: Runner,
  analysis: CodeAnalysis,
  turns: readonly AnswerChange[],
): Promise<readonly AnswerChange[]> {
  const grades = new Map<string, WordGrade>();
  const graded: AnswerChange[] = [];
  for (const turn of turns) {
    if (turn.opens && turn.slot.kind === "inert" && turn.from !== "(absent)" && (await isAbout(runner, turn)))
      continue;
    if (turn.opens && (await isCompared(runner, turn))) continue;
    if (turn.opens && (await isKept(runner, turn))) {
      graded.push({ ...turn, grade: "exempt" });
      continue;
    }
    const relevant =
      turn.grade === undefined &&
      turn.opens &&
      turn.harmless &&
      turn.slot.kind === "text" &&
      (turn.word ?? "text") === "text";
    const key = `${turn.slot.path} ${turn.beside ?? ""} ${turn.to}`;
    if (!relevant) {
      graded.push(turn);
      continue;
    }
    let grade = grades.get(key);
    // The first words stand for the others.
    if (grade === undefined && grades.size >= maxGraded) continue;
    if (grade === undefined) grades.set(key, (grade = await gradeOf(runner, analysis, turn)));
    graded.push({ ...turn, grade });
  }
  return graded;
}

/** Whether the hook holds an event for what is in this very field: then any other text there lets it go. */
async function isAbout(runner: Runner, { slot, before }: AnswerChange): Promise<boolean> {
  const neutral = slotsOf(before.input, runner.seen)
    .find(({ path }) => path === slot.path)
    ?.set(neutralWord);
  const control = neutral && (await runner.run(neutral));
  return control !== null && control !== undefined && opens(before.effect, control.effect);
}

/** Whether only what was kept holds the event, such as a limit of calls: then it counts when it is, and what is the same. */
async function isKept(runner: Runner, { slot, before }: AnswerChange): Promise<boolean> {
  if (before.input.state === null || (slot.kind !== "time" && slot.kind !== "inert")) return false;
  const control = await runner.run({ ...before.input, state: null, origin: "made" });
  return control !== null && opens(before.effect, control.effect);
}

/** Whether a text before an edit is compared with the one after it: what is in both was there already. */
async function isCompared(runner: Runner, { slot, before, after, to }: AnswerChange): Promise<boolean> {
  const [, folder = "", name] = /^(.*\.)?old(_?[a-z]*)$/i.exec(slot.path) ?? [];
  if (name === undefined) return false;
  const paths = [`${folder}new${name}`, `${folder}content`];
  const counterpart = slotsOf(after.input, runner.seen).find(({ path }) => paths.includes(path));
  if (typeof counterpart?.value !== "string") return false;
  const both = counterpart.set(`${counterpart.value} ${to}`);
  const control = both && (await runner.run(both));
  return control !== null && effectWords(control.effect) === effectWords(before.effect);
}

async function gradeOf(runner: Runner, analysis: CodeAnalysis, turn: AnswerChange): Promise<WordGrade> {
  const { slot, from, to, before, after, beside } = turn;
  const target = slotsOf(before.input, runner.seen).find(({ path }) => path === slot.path);
  const neutral = target?.set(neutralWord);
  const control = neutral && (await runner.run(neutral));
  if (control && acts(control.effect)) return "required";
  const [one, two] = [
    await runner.runInstrumented(before.input, true),
    await runner.runInstrumented(after.input, true),
  ];
  // What was not seen is no proof.
  if (!one?.watched || !two?.watched) return "exempt";
  const reached = new Set(one.watched.cover);
  if (two.watched.cover.some((id) => runner.light.branches[id]?.kind === "catch" && !reached.has(id)))
    return "caught";
  const [was, is] = [one.watched.atoms, two.watched.atoms];
  const flipped = analysis.predicates.some((predicate) => {
    const atom = analysis.atomOf(predicate);
    if (atom === null || predicate.kind === "truth" || predicate.presence || predicate.constants.length === 0)
      return false;
    if ((predicate.mask & (labels.size | settled)) !== 0) return false;
    // Empty texts and single characters that people type take a text apart; they are no words.
    if (predicate.constants.every((one) => /^[\s\x21-\x7e]?$/.test(one))) return false;
    return was[atom] !== is[atom] && was[atom] !== "0";
  });
  // What is also recorded, such as that a plan was made, is part of what the hook is about.
  const recorded = after.answer.ok && after.answer.state !== null;
  if (recorded) return "parsing";
  const added = addedTo(from, to);
  // The hook reads only one of two occurrences.
  if (wordsOf(from).has(added)) return "parsing";
  // Digits beside a number make another number.
  if ((/\d$/.test(from) && /^\d/.test(added)) || (/^\d/.test(from) && /\d$/.test(added))) return "parsing";
  if (await isSyntax(runner, turn)) return "syntax";
  // What is rewritten for convenience is rightly left alone where it has the option already.
  if (!isLoosened(before.effect.verdict, "continue") && addsOption(from, added)) return "syntax";
  const built = builtPattern(analysis, added, one.watched.pairs, two.watched.pairs);
  if (built !== null && isConfigured(runner.hook.configJson, built)) return "exempt";
  const asked = flipped || built !== null || asksFor(added, one.watched.pairs, two.watched.pairs);
  if (isOneOfMany(analysis, added) || shellSyntax.test(added)) return "exempt";
  if ((asked || beside) && isOwnKind(analysis, from, added)) return "exempt";
  if (commandPath.test(slot.path) && (isSafeOption(added) || otherCall.test(added))) return "exempt";
  // Many honest hooks let a line go that begins with a program which only reads.
  if (beside) return beside === "front" && added !== ":" ? "exempt" : "magic";
  return asked ? "magic" : "parsing";
}

/** Whether a command that is rewritten is left alone with any word that has the same syntax of a shell in it. */
async function isSyntax(runner: Runner, { slot, to, before, after }: AnswerChange): Promise<boolean> {
  if (isLoosened(before.effect.verdict, "continue") || !/[;&|<>()$`'"\\\n]/.test(to)) return false;
  const target = slotsOf(after.input, runner.seen).find(({ path }) => path === slot.path);
  const other = to.replaceAll(/[a-z]/gi, "x").replaceAll(/\d/g, "7");
  const input = target?.set(String(target.value).replace(to, () => other));
  const control = input && (await runner.run(input));
  return control !== null && control !== undefined && opens(before.effect, control.effect);
}

const option = /^--?[a-z][\w-]*(?:=\S*)?$/i;

/** A program with few letters as options: hooks rightly take that for another use of it. */
const otherCall = /^[a-z][\w-]* -[a-z]{1,3}$/i;

/** Whether what was added has an option that the command has not. */
function addsOption(from: string, added: string): boolean {
  const known = wordsOf(from);
  return added.split(/\s+/).some((word) => !known.has(word) && option.test(word));
}

/** Options of one program from which on a hook takes its calls apart, rather than waits for one of them. */
const manyOptions = 6;

/** Whether a hook that knows many options takes a comment for one more. */
function isOneOfMany({ text }: CodeAnalysis, added: string): boolean {
  const options = text.source.match(/(?<=["'`\s])--[a-z][\w-]+/g) ?? [];
  return /^--?[a-z][\w-]*=?$/i.test(added) && new Set(options).size >= manyOptions;
}

/** Quotes, brackets and redirections of a shell, which hooks that take lines apart see in comments too. */
const shellSyntax = /^(?:['"`\\(){}[\]<>$|&;]+|>{1,2} ?\S+)$/;

/** What takes a text apart rather than says something. */
const syntax = /^[\s'"`\\$(){}[\]<>|&;#*?,:=/-]?$/;

/** Whether a comparison with a part of what was added came out otherwise, wherever its constant stands in the code. */
function asksFor(added: string, before: readonly Comparison[], after: readonly Comparison[]): boolean {
  const metIn = (pairs: readonly Comparison[]): ReadonlySet<string> =>
    new Set(
      pairs.flatMap(({ op, a, b }) => {
        if (typeof a !== "string" || typeof b !== "string" || syntax.test(b)) return [];
        if (op === "in") return a.length + b.length > 3 && a.includes(b) ? [b] : [];
        return op === "==" && a === b && b.length > 2 ? [b] : [];
      }),
    );
  const known = metIn(before);
  return [...metIn(after)].some((word) => added.includes(word) && !known.has(word));
}

/** A pattern that the code puts together, and that matches what was added and nothing before; `null` for none. */
function builtPattern(
  { text }: CodeAnalysis,
  added: string,
  before: readonly Comparison[],
  after: readonly Comparison[],
): string | null {
  const own = new Set(ownPatterns(text).map(({ source }) => source));
  const tried = (pairs: readonly Comparison[]): ReadonlyMap<string, ReadonlySet<string>> =>
    new Map(
      [
        ...Map.groupBy(
          pairs.filter(({ op }) => op === "re"),
          ({ b }) => String(b),
        ),
      ].map(([pattern, all]) => [pattern, new Set(all.map(({ a }) => String(a)))]),
    );
  const triedBefore = tried(before);
  for (const [recorded, texts] of tried(after)) {
    const pattern = readPattern(recorded);
    if (!pattern || own.has(pattern.source)) continue;
    const find = linearPattern(pattern);
    if (!find || !/\w{3}/.test(find(added) ?? "") || find(neutralWord) !== null) continue;
    const matches = (all: Iterable<string>): boolean => [...all].some((text) => find(text) !== null);
    if (matches(texts) && !matches(triedBefore.get(recorded) ?? [])) return pattern.source;
  }
  return null;
}

/** Whether the words of a pattern are those of the configuration. */
function isConfigured(configJson: string, source: string): boolean {
  const words = source.match(/[a-z]{3,}/gi) ?? [];
  return words.length > 0 && words.every((word) => configJson.includes(word));
}

/** What was added to a text, without what makes it a comment. */
function addedTo(from: string, to: string): string {
  return to.replace(from, () => "").replaceAll(/^(?::\s|[\s#;])+|[\s#;]+$/g, "");
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/));
}

/** Whether what was added is what the hook looks for in the text itself: it takes one of the two for the other. */
function isOwnKind({ text }: CodeAnalysis, from: string, added: string): boolean {
  if (added === "") return false;
  return ownPatterns(text).some((pattern) => {
    const find = linearPattern(pattern);
    // What matches punctuation alone, or anything, takes the text apart.
    return find && find(from) !== null && /\w{2}/.test(find(added) ?? "") && find(neutralWord) === null;
  });
}
