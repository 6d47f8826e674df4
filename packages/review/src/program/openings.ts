import type { Branch } from "../instrumented/branches.ts";
import type { Flow } from "./flow.ts";
import { type AnyNode, constantText, isFunction, memberPath, part, parts, propertyName } from "./syntax.ts";

const closing: ReadonlySet<string> = new Set(["deny", "ask", "block", "halt", "skip", "retry", "drop_chunk"]);
const closingHelpers = /(?:^|\.)(?:deny|ask|block|halt|skip|retry|dropChunk)$/;

/** What code can do to the answer: hold the step, let it go or change it, or nothing. */
export type Outcome = "closes" | "opens" | "neither";

/**
 * Judges the code of a branch by its syntax. It closes if it ends in a verdict that holds the step. It opens if it ends in
 * anything else, makes an action of another kind, or leaves a loop or a variable otherwise than before.
 */
export class Openings {
  readonly #flow: Flow;
  readonly #nodes: readonly AnyNode[];
  readonly #judging = new Set<AnyNode>();

  constructor(flow: Flow) {
    this.#flow = flow;
    this.#nodes = flow.tree.nodes;
  }

  /** What the code of a branch that never ran would do. */
  ofBranch(branch: Branch): Outcome {
    if (branch.end <= branch.start) return "neither";
    const inside = this.#outermost(branch.start, branch.end);
    // What is caught and forgotten goes on as if it had not been thrown.
    if (branch.kind === "catch" && isEmpty(inside)) return "opens";
    if (inside.length === 1 && isExpression(inside[0] as AnyNode))
      return this.#ofExpression(inside[0] as AnyNode);
    return this.#ofStatements(inside);
  }

  /** What a statement would do. */
  ofNode(node: AnyNode): Outcome {
    return this.#ofStatement(node);
  }

  /** Where the statements behind an `if` that ends here are, if the `if` always leaves; `null` for none. */
  behind(end: number): readonly [start: number, end: number] | null {
    const node = this.#nodes.find((one) => one.type === "IfStatement" && part(one, "consequent").end === end);
    const block = node && this.#flow.tree.parents.get(node);
    if (!node || !block || !leaves(part(node, "consequent"))) return null;
    const rest = parts(block, "body").filter((one) => one.start >= node.end);
    const [first, last] = [rest[0], rest.at(-1)];
    return first && last ? [first.start, last.end] : null;
  }

  #outermost(start: number, end: number): readonly AnyNode[] {
    const found: AnyNode[] = [];
    let last = -1;
    for (const node of this.#nodes) {
      if (node.start < start || node.end > end || node.start < last) continue;
      found.push(node);
      last = node.end;
    }
    return found;
  }

  #ofStatements(statements: readonly AnyNode[]): Outcome {
    let result: Outcome = "neither";
    for (const one of statements) {
      const outcome = this.#ofStatement(one);
      if (outcome === "opens") return "opens";
      if (outcome === "closes") result = "closes";
    }
    return result;
  }

  #ofStatement(node: AnyNode): Outcome {
    switch (node.type) {
      case "BlockStatement":
        return this.#ofStatements(parts(node, "body"));
      case "ReturnStatement":
        return node["argument"] ? this.#ofExpression(part(node, "argument")) : "opens";
      case "ThrowStatement":
        return "neither";
      case "IfStatement":
        return this.#ofStatements([
          part(node, "consequent"),
          ...(node["alternate"] ? [part(node, "alternate")] : []),
        ]);
      case "ForStatement":
      case "ForOfStatement":
      case "ForInStatement":
      case "WhileStatement":
        return this.#ofStatement(part(node, "body"));
      case "TryStatement":
        return this.#ofStatements([
          part(node, "block"),
          ...(node["handler"] ? [part(part(node, "handler"), "body")] : []),
        ]);
      case "ContinueStatement":
      case "BreakStatement":
        return "opens";
      case "VariableDeclaration":
      case "FunctionDeclaration":
      case "ClassDeclaration":
      case "EmptyStatement":
        return "neither";
      case "ExpressionStatement":
        return this.#ofEffect(part(node, "expression"));
      default:
        return "opens";
    }
  }

  /** An assignment can decide everything that follows. */
  #ofEffect(node: AnyNode): Outcome {
    if (node.type === "AssignmentExpression" && this.#ofExpression(part(node, "right")) === "closes")
      return "closes";
    if (
      node.type === "CallExpression" &&
      /(?:^|\.)(?:push|unshift)$/.test(memberPath(part(node, "callee")))
    ) {
      const all = parts(node, "arguments").map((one) => this.#ofExpression(one));
      if (all.length > 0 && all.every((one) => one === "closes")) return "closes";
    }
    return "opens";
  }

  #ofExpression(node: AnyNode, depth = 0): Outcome {
    if (depth > 12) return "opens";
    const of = (one: AnyNode): Outcome => this.#ofExpression(one, depth + 1);
    switch (node.type) {
      case "ObjectExpression":
        return this.#ofAction(node);
      case "ArrayExpression": {
        const all = parts(node, "elements").map(of);
        return all.includes("closes") ? "closes" : "opens";
      }
      case "ConditionalExpression":
        return of(part(node, "consequent")) === "closes" && of(part(node, "alternate")) === "closes"
          ? "closes"
          : "opens";
      case "LogicalExpression":
        return of(part(node, "right"));
      case "AwaitExpression":
        return of(part(node, "argument"));
      case "SequenceExpression":
        return of(parts(node, "expressions").at(-1) as AnyNode);
      case "Identifier": {
        const value = this.#flow.bindings.get(node)?.value;
        return value && !isFunction(value) ? of(value) : "opens";
      }
      case "CallExpression":
        return this.#ofCall(node, depth);
      default:
        return "opens";
    }
  }

  #ofAction(node: AnyNode): Outcome {
    const action = parts(node, "properties").find(
      (one) => one.type === "Property" && propertyName(one) === "action",
    );
    const name = action && constantText(part(action, "value"));
    return name !== null && name !== undefined && closing.has(name) ? "closes" : "opens";
  }

  #ofCall(node: AnyNode, depth: number): Outcome {
    const callees = this.#flow.calleesOf(node);
    if (callees.length === 0)
      return closingHelpers.test(memberPath(part(node, "callee"))) ? "closes" : "opens";
    return callees.every((one) => this.#returnsOf(one, depth)) ? "closes" : "opens";
  }

  #returnsOf(callee: AnyNode, depth: number): boolean {
    const body = part(callee, "body");
    if (body.type !== "BlockStatement") return this.#ofExpression(body, depth + 1) === "closes";
    if (this.#judging.has(callee)) return false;
    this.#judging.add(callee);
    const returns = this.#nodes.filter(
      (one) => one.type === "ReturnStatement" && one.start > callee.start && one.end <= callee.end,
    );
    const closes =
      returns.length > 0 &&
      returns.every(
        (one) => one["argument"] && this.#ofExpression(part(one, "argument"), depth + 1) === "closes",
      );
    this.#judging.delete(callee);
    return closes;
  }
}

function leaves(node: AnyNode): boolean {
  const last = node.type === "BlockStatement" ? parts(node, "body").at(-1) : node;
  return last !== undefined && /^(?:Return|Throw|Continue|Break)Statement$/.test(last.type);
}

function isEmpty(statements: readonly AnyNode[]): boolean {
  return statements.every((one) => one.type === "BlockStatement" && parts(one, "body").length === 0);
}

function isExpression(node: AnyNode): boolean {
  return !node.type.endsWith("Statement") && !node.type.endsWith("Declaration");
}
