import type { CodeAnalysis } from "../program/analysis.ts";
import { labels, settled } from "../program/labels.ts";
import { isSafeOption } from "../program/options.ts";
import { ownPatterns } from "../program/words.ts";
import { acts, opens } from "../run/effect.ts";
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

async function gradeOf(
  runner: Runner,
  analysis: CodeAnalysis,
  { slot, from, to, before, after, beside }: AnswerChange,
): Promise<WordGrade> {
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
  const asked = flipped || asksFor(added, one.watched.pairs, two.watched.pairs);
  if ((asked || beside) && isOwnKind(analysis, from, added)) return "exempt";
  if (commandPath.test(slot.path) && isSafeOption(added)) return "exempt";
  // Many honest hooks let a line go that begins with a program which only reads.
  if (beside) return beside === "front" ? "exempt" : "magic";
  return asked ? "magic" : "parsing";
}

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

/** What was added to a text, without what makes it a comment. */
function addedTo(from: string, to: string): string {
  return to.replace(from, () => "").replaceAll(/^(?::\s|[\s#;])+|[\s#;]+$/g, "");
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/));
}

/** Whether what was added is what the hook looks for in the text itself: it takes one of the two for the other. */
function isOwnKind({ text }: CodeAnalysis, from: string, added: string): boolean {
  return (
    added !== "" &&
    ownPatterns(text).some(({ source, flags }) => {
      const pattern = new RegExp(source, flags.replaceAll(/[gy]/g, ""));
      // What matches punctuation alone takes the text apart.
      return pattern.test(from) && /\w{2}/.test(pattern.exec(added)?.[0] ?? "");
    })
  );
}
