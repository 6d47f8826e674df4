import type {
  AnyNode,
  ArrowFunctionExpression,
  FunctionDeclaration,
  FunctionExpression,
  MemberExpression,
  Node,
} from "acorn";
import type { Variable } from "eslint-scope";
import { childrenOf, type Syntax } from "./syntax.ts";

export type FunctionNode = ArrowFunctionExpression | FunctionDeclaration | FunctionExpression;

export function isFunction(node: AnyNode | null | undefined): node is FunctionNode {
  return (
    node?.type === "ArrowFunctionExpression" ||
    node?.type === "FunctionDeclaration" ||
    node?.type === "FunctionExpression"
  );
}

/** Name of the property that a member expression reads, where it stands in the code. */
export function propertyName({ property, computed }: MemberExpression): string | null {
  if (!computed) return property.type === "Identifier" ? property.name : null;
  return literalText(property);
}

/** The text of a literal, or of a template without parts. */
export function literalText(node: AnyNode): string | null {
  if (node.type === "Literal" && typeof node.value === "string") return node.value;
  if (node.type === "TemplateLiteral" && node.expressions.length === 0)
    return node.quasis[0]?.value.cooked ?? null;
  return null;
}

/** Name of a global that an expression is: `JSON`, or `globalThis.JSON`. */
export function globalName(syntax: Syntax, node: AnyNode): string | null {
  if (node.type === "Identifier") return syntax.globals.has(node) ? node.name : null;
  if (node.type !== "MemberExpression" || globalName(syntax, node.object) !== "globalThis") return null;
  return propertyName(node);
}

/** `Object.assign`, as `["Object", "assign"]`, where the object is a global. */
export function globalMember(syntax: Syntax, node: AnyNode): readonly [string, string] | null {
  if (node.type !== "MemberExpression") return null;
  const object = globalName(syntax, node.object);
  const name = propertyName(node);
  return object !== null && name !== null ? [object, name] : null;
}

/** Every identifier that a pattern binds. */
export function bindingsOf(pattern: AnyNode | null): AnyNode[] {
  switch (pattern?.type) {
    case "Identifier":
      return [pattern];
    case "ObjectPattern":
      return pattern.properties.flatMap((part) =>
        bindingsOf(part.type === "Property" ? part.value : part.argument),
      );
    case "ArrayPattern":
      return pattern.elements.flatMap((part) => bindingsOf(part));
    case "AssignmentPattern":
      return bindingsOf(pattern.left);
    case "RestElement":
      return bindingsOf(pattern.argument);
    default:
      return [];
  }
}

/** The expression that a variable was given once and for all; `null` where it is given others too, or a parameter. */
export function valueOf(variable: Variable | undefined): AnyNode | null {
  const [definition] = variable?.defs ?? [];
  if (!variable || !definition || variable.defs.length !== 1) return null;
  const node = definition.node as unknown as AnyNode;
  if (node.type === "FunctionDeclaration" || node.type === "ClassDeclaration") return node;
  if (node.type !== "VariableDeclarator" || node.id.type !== "Identifier") return null;
  const writes = variable.references.filter((reference) => reference.isWrite());
  return writes.length <= 1 ? (node.init ?? null) : null;
}

/** What an expression is, after following names that are given once. */
export function follow(syntax: Syntax, node: AnyNode | null, steps = 8): AnyNode | null {
  if (node?.type !== "Identifier" || steps === 0) return node;
  const value = valueOf(syntax.variables.get(node));
  return value ? follow(syntax, value, steps - 1) : node;
}

/** The function that a call calls, where it is written in the program. */
export function calledFunction(syntax: Syntax, callee: AnyNode): FunctionNode | null {
  const target = follow(syntax, callee);
  return isFunction(target) ? target : null;
}

/** The function right around a node. */
export function enclosingFunction({ parents }: Syntax, node: Node): FunctionNode | null {
  for (let up = parents.get(node); up; up = parents.get(up)) if (isFunction(up)) return up;
  return null;
}

/** The nodes below a node, functions inside it left out. */
export function* within(root: Node): Generator<AnyNode> {
  const waiting = childrenOf(root);
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    yield node;
    if (!isFunction(node)) waiting.push(...childrenOf(node));
  }
}

/** The source of a node on one line, cut to what a message can hold. */
export function excerpt({ source }: Syntax, { start, end }: Node): string {
  const text = source.slice(start, Math.min(end, start + 200)).replaceAll(/\s+/g, " ");
  return text.length > 60 || end > start + 200 ? `${text.slice(0, 60)}…` : text;
}
