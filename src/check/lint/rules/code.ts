import type { AnyNode } from "acorn";
import { allowedGlobalNames } from "@hookwarden/sandbox/guest";
import { quote } from "@hookwarden/sandbox/json";
import { excerpt, globalName, isFunction, propertyName } from "../nodes.ts";
import { report, type Rule } from "../rule.ts";
import { nodesOf, type Syntax } from "../syntax.ts";

const makers = new Set(["eval", "Function"]);

/** Code out of text: `eval`, `Function`, the constructor of any function, and `import()`. */
export const dynamicCode: Rule = function* (subject) {
  for (const node of nodesOf(subject, "ImportExpression")) {
    yield report("dynamic-code", node, `${show(subject, node)} loads code while the hook runs`);
  }
  for (const node of nodesOf(subject, "Identifier")) {
    const name = globalName(subject, node);
    if (name !== null && makers.has(name) && !onlyTested(subject, node)) {
      yield report("dynamic-code", node, `\`${name}\` makes code out of text`);
    }
  }
  for (const node of nodesOf(subject, "MemberExpression")) {
    const name = globalName(subject, node) ?? propertyName(node);
    if (globalName(subject, node) !== null && makers.has(name ?? "")) {
      yield report("dynamic-code", node, `${show(subject, node)} makes code out of text`);
    } else if (propertyName(node) === "constructor" && leadsToFunction(subject, node)) {
      yield report("dynamic-code", node, `${show(subject, node)} leads to the maker of functions`);
    }
  }
};

/** `x.constructor("…")`, `x.constructor.constructor` and the constructor of a function that stands there. */
function leadsToFunction({ parents }: Syntax, node: AnyNode & { type: "MemberExpression" }): boolean {
  const parent = parents.get(node);
  const called = parent?.type === "CallExpression" && parent.callee === node;
  const again = node.object.type === "MemberExpression" && propertyName(node.object) === "constructor";
  const onFunction = isFunction(node.object) || node.object.type === "ClassExpression";
  return called || again || onFunction;
}

/** Names that look for something without using it: `typeof x`, `y instanceof Function`. */
function onlyTested({ parents }: Syntax, node: AnyNode): boolean {
  const parent = parents.get(node);
  if (parent?.type === "UnaryExpression") return parent.operator === "typeof";
  return parent?.type === "BinaryExpression" && parent.right === node && parent.operator === "instanceof";
}

const known = new Set([...allowedGlobalNames, "arguments"]);

/** Globals that no guest has. The compiler has written those of other hosts as members of `globalThis`. */
export const unknownGlobal: Rule = function* (subject) {
  const seen = new Set<string>(assignedGlobals(subject));
  const names = nodesOf(subject, "Identifier").filter((node) => subject.globals.has(node));
  const members = nodesOf(subject, "MemberExpression").filter((node) => isRequired(subject, node));
  for (const node of [...names, ...members]) {
    const name = globalName(subject, node);
    if (name === null || known.has(name) || seen.has(name) || onlyTested(subject, node)) continue;
    seen.add(name);
    yield report("unknown-global", node, `there is no global ${quote(name)} in a hook`);
  }
};

/** Whether an expression throws where its value is undefined: `x.y`, `x()`, `new x()`. */
function isRequired({ parents }: Syntax, node: AnyNode): boolean {
  const parent = parents.get(node);
  if (parent?.type === "MemberExpression") return parent.object === node && !parent.optional;
  if (parent?.type === "CallExpression") return parent.callee === node && !parent.optional;
  return parent?.type === "NewExpression" && parent.callee === node;
}

/** Names that the program itself sets on `globalThis`, as a polyfill does. */
function* assignedGlobals(subject: Syntax): Generator<string> {
  for (const { left } of nodesOf(subject, "AssignmentExpression")) {
    const name = left.type === "MemberExpression" ? globalName(subject, left) : null;
    if (name !== null) yield name;
  }
}

function show(syntax: Syntax, node: AnyNode): string {
  return quote(excerpt(syntax, node));
}
