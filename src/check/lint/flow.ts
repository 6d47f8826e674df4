import type { AnyNode } from "acorn";
import type { Variable } from "eslint-scope";
import { handlersOf } from "./handlers.ts";
import {
  bindingsOf,
  calledFunction,
  enclosingFunction,
  type FunctionNode,
  globalMember,
  isFunction,
  propertyName,
} from "./nodes.ts";
import { nodesOf, type Syntax } from "./syntax.ts";

/** Operators whose result is a yes or no, in which nothing of the data is left. */
const comparing = new Set(["==", "!=", "===", "!==", "<", "<=", ">", ">=", "in", "instanceof"]);
/** Rounds after which following stops: longer chains of functions than these are rare. */
const maxRounds = 24;

/**
 * Where data goes in a program, through names, calls and callbacks: an estimate that knows neither branches nor fields.
 */
export class Flow {
  readonly #syntax: Syntax;
  readonly #carriers = new Set<Variable>();
  /** Functions of the program that return the data. */
  readonly #givers = new Set<FunctionNode | null>();
  readonly #isSource: (node: AnyNode) => boolean;

  /**
   * @param seeds identifiers of the variables that hold the data.
   * @param isSource expressions that are the data, whatever holds them.
   */
  constructor(syntax: Syntax, seeds: Iterable<AnyNode>, isSource: (node: AnyNode) => boolean = () => false) {
    this.#syntax = syntax;
    this.#isSource = isSource;
    for (const seed of seeds) this.#carry(seed);
    const size = (): number => this.#carriers.size + this.#givers.size;
    for (let round = 0, before = -1; size() !== before && round < maxRounds; round++) {
      before = size();
      this.#spread();
    }
  }

  /** Whether an expression may hold the data, or a part of it. */
  has(node: AnyNode | null | undefined): boolean {
    if (!node) return false;
    if (this.#isSource(node)) return true;
    switch (node.type) {
      case "Identifier": {
        const variable = this.#syntax.variables.get(node);
        return variable !== undefined && this.#carriers.has(variable);
      }
      case "MemberExpression":
        return this.has(node.object);
      case "CallExpression":
        return (
          (node.callee.type === "MemberExpression" && this.has(node.callee.object)) ||
          this.#givers.has(calledFunction(this.#syntax, node.callee)) ||
          node.arguments.some((argument) => this.has(argument))
        );
      case "NewExpression":
        return node.arguments.some((argument) => this.has(argument));
      case "BinaryExpression":
        return !comparing.has(node.operator) && (this.has(node.left) || this.has(node.right));
      case "LogicalExpression":
        return this.has(node.left) || this.has(node.right);
      case "ConditionalExpression":
        return this.has(node.consequent) || this.has(node.alternate);
      case "TemplateLiteral":
        return node.expressions.some((part) => this.has(part));
      case "ArrayExpression":
        return node.elements.some((part) => this.has(part));
      case "ObjectExpression":
        return node.properties.some((part) =>
          this.has(part.type === "Property" ? part.value : part.argument),
        );
      case "SequenceExpression":
        return this.has(node.expressions.at(-1));
      case "AssignmentExpression":
        return this.has(node.right);
      case "AwaitExpression":
      case "SpreadElement":
        return this.has(node.argument);
      case "ChainExpression":
      case "ParenthesizedExpression":
        return this.has(node.expression);
      default:
        return false;
    }
  }

  #spread(): void {
    for (const { id, init } of nodesOf(this.#syntax, "VariableDeclarator"))
      if (this.has(init)) this.#carryAll(id);
    for (const { left, right } of nodesOf(this.#syntax, "AssignmentExpression")) {
      if (this.has(right)) this.#carryAll(left);
    }
    for (const loop of [
      ...nodesOf(this.#syntax, "ForOfStatement"),
      ...nodesOf(this.#syntax, "ForInStatement"),
    ]) {
      if (!this.has(loop.right)) continue;
      if (loop.left.type === "VariableDeclaration")
        for (const { id } of loop.left.declarations) this.#carryAll(id);
      else this.#carryAll(loop.left);
    }
    for (const node of nodesOf(this.#syntax, "ReturnStatement")) {
      const giver = this.has(node.argument) ? enclosingFunction(this.#syntax, node) : null;
      if (giver) this.#givers.add(giver);
    }
    for (const node of nodesOf(this.#syntax, "ArrowFunctionExpression")) {
      if (node.expression && this.has(node.body)) this.#givers.add(node);
    }
    for (const call of nodesOf(this.#syntax, "CallExpression")) {
      const target = calledFunction(this.#syntax, call.callee);
      call.arguments.forEach((argument, index) => {
        if (target && this.has(argument))
          this.#carryAll(target.params[index] ?? target.params.at(-1) ?? null);
      });
      // What is called back by a method of the data gets the data.
      if (call.callee.type !== "MemberExpression" || !this.has(call.callee.object)) continue;
      for (const argument of call.arguments) {
        const callback = isFunction(argument) ? argument : calledFunction(this.#syntax, argument);
        for (const parameter of callback?.params ?? []) this.#carryAll(parameter);
      }
    }
  }

  #carryAll(pattern: AnyNode | null): void {
    for (const identifier of bindingsOf(pattern)) this.#carry(identifier);
  }

  #carry(identifier: AnyNode): void {
    const variable = this.#syntax.variables.get(identifier);
    if (variable) this.#carriers.add(variable);
  }
}

/** Where the event goes that a handler is given. */
export function eventFlow(syntax: Syntax): Flow {
  return new Flow(
    syntax,
    handlersOf(syntax).flatMap(({ params }) => bindingsOf(params[0] ?? null)),
  );
}

/** Fields of the event and of the context that tell whose call it is, and when. */
const telling = new Set(["session_id", "agent_id", "tenant", "time"]);

/** Where it goes whose call it is, and when. */
export function identityFlow(syntax: Syntax): Flow {
  const parameters = handlersOf(syntax).flatMap(({ params }) => params.slice(0, 2));
  const given = new Flow(syntax, parameters.flatMap(bindingsOf));
  const taken = nodesOf(syntax, "Property").flatMap((part) => {
    const owner = syntax.parents.get(part);
    const name = part.key.type === "Identifier" && !part.computed ? part.key.name : null;
    return owner?.type === "ObjectPattern" && name !== null && telling.has(name)
      ? bindingsOf(part.value)
      : [];
  });
  return new Flow(syntax, taken, (node) => {
    if (node.type === "MemberExpression") {
      const name = propertyName(node);
      return name !== null && telling.has(name) && given.has(node.object);
    }
    return isClock(syntax, node);
  });
}

/** `Date.now()`, `new Date()` and `Date()`: what reads the clock. */
export function isClock(syntax: Syntax, node: AnyNode): boolean {
  if (node.type === "CallExpression") {
    const member = globalMember(syntax, node.callee);
    if (member) return member[0] === "Date" && member[1] === "now";
  }
  if (node.type !== "NewExpression" && node.type !== "CallExpression") return false;
  if (node.callee.type !== "Identifier" || node.callee.name !== "Date") return false;
  return syntax.globals.has(node.callee) && (node.type === "CallExpression" || node.arguments.length === 0);
}
