import { type Node, parse } from "acorn";

/** A node of a syntax tree, whose parts are read by name. */
export type AnyNode = Node & { readonly [part: string]: unknown };

/** The syntax tree of a program, with what a node alone does not tell. */
export interface SyntaxTree {
  readonly root: AnyNode;
  /** Outer nodes first. */
  readonly nodes: readonly AnyNode[];
  readonly parents: ReadonlyMap<Node, AnyNode | null>;
}

/** Parses an ES module. @throws {SyntaxError} */
export function syntaxOf(source: string): SyntaxTree {
  const root = parse(source, { ecmaVersion: "latest", sourceType: "module" }) as unknown as AnyNode;
  const nodes: AnyNode[] = [];
  const parents = new Map<Node, AnyNode | null>();
  const walk = (node: AnyNode, parent: AnyNode | null): void => {
    if (parents.has(node)) return;
    parents.set(node, parent);
    nodes.push(node);
    for (const name of Object.keys(node)) {
      const value = node[name];
      if (Array.isArray(value)) for (const one of value as unknown[]) if (isNode(one)) walk(one, node);
      if (isNode(value)) walk(value, node);
    }
  };
  walk(root, null);
  nodes.sort((a, b) => a.start - b.start || b.end - a.end);
  return { root, nodes, parents };
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}

/** A part of a node that is a node. */
export function part(node: AnyNode, name: string): AnyNode {
  return node[name] as AnyNode;
}

/** A part of a node that is a list of nodes; empty where it is absent. */
export function parts(node: AnyNode, name: string): readonly AnyNode[] {
  const list = node[name];
  return Array.isArray(list) ? (list as (AnyNode | null)[]).filter((one) => one !== null) : [];
}

const functionTypes: ReadonlySet<string> = new Set([
  "FunctionDeclaration",
  "FunctionExpression",
  "ArrowFunctionExpression",
]);

export type FunctionNode = AnyNode & {
  readonly type: "FunctionDeclaration" | "FunctionExpression" | "ArrowFunctionExpression";
};

export function isFunction(node: AnyNode | null | undefined): node is FunctionNode {
  return node !== null && node !== undefined && functionTypes.has(node.type);
}

/** The innermost function around a node; `null` at the top level. */
export function functionAround(tree: SyntaxTree, node: AnyNode): AnyNode | null {
  let at = tree.parents.get(node) ?? null;
  while (at !== null && !isFunction(at)) at = tree.parents.get(at) ?? null;
  return at;
}

/** The name of a property, where it is written in the program or put together of literals only. */
export function propertyName(node: AnyNode): string | null {
  const key = part(node, node.type === "MemberExpression" ? "property" : "key");
  if (node["computed"] !== true && key.type === "Identifier") return String(key["name"]);
  if (key.type === "PrivateIdentifier") return `#${String(key["name"])}`;
  return constantText(key);
}

/** The text that an expression of literals is; `null` for every other expression. */
export function constantText(node: AnyNode): string | null {
  if (node.type === "Literal")
    return typeof node["value"] === "string" || typeof node["value"] === "number"
      ? String(node["value"])
      : null;
  if (node.type === "TemplateLiteral") {
    const texts = parts(node, "quasis").map((one) => (one["value"] as { cooked?: string }).cooked ?? "");
    const inner = parts(node, "expressions").map(constantText);
    if (inner.includes(null)) return null;
    return texts.map((text, at) => text + (inner[at] ?? "")).join("");
  }
  if (node.type !== "BinaryExpression" || node["operator"] !== "+") return null;
  const [left, right] = [constantText(part(node, "left")), constantText(part(node, "right"))];
  return left === null || right === null ? null : left + right;
}

/** `a.b.c` of an expression of names; `…` for what is none. */
export function memberPath(node: AnyNode): string {
  if (node.type === "Identifier") return String(node["name"]);
  if (node.type === "ChainExpression") return memberPath(part(node, "expression"));
  if (node.type !== "MemberExpression") return "…";
  return `${memberPath(part(node, "object"))}.${propertyName(node) ?? "…"}`;
}
