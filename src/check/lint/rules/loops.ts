import type { AnyNode, DoWhileStatement, ForStatement, WhileStatement } from "acorn";
import { quote } from "@hookwarden/sandbox/json";
import { bindingsOf, excerpt, propertyName, within } from "../nodes.ts";
import { report, type Rule, type Subject } from "../rule.ts";
import { nodesOf } from "../syntax.ts";

type Loop = DoWhileStatement | ForStatement | WhileStatement;

/** Loops without an end, and loops whose end is a number or a condition of the event. */
export const unboundedLoop: Rule = function* (subject) {
  const loops: Loop[] = [
    ...nodesOf(subject, "ForStatement"),
    ...nodesOf(subject, "WhileStatement"),
    ...nodesOf(subject, "DoWhileStatement"),
  ];
  for (const loop of loops) {
    if (isAlwaysTrue(loop.test)) {
      if (!leaves(subject, loop)) yield report("unbounded-loop", loop, "a loop that nothing ends");
    } else if (loop.test && boundByEvent(subject, loop.test)) {
      const text = quote(excerpt(subject, loop.test));
      yield report("unbounded-loop", loop, `the number in ${text} comes from the event`);
    } else if (loop.test && loop.type !== "ForStatement" && stands(subject, loop, loop.test)) {
      yield report(
        "unbounded-loop",
        loop,
        `nothing in the loop changes ${quote(excerpt(subject, loop.test))}`,
      );
    }
  }
  for (const node of nodesOf(subject, "CallExpression")) {
    if (node.callee.type !== "MemberExpression" || propertyName(node.callee) !== "repeat") continue;
    if (!isNumberOfEvent(subject, node.arguments[0])) continue;
    yield report(
      "unbounded-loop",
      node,
      `${quote(excerpt(subject, node))} repeats as often as the event says`,
    );
  }
};

function isAlwaysTrue(test: AnyNode | null | undefined): boolean {
  if (!test) return true;
  if (test.type === "Literal") return Boolean(test.value);
  return (
    test.type === "UnaryExpression" &&
    test.operator === "!" &&
    test.argument.type === "Literal" &&
    !test.argument.value
  );
}

/** Whether something in the body ends the loop: a jump out of it, an answer, an error. */
function leaves(subject: Subject, loop: Loop): boolean {
  for (const node of within(loop.body)) {
    if (node.type === "ReturnStatement" || node.type === "ThrowStatement" || node.type === "YieldExpression")
      return true;
    if (node.type !== "BreakStatement") continue;
    if (node.label || target(subject, node) === loop) return true;
  }
  return loop.body.type === "ReturnStatement" || loop.body.type === "ThrowStatement";
}

/** The loop or switch that a `break` without a name ends. */
function target({ parents }: Subject, node: AnyNode): AnyNode | undefined {
  let up = parents.get(node);
  while (up && !/^(For|While|DoWhile|Switch)/.test(up.type)) up = parents.get(up);
  return up?.type === "SwitchCase" ? parents.get(up) : up;
}

/** `i < event.count`: a length is bounded by the size of the event, a number by nothing. */
function boundByEvent(subject: Subject, test: AnyNode): boolean {
  if (test.type === "LogicalExpression") {
    const sides = [boundByEvent(subject, test.left), boundByEvent(subject, test.right)];
    // With `&&` the other side may be a bound.
    return test.operator === "&&" ? sides.every(Boolean) : sides.some(Boolean);
  }
  if (test.type !== "BinaryExpression" || !/^[<>]=?$/.test(test.operator)) return false;
  return isNumberOfEvent(subject, test.left) || isNumberOfEvent(subject, test.right);
}

function isNumberOfEvent(subject: Subject, node: AnyNode | undefined): boolean {
  if (
    node?.type === "CallExpression" &&
    node.callee.type === "Identifier" &&
    subject.globals.has(node.callee)
  ) {
    return /^(Number|parseInt|parseFloat)$/.test(node.callee.name) && subject.event.has(node.arguments[0]);
  }
  return node?.type === "MemberExpression" &&
    !/^(length|size|lastIndex|index)$/.test(propertyName(node) ?? "length")
    ? subject.event.has(node)
    : false;
}

/** Whether nothing that the condition names is written in the loop, and nothing is called or left there. */
function stands(subject: Subject, loop: Loop, test: AnyNode): boolean {
  const parts = [...within(test), test];
  if (
    parts.some(
      ({ type }) =>
        type === "CallExpression" || type === "AssignmentExpression" || type === "UpdateExpression",
    )
  ) {
    return false;
  }
  const named = new Set(
    parts.map((node) => subject.variables.get(node)).filter((variable) => variable !== undefined),
  );
  if (named.size === 0) return false;
  const inside = [...within(loop.body), loop.body];
  if (
    inside.some(
      ({ type }) => type === "CallExpression" || type === "YieldExpression" || type === "AwaitExpression",
    )
  ) {
    return false;
  }
  const changed = inside.flatMap((node) =>
    node.type === "AssignmentExpression"
      ? node.left.type === "MemberExpression"
        ? [rootOf(node.left)]
        : bindingsOf(node.left)
      : node.type === "UpdateExpression"
        ? [rootOf(node.argument)]
        : [],
  );
  if (changed.some((node) => named.has(subject.variables.get(node) as never))) return false;
  return !leaves(subject, loop);
}

function rootOf(node: AnyNode): AnyNode {
  return node.type === "MemberExpression" ? rootOf(node.object) : node;
}
