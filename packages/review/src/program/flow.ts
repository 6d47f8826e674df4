import { Expressions, labelsOfOperation } from "./expressions.ts";
import { handlersOf, Methods } from "./handlers.ts";
import { isRevealing } from "./flow-sources.ts";
import { labels, labelsOfProperty } from "./labels.ts";
import { type Binding, bindingsOf } from "./scopes.ts";
import {
  type AnyNode,
  functionAround,
  isFunction,
  part,
  parts,
  propertyName,
  type SyntaxTree,
} from "./syntax.ts";

const logical = /^(?:\?\?|\|\||&&)$/;
/** Passes over the program; labels only grow, and most programs need three. */
const maxPasses = 8;
/**
 * Finds what the values of a program depend on, without running it: labels of the event and the context are followed
 * through variables, calls, callbacks and conditions around assignments. Flow-insensitive: a variable has the labels of
 * everything that is ever assigned to it.
 */
export class Flow {
  readonly tree: SyntaxTree;
  readonly bindings: ReadonlyMap<AnyNode, Binding>;
  readonly #variables = new Map<Binding, number>();
  readonly #returns = new Map<AnyNode, number>();
  readonly #fields = new Map<string, number>();
  readonly #methods: Methods;
  readonly #handlers: ReadonlySet<AnyNode>;
  readonly #expressions: Expressions;
  #changed = false;

