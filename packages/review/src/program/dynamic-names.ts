import type { Report } from "./literals.ts";
import { type AnyNode, constantText, isFunction, memberPath, propertyName } from "./syntax.ts";

/** Built-in objects, which no hook should change. */
export const builtins: ReadonlySet<string> = new Set([
  "Object",
  "Array",
  "String",
  "Number",
  "Boolean",
  "Function",
  "RegExp",
  "Promise",
  "Map",
  "Set",
  "WeakMap",
  "JSON",
  "Math",
  "Date",
  "Reflect",
  "Symbol",
  "Error",
  "globalThis",
  "Proxy",
  "BigInt",
  "Iterator",
]);
/** Taking the constructor of a value is a way to `Function`; asking which one it is, or for its name, is none. */
export function findConstructor(node: AnyNode, parent: AnyNode | undefined, report: Report): void {
  if (propertyName(node) !== "constructor" || isFunction(parent)) return;
  if (parent?.type === "MemberExpression" || parent?.type === "BinaryExpression") return;
  if (parent?.type === "CallExpression" && parent["callee"] === node) return;
  report(node, "dynamic-code", "medium", "takes the constructor of a value");
}

/** Properties under names that are made at run time. */
export function findDynamicName(node: AnyNode, report: Report): void {
  if (!node["computed"]) return;
  const property = node["property"] as AnyNode;
  const object = node["object"] as AnyNode;
  const global =
    object.type === "Identifier" && (object["name"] === "globalThis" || builtins.has(String(object["name"])));
  if (global && property.type !== "Literal" && !isIndex(property))
    report(node, "dynamic-name", "medium", "looks a global up under a name made at run time");
  else if (isBuilt(property))
    report(
      node,
      "dynamic-name",
      isSplit(property) ? "high" : "medium",
      "looks a property up under a name that is put together",
    );
}

function isIndex(node: AnyNode): boolean {
  return (
    node.type === "UpdateExpression" ||
    (node.type === "MemberExpression" && memberPath(node).startsWith("Symbol."))
  );
}

/** Only literal pieces put together, or a text turned round or decoded: no honest reason. */
function isBuilt(node: AnyNode): boolean {
  if (node.type === "BinaryExpression" && node["operator"] === "+") {
    const pieces = piecesOf(node);
    return (
      pieces.length > 1 &&
      pieces.every((one) => (one.type === "Literal" && typeof one["value"] === "string") || isDecoder(one))
    );
  }
  if (node.type === "TemplateLiteral") {
    const inside = node["expressions"] as readonly AnyNode[];
    return inside.length > 0 && inside.every((one) => one.type === "Literal" || isDecoder(one));
  }
  return isDecoder(node);
}

/** Whether a name is literals that are joined: it could stand in the code as it is. */
function isSplit(node: AnyNode): boolean {
  return (node.type === "BinaryExpression" || node.type === "TemplateLiteral") && constantText(node) !== null;
}

function piecesOf(node: AnyNode): readonly AnyNode[] {
  if (node.type !== "BinaryExpression" || node["operator"] !== "+") return [node];
  return [...piecesOf(node["left"] as AnyNode), ...piecesOf(node["right"] as AnyNode)];
}

function isDecoder(node: AnyNode): boolean {
  if (node.type !== "CallExpression") return false;
  const path = memberPath(node["callee"] as AnyNode);
  return /(?:^|\.)(?:reverse|join|fromCharCode|fromCodePoint|atob|decodeURIComponent)$/.test(path);
}
