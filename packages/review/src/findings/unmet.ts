import { draft, type Draft } from "../draft.ts";
import type { CodeAnalysis } from "../program/analysis.ts";
import type { Coverage } from "../program/coverage.ts";
import { fromInput, has, identity, labels, settled } from "../program/labels.ts";
import type { Predicate } from "../program/predicates.ts";
import { type AnyNode, part } from "../program/syntax.ts";
import { evidenceOf, isEquality } from "./conditions.ts";

/** Whether a text is a number in another base rather than a word. */
function isCoded(constant: string): boolean {
  return constant.length >= 2 && /^(?=.*\d)[0-9a-z]+$/i.test(constant);
}

/** From this length on, asking for one exact size is no question about a form. */
const oddSize = 10;

/** Whether what meets a condition cannot be read off the code: what is compared was computed, or is one exact size. */
function isOpaque(predicate: Predicate): boolean {
  const { mask, kind, constants, fixed, presence, node } = predicate;
  if (presence) return false;
  // What a function of the program answers is judged by the conditions in it.
  if (kind === "truth") return node.type === "BinaryExpression" && has(mask, "hashed") && !has(mask, "size");
  // The digits of a number that was made of characters.
  if (kind === "text") return has(mask, "hashed") && !has(mask, "size") && constants.some(isCoded);
  if (kind !== "compare") return false;
  const isNumber = constants.some((one) => Number(one) > 1);
  if (isEquality(predicate)) {
    // Without a constant it is a checksum that the input brings along.
    const isDigest = constants.length === 0 || constants.some((one) => one.length > 1);
    if (has(mask, "hashed") && !has(mask, "size") && isDigest) return true;
    // One exact total says as little as a digest.
    if (has(mask, "summed") && constants.some((one) => Math.abs(Number(one)) >= oddSize)) return true;
    if (has(mask, "mixed")) return isNumber || (has(mask, "hashed") && constants.some(isCoded));
    return (
      has(mask, "size") &&
      ((fixed && constants.length === 0) || constants.some((one) => Number(one) >= oddSize))
    );
  }
  return has(mask, "hashed") && !has(mask, "size") && isNumber;
}

/** Conditions on the input that came out one way in every run, where the other way would let something go. */
export function unmetFindings(analysis: CodeAnalysis, coverage: Coverage): readonly Draft[] {
  const all = unmetConditions(analysis, coverage).toSorted((a, b) => Number(b.hard) - Number(a.hard));
  const [first] = all;
  if (!first) return [];
  return [
    draft(
      "condition-unmet",
      `${all.length === 1 ? "1 condition on the input" : `${all.length} conditions on the input`} came out the same way in every run`,
      evidenceOf(
        analysis,
        coverage,
        all.map(({ predicate }) => predicate),
      ),
      { severity: first.hard ? "high" : "medium", place: analysis.text.place(first.predicate.node.start) },
    ),
  ];
}

interface UnmetCondition {
  readonly predicate: Predicate;
  /** Whether it is arithmetic, so that what meets it cannot be read off the code. */
  readonly hard: boolean;
}

function unmetConditions(analysis: CodeAnalysis, coverage: Coverage): readonly UnmetCondition[] {
  return analysis.predicates.flatMap((predicate) => {
    const { mask, presence } = predicate;
    const atom = analysis.atomOf(predicate);
    if (
      atom === null ||
      !analysis.isAnswerable(predicate) ||
      (mask & (fromInput | identity | labels.state)) === 0
    )
      return [];
    const truth = coverage.truthOf(atom);
    const opaque = isOpaque(predicate);
    // What was computed from a text is no question about an action, although some run met it.
    const isGate = opaque && analysis.isOwn(predicate) && analysis.isArithmeticGate(predicate, oddSize);
    if (opaque && truth === 3 && (has(mask, "hashed") || isGate || analysis.isGate(predicate)))
      return [{ predicate, hard: isGate }];
    if (truth !== 1 && truth !== 2) return [];
    if (analysis.unmetOutcome(predicate, truth === 2) !== "opens") return [];
    const wanted = truth === 2;
    // That something is missing is no secret; that something more is there can be one.
    if (
      presence &&
      !opaque &&
      !asksForMore(predicate, wanted) &&
      !guardsUnreached(analysis, coverage, predicate)
    )
      return [];
    return [{ predicate, hard: (opaque || analysis.interprets) && analysis.isOwn(predicate) }];
  });
}

/** Whether a question if a parameter is there would be answered with yes. */
function asksForMore({ node, kind, mask }: Predicate, wanted: boolean): boolean {
  if ((mask & (labels.action | labels.aside)) === 0 || (mask & (labels.size | settled)) !== 0) return false;
  if (kind === "truth") return wanted && memberOf(node);
  const operator = String(node["operator"]);
  const sides = [part(node, "left"), part(node, "right")];
  if (operator === "in") return wanted;
  return sides.some(memberOf) && !sides.some(isTypeof) && (/^!==?$/.test(operator) ? wanted : !wanted);
}

/** Whether an expression is a property as it came, and nothing that was computed. */
function memberOf(node: AnyNode): boolean {
  if (node.type === "ChainExpression") return memberOf(part(node, "expression"));
  return node.type === "MemberExpression" && !node["computed"];
}

function isTypeof(node: AnyNode): boolean {
  return node.type === "UnaryExpression" && node["operator"] === "typeof";
}

/** Whether a question if something is there has kept another question of the same condition from being asked. */
function guardsUnreached(analysis: CodeAnalysis, coverage: Coverage, { node }: Predicate): boolean {
  const condition = analysis.conditionAround(node);
  return analysis.predicates.some((other) => {
    const atom = analysis.atomOf(other);
    return (
      !other.presence &&
      (other.mask & fromInput) !== 0 &&
      other.node.start > node.end &&
      other.node.end <= condition.end &&
      atom !== null &&
      coverage.truthOf(atom) === 0
    );
  });
}