  /** @param reads what the manifest declares: the whole event has no more in it. */
  constructor(tree: SyntaxTree, reads: readonly string[]) {
    this.tree = tree;
    this.bindings = bindingsOf(tree);
    this.#methods = new Methods(tree, this.bindings);
    this.#expressions = new Expressions({
      bindings: this.bindings,
      reads,
      variables: this.#variables,
      returns: this.#returns,
      fields: this.#fields,
      methods: this.#methods,
    });
    this.#handlers = handlersOf(tree, this.bindings);
    for (const handler of this.#handlers) this.#bindHandler(handler);
    for (let pass = 0; pass < maxPasses; pass++) {
      this.#changed = false;
      this.#expressions.forget();
      for (const node of tree.nodes) this.#visit(node);
      if (!this.#changed) break;
    }
    this.#expressions.forget();
  }

  /** The labels of an expression. */
  labelsOf(node: AnyNode | null | undefined): number {
    return this.#expressions.labelsOf(node);
  }

  /** The labels of the conditions around a node, within its function. */
  conditionsAround(node: AnyNode): number {
    return this.#around(node) & ~labels.codes;
  }

  #around(node: AnyNode): number {
    let found = 0;
    let inner = node;
    for (
      let at = this.tree.parents.get(node) ?? null;
      at && !isFunction(at);
      at = this.tree.parents.get(at) ?? null
    ) {
      if ((at.type === "IfStatement" || at.type === "ConditionalExpression") && at["test"] !== inner)
        found |= this.labelsOf(part(at, "test"));
      else if (at.type === "LogicalExpression" && at["right"] === inner)
        found |= this.labelsOf(part(at, "left"));
      else if (at.type === "SwitchStatement") found |= this.labelsOf(part(at, "discriminant"));
      else if (at.type === "CatchClause")
        for (const one of parts(part(this.tree.parents.get(at) as AnyNode, "block"), "body"))
          found |= this.#callsIn(one);
      inner = at;
    }
    return found;
  }

  /** The functions that a call can call. */
  calleesOf(call: AnyNode): readonly AnyNode[] {
    return this.#methods.calleesOf(call);
  }

  get handlers(): ReadonlySet<AnyNode> {
    return this.#handlers;
  }

  #bindHandler(handler: AnyNode): void {
    const [event, context] = parts(handler, "params");
    if (event) this.#assign(event, labels.event);
    if (context) this.#assign(context, labels.context);
  }

  #visit(node: AnyNode): void {
    switch (node.type) {
      case "VariableDeclarator":
        if (node["init"])
          this.#assign(part(node, "id"), this.labelsOf(part(node, "init")) | this.#implicit(node));
        break;
      case "AssignmentExpression":
        this.#assign(
          part(node, "left"),
          this.#assigned(node) | this.conditionsAround(node) | (this.#isWalk(node) ? labels.mixed : 0),
        );
        break;
      case "PropertyDefinition":
        this.#grow(this.#fields, propertyName(node) ?? "", this.labelsOf(node["value"] as AnyNode | null));
        break;
      case "UpdateExpression":
        this.#update(part(node, "argument"), node);
        break;
      case "ForOfStatement":
      case "ForInStatement": {
        const left = part(node, "left");
        const pattern =
          left.type === "VariableDeclaration" ? part(parts(left, "declarations")[0] as AnyNode, "id") : left;
        this.#assign(pattern, this.labelsOf(part(node, "right")));
        break;
      }
      case "ReturnStatement":
      case "YieldExpression": {
        const around = functionAround(this.tree, node);
        if (around)
          this.#return(
            around,
            this.labelsOf(node["argument"] as AnyNode | null) | this.conditionsAround(node),
          );
        break;
      }
      case "ArrowFunctionExpression":
        if (part(node, "body").type !== "BlockStatement")
          this.#return(node, this.labelsOf(part(node, "body")));
        break;
      case "CallExpression":
      case "NewExpression":
        this.#call(node);
        break;
      default:
    }
  }

  /** Labels of what an assignment makes: `sum ^= code` computes with what was there. */
  #assigned(node: AnyNode): number {
    const operator = String(node["operator"]).slice(0, -1);
    const [left, right] = [part(node, "left"), this.labelsOf(part(node, "right"))];
    if (operator === "") return right;
    // `??=` and its like only fill what is empty.
    const kept = logical.test(operator) ? 0 : this.#kept(left, node);
    const summed = right !== 0 && /^[+-]$/.test(operator) ? labels.summed : 0;
    return kept | summed | labelsOfOperation(operator, right | this.labelsOf(left));
  }

  /** Whether a variable goes from place to place in a table: `node = node[letter]`, `state = next[state][letter]`. */
  #isWalk(node: AnyNode): boolean {
    const left = part(node, "left");
    const binding = left.type === "Identifier" ? this.bindings.get(left) : undefined;
    if (!binding) return false;
    const right = part(node, "right");
    return this.tree.nodes.some(
      (one) =>
        one.type === "MemberExpression" &&
        one["computed"] === true &&
        one.start >= right.start &&
        one.end <= right.end &&
        this.labelsOf(part(one, "property")) !== 0 &&
        this.tree.nodes.some(
          (name) => name.start >= one.start && name.end <= one.end && this.bindings.get(name) === binding,
        ),
    );
  }

  /** A variable that is declared in a branch is seen in that branch only. */
  #implicit(node: AnyNode): number {
    const declaration = this.tree.parents.get(node);
    return declaration?.["kind"] === "var" ? this.conditionsAround(node) : 0;
  }

  #update(target: AnyNode, node: AnyNode): void {
    this.#assign(target, this.conditionsAround(node) | this.#kept(target, node));
  }

  /** Whether a call changes what another call finds: `calls++`, `total += 1`. */
  #kept(target: AnyNode, node: AnyNode): number {
    const binding = target.type === "Identifier" ? this.bindings.get(target) : undefined;
    return binding?.top && binding.kind === "let" && functionAround(this.tree, node) ? labels.module : 0;
  }

  #assign(pattern: AnyNode, mask: number): void {
    switch (pattern.type) {
      case "Identifier": {
        const binding = this.bindings.get(pattern);
        if (binding) this.#grow(this.#variables, binding, mask);
        break;
      }
      case "AssignmentPattern":
        this.#assign(part(pattern, "left"), mask | this.labelsOf(part(pattern, "right")));
        break;
      case "RestElement":
        this.#assign(part(pattern, "argument"), mask);
        break;
      case "ArrayPattern":
        for (const one of parts(pattern, "elements")) this.#assign(one, mask);
        break;
      case "ObjectPattern":
        for (const one of parts(pattern, "properties"))
          if (one.type === "Property")
            this.#assign(part(one, "value"), labelsOfProperty(mask, propertyName(one)) | probeOf(one));
          else this.#assign(one, mask);
        break;
      case "MemberExpression": {
        let root = pattern;
        while (root.type === "MemberExpression") root = part(root, "object");
        if (root.type === "Identifier") this.#assign(root, mask);
        if (root.type === "ThisExpression") this.#grow(this.#fields, propertyName(pattern) ?? "", mask);
        break;
      }
      default:
    }
  }

  #return(node: AnyNode, mask: number): void {
    this.#grow(this.#returns, node, mask);
  }

  #grow<Key>(map: Map<Key, number>, key: Key, mask: number): void {
    const before = map.get(key) ?? 0;
    if ((before | mask) === before) return;
    map.set(key, before | mask);
    this.#changed = true;
  }

  /** Passes labels to parameters, to callbacks, and to what a call changes. */
  #call(node: AnyNode): void {
    const args = parts(node, "arguments");
    for (const callee of this.calleesOf(node)) {
      const params = parts(callee, "params");
      for (const [at, param] of params.entries()) {
        const rest = param.type === "RestElement" ? args.slice(at) : args.slice(at, at + 1);
        for (const arg of rest) this.#assign(param, this.labelsOf(arg));
      }
    }
    const callee = part(node, "callee");
    const receiver = callee.type === "MemberExpression" ? part(callee, "object") : null;
    const given = args.reduce(
      (mask, arg) => mask | this.labelsOf(arg),
      receiver ? this.labelsOf(receiver) : 0,
    );
    for (const arg of args) {
      const [callback] = isFunction(arg) ? [arg] : this.#methods.functionsOf(arg);
      if (callback) for (const param of parts(callback, "params")) this.#assign(param, given);
    }
    // What is put into a list or a map is in it from then on.
    if (receiver && /^(?:push|unshift|set|add|fill|concat)$/.test(propertyName(callee) ?? ""))
      this.#assign(receiver, given | this.conditionsAround(node));
  }

  #callsIn(node: AnyNode): number {
    let found = 0;
    for (const one of this.tree.nodes)
      if (one.start >= node.start && one.end <= node.end && /^(?:Call|New)Expression$/.test(one.type))
        found |= this.labelsOf(one);
    return found;
  }
}

function probeOf(property: AnyNode): number {
  return isRevealing(propertyName(property) ?? "") ? labels.probe : 0;
}
