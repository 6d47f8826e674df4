import type { Binding } from "./scopes.ts";
import { type AnyNode, isFunction, part, parts, propertyName, type SyntaxTree } from "./syntax.ts";

type Bindings = ReadonlyMap<AnyNode, Binding>;

/** The functions that the host calls: the default export, or the functions in it. */
export function handlersOf(tree: SyntaxTree, bindings: Bindings): ReadonlySet<AnyNode> {
  const found = new Set<AnyNode>();
  const collect = (node: AnyNode | null, depth: number): void => {
    if (!node || depth > 6) return;
    if (isFunction(node)) found.add(node);
    else if (node.type === "Identifier") collect(bindings.get(node)?.value ?? null, depth + 1);
    else if (node.type === "ObjectExpression")
      for (const one of parts(node, "properties"))
        collect(one.type === "Property" ? part(one, "value") : part(one, "argument"), depth + 1);
    else if (node.type === "CallExpression") {
      for (const arg of parts(node, "arguments")) collect(arg, depth + 1);
      const callee = part(node, "callee");
      const made = callee.type === "Identifier" ? bindings.get(callee)?.value : null;
      if (isFunction(made ?? null))
        for (const one of returned(tree, made as AnyNode)) collect(one, depth + 1);
    }
  };
  for (const node of parts(tree.root, "body")) {
    if (node.type === "ExportDefaultDeclaration") collect(part(node, "declaration"), 0);
    if (node.type !== "ExportNamedDeclaration") continue;
    for (const one of parts(node, "specifiers")) {
      const exported = part(one, "exported");
      if ((exported["name"] ?? exported["value"]) === "default") collect(resolved(tree, bindings, one), 0);
    }
  }
  return found;
}

/** The value of the local name of an export; export specifiers are no references of a scope. */
function resolved(tree: SyntaxTree, bindings: Bindings, specifier: AnyNode): AnyNode | null {
  const name = part(specifier, "local")["name"];
  for (const [node, binding] of bindings) if (binding.top && node["name"] === name) return binding.value;
  return tree.nodes.find((node) => node.type === "FunctionDeclaration" && node["id"] === name) ?? null;
}

function returned(tree: SyntaxTree, made: AnyNode): readonly AnyNode[] {
  if (part(made, "body").type !== "BlockStatement") return [part(made, "body")];
  return tree.nodes.flatMap((node) =>
    node.type === "ReturnStatement" && node.start > made.start && node.end <= made.end && node["argument"]
      ? [part(node, "argument")]
      : [],
  );
}

/** Functions by the variables and by the names of methods that they are called under. */
export class Methods {
  readonly #bindings: Bindings;
  readonly #byName = new Map<string, AnyNode[]>();
  readonly #getters = new Map<string, AnyNode[]>();
  readonly #constructors = new Map<AnyNode, AnyNode>();

  constructor(tree: SyntaxTree, bindings: Bindings) {
    this.#bindings = bindings;
    for (const node of tree.nodes) {
      if (node.type !== "Property" && node.type !== "MethodDefinition" && node.type !== "PropertyDefinition")
        continue;
      const value = node["value"] as AnyNode | null;
      const name = propertyName(node);
      if (name === null) continue;
      for (const one of value ? this.functionsOf(value) : []) {
        const map = node["kind"] === "get" ? this.#getters : this.#byName;
        map.set(name, [...(map.get(name) ?? []), one]);
        if (node["kind"] === "constructor")
          this.#constructors.set(tree.parents.get(tree.parents.get(node) as AnyNode) as AnyNode, one);
      }
    }
  }

  functionsOf(node: AnyNode): readonly AnyNode[] {
    if (isFunction(node)) return [node];
    if (node.type !== "Identifier") return [];
    const value = this.#bindings.get(node)?.value ?? null;
    return isFunction(value) ? [value] : [];
  }

  /** Functions that are called where a property of this name is read. */
  gettersOf(name: string): readonly AnyNode[] {
    return this.#getters.get(name) ?? [];
  }

  calleesOf(call: AnyNode): readonly AnyNode[] {
    const callee = part(call, "callee");
    if (callee.type === "Identifier") {
      const value = this.#bindings.get(callee)?.value ?? null;
      const made = value && this.#constructors.get(value);
      return made ? [made] : this.functionsOf(callee);
    }
    if (callee.type !== "MemberExpression") return this.functionsOf(callee);
    const name = propertyName(callee);
    return name === null ? [] : (this.#byName.get(name) ?? []);
  }
}
