import { type AnyNode, isFunction, part, parts, type SyntaxTree } from "./syntax.ts";

/** A variable, parameter, function or class of a program. */
export interface Binding {
  readonly name: string;
  /** Declared outside of every function. */
  readonly top: boolean;
  readonly kind: "const" | "let" | "parameter" | "function";
  /** What it is: a function or class, or the expression it is initialised with; `null` where that is not known. */
  readonly value: AnyNode | null;
}

type Scope = {
  readonly parent: Scope | null;
  readonly names: Map<string, Binding>;
  readonly ofFunction: boolean;
};

/** Finds what every name of a program is bound to; names of globals are absent. */
export function bindingsOf(tree: SyntaxTree): ReadonlyMap<AnyNode, Binding> {
  const scopes = new Map<AnyNode, Scope>();
  for (const node of tree.nodes) if (opensScope(node)) scopes.set(node, scopeFor(tree, scopes, node));
  for (const node of tree.nodes) declare(tree, scopes, node);
  const found = new Map<AnyNode, Binding>();
  for (const node of tree.nodes) {
    if (node.type !== "Identifier" || isPropertyKey(tree, node)) continue;
    let scope: Scope | null = scopeAt(tree, scopes, node);
    while (scope && !scope.names.has(String(node["name"]))) scope = scope.parent;
    const binding = scope?.names.get(String(node["name"]));
    if (binding) found.set(node, binding);
  }
  return found;
}

function opensScope(node: AnyNode): boolean {
  return (
    isFunction(node) ||
    ["Program", "BlockStatement", "ForStatement", "ForInStatement", "ForOfStatement", "CatchClause"].includes(
      node.type,
    ) ||
    node.type === "SwitchStatement" ||
    node.type === "ClassBody"
  );
}

function scopeFor(tree: SyntaxTree, scopes: ReadonlyMap<AnyNode, Scope>, node: AnyNode): Scope {
  const above = tree.parents.get(node);
  const parent = above ? scopeAt(tree, scopes, above) : null;
  return { parent, names: new Map(), ofFunction: isFunction(node) || node.type === "Program" };
}

function scopeAt(tree: SyntaxTree, scopes: ReadonlyMap<AnyNode, Scope>, node: AnyNode): Scope {
  let at: AnyNode | null = node;
  while (at) {
    const scope = scopes.get(at);
    if (scope) return scope;
    at = tree.parents.get(at) ?? null;
  }
  return scopes.get(tree.root) as Scope;
}

function declare(tree: SyntaxTree, scopes: ReadonlyMap<AnyNode, Scope>, node: AnyNode): void {
  const add = (scope: Scope, pattern: AnyNode, kind: Binding["kind"], value: AnyNode | null): void => {
    for (const name of namesOf(pattern))
      scope.names.set(name, {
        name,
        kind,
        top: scope.parent === null,
        value: pattern.type === "Identifier" ? value : null,
      });
  };
  if (node.type === "VariableDeclaration") {
    const here = scopeAt(tree, scopes, node);
    let scope = here;
    if (node["kind"] === "var") while (!scope.ofFunction && scope.parent) scope = scope.parent;
    const assigned = node["kind"] === "const" ? "const" : "let";
    for (const one of parts(node, "declarations"))
      add(scope, part(one, "id"), assigned, (one["init"] as AnyNode | null) ?? null);
  } else if (node.type === "FunctionDeclaration" || node.type === "ClassDeclaration") {
    const id = node["id"] as AnyNode | null;
    if (id) add(scopeAt(tree, scopes, tree.parents.get(node) as AnyNode), id, "function", node);
  }
  if (isFunction(node)) {
    const scope = scopes.get(node) as Scope;
    const id = node.type === "FunctionExpression" ? (node["id"] as AnyNode | null) : null;
    if (id) add(scope, id, "function", node);
    for (const one of parts(node, "params")) add(scope, one, "parameter", null);
  } else if (node.type === "CatchClause" && node["param"]) {
    add(scopes.get(node) as Scope, part(node, "param"), "parameter", null);
  }
}

/** The names that a pattern binds. */
export function namesOf(pattern: AnyNode): readonly string[] {
  switch (pattern.type) {
    case "Identifier":
      return [String(pattern["name"])];
    case "AssignmentPattern":
      return namesOf(part(pattern, "left"));
    case "RestElement":
      return namesOf(part(pattern, "argument"));
    case "ArrayPattern":
      return parts(pattern, "elements").flatMap(namesOf);
    case "ObjectPattern":
      return parts(pattern, "properties").flatMap((one) =>
        namesOf(one.type === "Property" ? part(one, "value") : one),
      );
    default:
      return [];
  }
}

function isPropertyKey(tree: SyntaxTree, node: AnyNode): boolean {
  const parent = tree.parents.get(node);
  if (!parent || parent["computed"] === true) return false;
  if (parent.type === "MemberExpression") return parent["property"] === node;
  return (
    (parent.type === "Property" ||
      parent.type === "MethodDefinition" ||
      parent.type === "PropertyDefinition") &&
    parent["key"] === node &&
    parent["value"] !== node
  );
}
