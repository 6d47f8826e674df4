import type { AnyNode } from "acorn";
import { quote } from "@hookwarden/sandbox/json";
import {
  enclosingFunction,
  excerpt,
  follow,
  globalMember,
  globalName,
  literalText,
  propertyName,
} from "../nodes.ts";
import { report, type Rule, type Subject } from "../rule.ts";
import { nodesOf, type Syntax } from "../syntax.ts";

/** Functions that change the object that they are given first. */
const changers = new Map([
  ["Object", new Set(["assign", "defineProperty", "defineProperties", "setPrototypeOf", "freeze", "seal"])],
  ["Reflect", new Set(["set", "defineProperty", "deleteProperty", "setPrototypeOf"])],
]);

/** Changes of built-in objects, of prototypes and of the global object. */
export const builtinWrite: Rule = function* (subject) {
  for (const { node, target } of written(subject)) {
    if (target.type === "MemberExpression" && setsPrototype(subject, target)) {
      yield report("builtin-write", node, `${quote(excerpt(subject, target))} sets what objects inherit`);
    }
  }
  for (const node of nodesOf(subject, "CallExpression")) {
    const member = globalMember(subject, node.callee);
    const [target] = node.arguments;
    if (!member || !target || changers.get(member[0])?.has(member[1]) !== true) continue;
    if (isShared(subject, target) || member[1] === "setPrototypeOf") {
      yield report(
        "builtin-write",
        node,
        `${quote(excerpt(subject, node))} changes what other code relies on`,
      );
    }
  }
  for (const node of nodesOf(subject, "Property")) {
    const owner = subject.parents.get(node)?.type;
    const name = node.key.type === "Identifier" ? node.key.name : literalText(node.key);
    if (
      owner !== "ObjectExpression" ||
      node.computed ||
      node.shorthand ||
      node.method ||
      name !== "__proto__"
    )
      continue;
    if (node.value.type === "Literal" && node.value.value === null) continue;
    yield report("builtin-write", node, "`__proto__` in an object sets what it inherits");
  }
};

interface Write {
  readonly node: AnyNode;
  readonly target: AnyNode;
}

/** What is assigned to, counted up or down, or deleted. */
function* written(syntax: Syntax): Generator<Write> {
  for (const node of nodesOf(syntax, "AssignmentExpression")) yield { node, target: node.left };
  for (const node of nodesOf(syntax, "UpdateExpression")) yield { node, target: node.argument };
  for (const node of nodesOf(syntax, "UnaryExpression")) {
    if (node.operator === "delete") yield { node, target: node.argument };
  }
}

function setsPrototype(syntax: Syntax, target: AnyNode & { type: "MemberExpression" }): boolean {
  return propertyName(target) === "__proto__" || isShared(syntax, target.object);
}

/** A global, a prototype of one, or what is reached through `__proto__` or `constructor`. */
function isShared(syntax: Syntax, node: AnyNode): boolean {
  const target = follow(syntax, node) ?? node;
  if (globalName(syntax, target) !== null) return true;
  if (target.type === "MemberExpression") {
    const name = propertyName(target);
    if (name === "__proto__" || (name === "prototype" && !isOwnClass(syntax, target.object))) return true;
    return isShared(syntax, target.object) && !isCall(target.object);
  }
  if (target.type !== "CallExpression") return false;
  const member = globalMember(syntax, target.callee);
  return member?.[1] === "getPrototypeOf";
}

function isCall({ type }: AnyNode): boolean {
  return type === "CallExpression";
}

/** A class or function of the program itself: what it does with its own prototype is its own affair. */
function isOwnClass(syntax: Syntax, node: AnyNode): boolean {
  return node.type === "Identifier" && syntax.variables.has(node);
}

/** Names from the event as names of properties, and walks along a path of names. */
export const dynamicProperty: Rule = function* (subject) {
  for (const node of nodesOf(subject, "MemberExpression")) {
    if (!node.computed || literalText(node.property) !== null || node.property.type === "Literal") continue;
    const text = quote(excerpt(subject, node));
    if (globalName(subject, node.object) === "globalThis") {
      yield report("dynamic-property", node, `${text} finds globals by a name that is made up`);
    } else if (isWalk(subject, node)) {
      yield report("dynamic-property", node, `${text} walks along names, into what objects inherit too`);
    } else if (subject.event.has(node.property) && isPlain(subject, node.object)) {
      const what = isWritten(subject, node) ? "writes" : "looks up";
      yield report("dynamic-property", node, `${text} ${what} a name of the event in a plain object`);
    }
  }
};

/** `x = x[name]`, and `(object, name) => object[name]`. */
function isWalk(syntax: Syntax, node: AnyNode & { type: "MemberExpression" }): boolean {
  const object = node.object.type === "Identifier" ? syntax.variables.get(node.object) : undefined;
  if (!object) return false;
  let parent = syntax.parents.get(node);
  while (parent?.type === "ChainExpression" || parent?.type === "LogicalExpression")
    parent = syntax.parents.get(parent);
  if (parent?.type === "AssignmentExpression" && parent.left.type === "Identifier") {
    return syntax.variables.get(parent.left) === object && isInLoop(syntax, parent);
  }
  const around = enclosingFunction(syntax, node);
  const call = around && syntax.parents.get(around);
  return (
    call?.type === "CallExpression" &&
    call.callee.type === "MemberExpression" &&
    propertyName(call.callee) === "reduce" &&
    around?.params[0]?.type === "Identifier" &&
    syntax.variables.get(around.params[0]) === object
  );
}

function isInLoop(syntax: Syntax, node: AnyNode): boolean {
  for (let up = syntax.parents.get(node); up; up = syntax.parents.get(up)) {
    if (/^(For|While|DoWhile)/.test(up.type)) return true;
  }
  return false;
}

/** An object that was written as `{…}`; arrays and what has no prototype are none. */
function isPlain(subject: Subject, node: AnyNode): boolean {
  const value = follow(subject, node);
  if (value?.type !== "ObjectExpression") return false;
  return !value.properties.some(
    (part) => part.type === "Property" && part.key.type === "Identifier" && part.key.name === "__proto__",
  );
}

function isWritten({ parents }: Syntax, node: AnyNode): boolean {
  const parent = parents.get(node);
  return (
    (parent?.type === "AssignmentExpression" && parent.left === node) ||
    parent?.type === "UpdateExpression" ||
    (parent?.type === "UnaryExpression" && parent.operator === "delete")
  );
}
