import type { AnyNode, TryStatement } from "acorn";
import { handlersOf } from "../handlers.ts";
import { enclosingFunction, within } from "../nodes.ts";
import { report, type Rule, type Subject } from "../rule.ts";
import { nodesOf } from "../syntax.ts";

/** Errors in a handler that end as no answer at all. */
export const swallowingCatch: Rule = function* (subject) {
  const handlers = new Set<AnyNode>(handlersOf(subject));
  for (const node of nodesOf(subject, "TryStatement")) {
    const around = enclosingFunction(subject, node);
    if (!node.handler || !around || !handlers.has(around)) continue;
    if (answers(node.handler.body) || goesOn(subject, node)) continue;
    yield report("swallowing-catch", node.handler, "the hook answers nothing after an error");
  }
};

/** Whether a `catch` throws, returns something, or sets what is returned later. */
function answers(body: AnyNode): boolean {
  for (const node of within(body)) {
    if (node.type === "ThrowStatement" || node.type === "AssignmentExpression") return true;
    if (node.type === "ReturnStatement" && !isNothing(node.argument)) return true;
  }
  return false;
}

function isNothing(node: AnyNode | null | undefined): boolean {
  if (!node) return true;
  if (node.type === "Identifier") return node.name === "undefined";
  if (node.type === "ArrayExpression") return node.elements.length === 0;
  return (
    (node.type === "Literal" && node.value === null) ||
    (node.type === "UnaryExpression" && node.operator === "void")
  );
}

/** Whether an answer comes after the `try`, and the `catch` lets the hook get there. */
function goesOn({ parents }: Subject, node: TryStatement): boolean {
  const ends = [...within(node.handler?.body ?? node)].some(({ type }) => type === "ReturnStatement");
  if (ends) return false;
  let child: AnyNode = node;
  for (let up = parents.get(child); up && !/Function/.test(up.type); child = up, up = parents.get(up)) {
    if (up.type !== "BlockStatement") continue;
    for (const later of up.body.slice(up.body.indexOf(child as never) + 1)) {
      const inside = [later, ...within(later)];
      if (inside.some((part) => part.type === "ReturnStatement" && !isNothing(part.argument))) return true;
    }
  }
  return false;
}
