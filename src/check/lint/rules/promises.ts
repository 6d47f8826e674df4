import type { AnyNode, CallExpression } from "acorn";
import { quote } from "@hookwarden/sandbox/json";
import { calledFunction, excerpt, globalMember, propertyName } from "../nodes.ts";
import { report, type Rule, type Subject } from "../rule.ts";
import { nodesOf } from "../syntax.ts";

const waiters = new Set(["then", "catch", "finally"]);

/** Promises that are not awaited. */
export const floatingPromise: Rule = function* (subject) {
  for (const { expression } of nodesOf(subject, "ExpressionStatement")) {
    const call = unwrapped(expression);
    if (call?.type === "CallExpression" && makesPromise(subject, call)) {
      yield report("floating-promise", call, `nothing waits for ${quote(excerpt(subject, call))}`);
    }
  }
};

function unwrapped(node: AnyNode): AnyNode | null {
  if (node.type === "UnaryExpression" && node.operator === "void") return unwrapped(node.argument);
  return node.type === "ChainExpression" ? node.expression : node;
}

function makesPromise(subject: Subject, { callee }: CallExpression): boolean {
  if (globalMember(subject, callee)?.[0] === "Promise") return true;
  if (callee.type === "MemberExpression" && waiters.has(propertyName(callee) ?? "")) return true;
  return calledFunction(subject, callee)?.async === true;
}
