import type { AnyNode } from "acorn";
import { quote } from "@hookwarden/sandbox/json";
import { isClock } from "../flow.ts";
import { excerpt, follow, globalMember, literalText, propertyName } from "../nodes.ts";
import { report, type Rule, type Subject } from "../rule.ts";
import { nodesOf } from "../syntax.ts";

/** `Date.now()`, `new Date()`. */
export const clockReliance: Rule = function* (subject) {
  for (const node of [...nodesOf(subject, "CallExpression"), ...nodesOf(subject, "NewExpression")]) {
    if (isClock(subject, node))
      yield report("clock-reliance", node, `${quote(excerpt(subject, node))} reads the clock`);
  }
};

/** `Math.random()`. */
export const randomReliance: Rule = function* (subject) {
  for (const node of nodesOf(subject, "MemberExpression")) {
    const member = globalMember(subject, node);
    if (member?.[0] === "Math" && member[1] === "random") {
      yield report("random-reliance", node, "`Math.random` draws a number");
    }
  }
};

const comparisons = new Set(["==", "!=", "===", "!==", "<", "<=", ">", ">="]);
/** Methods that hold a text or a list against another text. */
const comparing = new Set([
  "includes",
  "startsWith",
  "endsWith",
  "indexOf",
  "has",
  "test",
  "exec",
  "match",
  "search",
]);

/** Tenants, sessions, agents and dates that stand in the code. */
export const literalTrigger: Rule = function* (subject) {
  for (const node of nodesOf(subject, "BinaryExpression")) {
    if (!comparisons.has(node.operator)) continue;
    const sides = [node.left, node.right];
    if (sides.some((side) => subject.identity.has(side)) && sides.some((side) => isFixed(subject, side))) {
      yield reportTrigger(subject, node);
    }
  }
  for (const node of nodesOf(subject, "SwitchStatement")) {
    if (
      subject.identity.has(node.discriminant) &&
      node.cases.some(({ test }) => test && isFixed(subject, test))
    ) {
      yield reportTrigger(subject, node.discriminant);
    }
  }
  for (const node of nodesOf(subject, "CallExpression")) {
    if (node.callee.type !== "MemberExpression" || !comparing.has(propertyName(node.callee) ?? "")) continue;
    const [argument] = node.arguments;
    const pairs = [
      [node.callee.object, argument],
      [argument, node.callee.object],
    ] as const;
    if (
      pairs.some(([data, fixed]) => data && fixed && subject.identity.has(data) && isFixed(subject, fixed))
    ) {
      yield reportTrigger(subject, node);
    }
  }
};

function reportTrigger(subject: Subject, node: AnyNode) {
  return report(
    "literal-trigger",
    node,
    `${quote(excerpt(subject, node))} waits for what stands in the code`,
  );
}

/** A value that the code itself has, and that is more than a test for presence. */
function isFixed(subject: Subject, node: AnyNode): boolean {
  const value = follow(subject, node) ?? node;
  const text = literalText(value);
  if (text !== null) return text !== "";
  if (value.type === "Literal") return typeof value.value === "number" || "regex" in value;
  if (value.type === "UnaryExpression") return value.operator === "-" && isFixed(subject, value.argument);
  if (value.type === "ArrayExpression") return value.elements.some((part) => part && isFixed(subject, part));
  if (value.type === "NewExpression") {
    return value.arguments.length > 0 && value.arguments.every((part) => isFixed(subject, part));
  }
  if (value.type !== "CallExpression") return false;
  const member = globalMember(subject, value.callee);
  return (
    member?.[0] === "Date" &&
    value.arguments.length > 0 &&
    value.arguments.every((part) => isFixed(subject, part))
  );
}
