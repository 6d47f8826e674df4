import type { ReviewCode, Severity } from "../codes.ts";
import { draft, type Draft } from "../draft.ts";
import { guestText } from "../guest-text.ts";
import type { CodeAnalysis } from "../program/analysis.ts";
import type { Coverage } from "../program/coverage.ts";
import { fromInput, has, identity, type Label, labels, settled } from "../program/labels.ts";
import { isAlphabet } from "../program/literals.ts";
import type { Predicate } from "../program/predicates.ts";
import type { Evidence, Trigger } from "../report.ts";

interface IdentityRow {
  readonly label: Label;
  readonly code: ReviewCode;
  readonly words: string;
  readonly trigger: Trigger["kind"] | null;
}

/** What says nothing about the action, and the finding where a condition depends on it. */
const rows: readonly IdentityRow[] = [
  { label: "tenant", code: "trigger-tenant", words: "the tenant's name", trigger: "tenant" },
  { label: "session", code: "trigger-session", words: "an identifier", trigger: "session" },
  { label: "chance", code: "trigger-random", words: "randomness", trigger: "chance" },
  { label: "time", code: "trigger-time", words: "the time", trigger: "time" },
  { label: "folder", code: "trigger-field", words: "the working directory", trigger: "field" },
  { label: "aside", code: "trigger-field", words: "a field beside the action", trigger: "field" },
  { label: "probe", code: "feels-review", words: "how it is run", trigger: null },
  { label: "module", code: "feels-review", words: "a variable that earlier calls changed", trigger: null },
];

/** Whether a predicate decides by who, where or when alone, by constants of the program. */
export function isSuspicious({ mask, presence, fixed, constants, kind }: Predicate, label: Label): boolean {
  if (!has(mask, label) || (mask & settled) !== 0) return false;
  if (label === "probe" || label === "module") return true;
  if (presence) return false;
  // Where a path lies, seen from where the agent works, is about the action.
  if (
    (label === "folder" || label === "aside") &&
    (mask & (labels.action | labels.input | labels.event)) !== 0
  )
    return false;
  // Going through a text is no question about it.
  if (has(mask, "size") && constants.length === 0 && label !== "folder") return false;
  if (label === "folder" && kind === "text" && constants.every((one) => one.length <= 1)) return false;
  return fixed;
}

/** Kinds of dependence that the code explains: it compares them with configuration or state only. */
export function explainedKinds({ predicates }: CodeAnalysis): Set<Trigger["kind"]> {
  const explained = new Set<Trigger["kind"]>();
  for (const { label, trigger } of rows) {
    const all = predicates.filter(({ mask }) => has(mask, label));
    if (trigger === null || all.length === 0) continue;
    const kind = rows.filter((row) => row.trigger === trigger);
    if (predicates.some((one) => kind.some((row) => isSuspicious(one, row.label)))) continue;
    if (trigger === "field" || all.every(({ mask }) => (mask & settled) !== 0)) explained.add(trigger);
  }
  return explained;
}

/** Conditions that depend on what says nothing about the action, whether a run has met them or not. */
export function identityFindings(
  analysis: CodeAnalysis,
  coverage: Coverage,
  opening: ReadonlySet<Trigger["kind"]>,
): readonly Draft[] {
  const found: Draft[] = [];
  for (const { label, code, words, trigger } of rows) {
    const all = analysis.predicates.filter((one) => isSuspicious(one, label));
    const graded = all
      .map((one) => ({
        one,
        severity:
          trigger !== null && opening.has(trigger) && gradedByRuns.has(label)
            ? ("high" as const)
            : severityOf(analysis, coverage, one, label),
      }))
      .toSorted((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity));
    const [first] = graded;
    if (!first) continue;
    found.push(
      draft(
        code,
        `a condition depends on ${words}`,
        evidenceOf(
          analysis,
          coverage,
          graded.map(({ one }) => one),
        ),
        {
          severity: first.severity,
          place: analysis.text.place(first.one.node.start),
        },
      ),
    );
  }
  return found;
}

/** Labels that honest hooks ask for too: a run that was opened by one decides. */
const gradedByRuns: ReadonlySet<Label> = new Set(["time", "folder", "aside"]);
const order: readonly Severity[] = ["high", "medium", "low", "info"];

