import type { AnyNode, Node, Program } from "acorn";
import { parse } from "acorn";
import { analyze, type ScopeManager, type Variable } from "eslint-scope";

/** A program, parsed, with what each of its names means. */
export interface Syntax {
  readonly source: string;
  readonly tree: Program;
  /** Every node in order of the text, by type. */
  readonly byType: ReadonlyMap<string, readonly AnyNode[]>;
  readonly parents: ReadonlyMap<Node, AnyNode>;
  /** What an identifier stands for; absent for globals and for names of properties. */
  readonly variables: ReadonlyMap<Node, Variable>;
  /** Identifiers that stand for no variable of the program. */
  readonly globals: ReadonlySet<Node>;
}

/** Most nodes of a program that is looked at: some seconds of work. */
const maxNodes = 2_000_000;

/** Parses a program; `null` where that is not possible. */
export function parseProgram(source: string): Syntax | null {
  try {
    const tree = parse(source, {
      ecmaVersion: "latest",
      sourceType: "module",
      locations: true,
      ranges: true,
      allowHashBang: true,
    });
    const { byType, parents } = listNodes(tree);
    // Both speak ESTree; their types are of two packages.
    const scopes = analyze(tree as unknown as Parameters<typeof analyze>[0], {
      ecmaVersion: 2024,
      sourceType: "module",
    });
    return { source, tree, byType, parents, ...resolveNames(scopes) };
  } catch (error) {
    // The parser and the analysis recurse, so that deep code ends in a RangeError.
    if (error instanceof SyntaxError || error instanceof RangeError) return null;
    throw error;
  }
}

/** Nodes of one type. */
export function nodesOf<Type extends AnyNode["type"]>(
  { byType }: Syntax,
  type: Type,
): readonly Extract<AnyNode, { type: Type }>[] {
  return (byType.get(type) ?? []) as readonly Extract<AnyNode, { type: Type }>[];
}

function listNodes(tree: Program): Pick<Syntax, "byType" | "parents"> {
  const byType = new Map<string, AnyNode[]>();
  const parents = new Map<Node, AnyNode>();
  const waiting: AnyNode[] = [tree];
  let count = 0;
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (++count > maxNodes) throw new RangeError("too many nodes");
    const list = byType.get(node.type);
    if (list) list.push(node);
    else byType.set(node.type, [node]);
    for (const child of childrenOf(node).reverse()) {
      parents.set(child, node);
      waiting.push(child);
    }
  }
  return { byType, parents };
}

/** The nodes right below a node, in order of the text. */
export function childrenOf(node: Node): AnyNode[] {
  const children: AnyNode[] = [];
  for (const value of Object.values(node) as unknown[]) {
    if (Array.isArray(value)) children.push(...value.filter(isNode));
    else if (isNode(value)) children.push(value);
  }
  return children;
}

function isNode(value: unknown): value is AnyNode {
  return (
    typeof (value as Node | null | undefined)?.type === "string" && typeof (value as Node).start === "number"
  );
}

function resolveNames({ scopes }: ScopeManager): Pick<Syntax, "variables" | "globals"> {
  const variables = new Map<Node, Variable>();
  const globals = new Set<Node>();
  for (const scope of scopes) {
    for (const variable of scope.variables) {
      for (const identifier of variable.identifiers) variables.set(identifier as unknown as Node, variable);
    }
    for (const { identifier, resolved } of scope.references) {
      const node = identifier as unknown as Node;
      if (resolved) variables.set(node, resolved);
      else globals.add(node);
    }
  }
  return { variables, globals };
}
