import type { AnyNode } from "acorn";
import { follow, type FunctionNode, isFunction } from "./nodes.ts";
import { nodesOf, type Syntax } from "./syntax.ts";

/** The functions that the default export hands to the host: one, or one for each event. */
export function handlersOf(syntax: Syntax): readonly FunctionNode[] {
  return [...new Set(defaultExports(syntax).flatMap((node) => functionsIn(syntax, node)))];
}

function defaultExports(syntax: Syntax): AnyNode[] {
  const direct = nodesOf(syntax, "ExportDefaultDeclaration").map(({ declaration }) => declaration);
  const named = nodesOf(syntax, "ExportSpecifier")
    .filter(({ exported }) => (exported.type === "Identifier" ? exported.name : exported.value) === "default")
    .map(({ local }) => local);
  return [...direct, ...named];
}

function functionsIn(syntax: Syntax, node: AnyNode, depth = 0): FunctionNode[] {
  const value = follow(syntax, node);
  if (!value || depth > 4) return [];
  if (isFunction(value)) return [value];
  const parts =
    value.type === "ObjectExpression"
      ? value.properties.map((part) => (part.type === "Property" ? part.value : part.argument))
      : value.type === "CallExpression" // A function that wraps a handler.
        ? value.arguments
        : value.type === "ConditionalExpression"
          ? [value.consequent, value.alternate]
          : value.type === "LogicalExpression"
            ? [value.left, value.right]
            : [];
  return parts.flatMap((part) => functionsIn(syntax, part, depth + 1));
}