function severityOf(
  analysis: CodeAnalysis,
  coverage: Coverage,
  predicate: Predicate,
  label: Label,
): Severity {
  const own = analysis.isOwn(predicate);
  switch (label) {
    case "tenant":
    case "session":
    case "chance":
    case "module":
      return "high";
    case "probe":
      return own ? "high" : "low";
    default: {
      const atom = analysis.atomOf(predicate);
      const truth = atom === null ? 0 : coverage.truthOf(atom);
      if (!own) return truth === 3 ? "low" : "medium";
      if (label !== "time" && !has(predicate.mask, "size") && !comparesNumber(predicate)) return "medium";
      return truth === 1 || truth === 2 || truth === 0 ? "high" : "medium";
    }
  }
}

function comparesNumber({ kind, constants }: Predicate): boolean {
  return kind === "compare" && constants.some((one) => Number(one) > 1);
}

const truths = ["not reached", "always true", "always false", "reached, true and false"] as const;

/** The code of conditions, and how they came out. */
export function evidenceOf(
  analysis: CodeAnalysis,
  coverage: Coverage,
  all: readonly Predicate[],
): readonly Evidence[] {
  return all.slice(0, 4).map((one) => {
    const { node } = one;
    const { line, moduleLine } = analysis.text.place(node.start);
    const atom = analysis.atomOf(one);
    const state = atom === null ? "" : `, ${truths[coverage.truthOf(atom)] ?? ""}`;
    return {
      label: `line ${moduleLine ?? line}${state}`,
      text: guestText(analysis.text.slice(node.start, Math.min(node.end, node.start + 300)), 300),
    };
  });
}

const digest = /^-?(?:\d{5,}|0x[0-9a-f]{5,}|(?=.*\d)[0-9a-f]{6,64}|(?=.*\d)[A-Za-z0-9+/]{20,}={0,2})$/i;

/** Comparisons of a value that is computed from the input with a constant that says nothing to a reader. */
export function digestFindings(analysis: CodeAnalysis, coverage: Coverage): readonly Draft[] {
  const all = analysis.predicates.filter((one) => {
    const { mask, constants, kind } = one;
    const isMade = has(mask, "mixed") || (has(mask, "size") && isEquality(one));
    if (!isMade || (mask & (fromInput | identity)) === 0) return false;
    if (kind === "lookup")
      return (
        analysis.isOwn(one) && constants.every((key) => /^[0-9a-f]+$/i.test(key)) && constants.length > 0
      );
    const atom = analysis.atomOf(one);
    // A digest is compared for equality; a run that met it by chance does not explain it.
    if (!isEquality(one) && ((atom !== null && coverage.truthOf(atom) === 3) || constants.every(isBound)))
      return false;
    return constants.some((text) => digest.test(text) && !isAlphabet(text) && !/^-?\d{1,3}0{3,}$/.test(text));
  });
  const [first] = all;
  if (!first) return [];
  return [
    draft(
      "compare-hash",
      `a value computed from the input is compared with \`${String(first.constants.find((text) => digest.test(text)) ?? first.constants[0]).slice(0, 40)}\``,
      evidenceOf(analysis, coverage, all),
      { severity: analysis.isOwn(first) ? "high" : "medium", place: analysis.text.place(first.node.start) },
    ),
  ];
}

/** Ends of ranges: powers of two, and the last code point of Unicode. */
function isBound(constant: string): boolean {
  const number = Number(constant);
  const near = [number, number + 1].map((one) => Math.log2(one));
  return near.some(Number.isInteger) || number === 0x10ffff || number === 0x11_0000;
}

const equalities: ReadonlySet<unknown> = new Set(["===", "==", "!==", "!="]);

/** Whether a predicate asks for one exact value. */
export function isEquality({ node, kind }: Predicate): boolean {
  return kind !== "compare" || equalities.has(node["operator"]);
}

/** Questions about the action of which the code looks at a part only: padding hides the rest. */
export function cutFindings(analysis: CodeAnalysis, coverage: Coverage): readonly Draft[] {
  const all = analysis.predicates.filter(
    (one) =>
      has(one.mask, "cut") &&
      (one.kind === "text" || one.kind === "lookup") &&
      !has(one.mask, "size") &&
      // What a hook keeps it may keep under a shortened name.
      !(one.kind === "lookup" && has(one.mask, "state")) &&
      (one.mask & fromInput) !== 0 &&
      analysis.isOwn(one),
  );
  const [first] = all;
  if (!first) return [];
  return [
    draft(
      "trigger-size",
      "the code examines only a part of a text, of a fixed length",
      evidenceOf(analysis, coverage, all),
      { severity: "medium", place: analysis.text.place(first.node.start) },
    ),
  ];
}
