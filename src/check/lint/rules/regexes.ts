import type { AnyNode } from "acorn";
import { analyse } from "scslre";
import { quote } from "@hookwarden/sandbox/json";
import { globalName, literalText } from "../nodes.ts";
import { type Report, report, type Rule, type Subject } from "../rule.ts";
import { nodesOf } from "../syntax.ts";
import { retriesOf } from "./ambiguity.ts";

/** Longest expression that is analysed, in UTF-16 code units: the analysis itself takes time. */
const longest = 2_000;

/** Regular expressions that may take more than linear time. */
export const slowExpression: Rule = function* (subject) {
  for (const node of nodesOf(subject, "Literal")) {
    if ("regex" in node && node.regex) yield* judged(node, node.regex.pattern, node.regex.flags);
  }
  for (const node of [...nodesOf(subject, "NewExpression"), ...nodesOf(subject, "CallExpression")]) {
    if (globalName(subject, node.callee) !== "RegExp") continue;
    const [pattern, flags] = node.arguments;
    if (!pattern) continue;
    const text = literalText(pattern);
    if (text !== null) yield* judged(node, text, (flags && literalText(flags)) ?? "");
    else if (subject.event.has(pattern) && !isEscaped(subject, pattern)) {
      yield report("regex-from-event", node, "a regular expression is made from data of the event");
    }
  }
};

function isEscaped(subject: Subject, node: AnyNode): boolean {
  return (
    node.type === "CallExpression" &&
    node.callee.type === "MemberExpression" &&
    globalName(subject, node.callee.object) === "RegExp"
  );
}

function* judged(node: AnyNode, pattern: string, flags: string): Generator<Report> {
  // A quotation escapes backslashes, of which an expression is full.
  const text = quote(pattern).replaceAll("\\\\", "\\");
  if (pattern.length > longest) {
    yield report("regex-nonlinear", node, `the expression ${text} is too long to be judged`);
    return;
  }
  const { backreference, ambiguous } = retriesOf(pattern, flags);
  if (backreference) {
    yield report("regex-nonlinear", node, `the expression ${text} refers back to what it has matched`);
  }
  const kinds = slowness(pattern, flags);
  if (ambiguous || kinds.has("exponential")) {
    yield report("regex-nonlinear", node, `the expression ${text} may take exponential time`);
  } else if (kinds.has("polynomial")) {
    yield report("regex-nonlinear", node, `the expression ${text} may take more than linear time`);
  } else if (kinds.has("rescan")) {
    yield report("regex-rescan", node, `the expression ${text} reads the same characters from each start`);
  }
}

type Slowness = "exponential" | "polynomial" | "rescan";

function slowness(source: string, flags: string): ReadonlySet<Slowness> {
  try {
    const { reports } = analyse({ source, flags }, { assumeRejectingSuffix: false });
    return new Set(
      reports.map(({ type, exponential }): Slowness =>
        exponential ? "exponential" : type === "Move" ? "rescan" : "polynomial",
      ),
    );
  } catch {
    // No regular expression, or one of a kind that the analysis does not know: the engine says what is wrong with it.
    return new Set();
  }
}
