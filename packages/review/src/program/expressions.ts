import { allLabelsOf, builtinLabels, isProbe } from "./flow-sources.ts";
import type { Methods } from "./handlers.ts";
import { labels, labelsOfProperty } from "./labels.ts";
import type { Binding } from "./scopes.ts";
import { type AnyNode, isFunction, memberPath, part, parts, propertyName } from "./syntax.ts";

/** Methods that answer yes or no. */
const asking = /\.(?:every|some|includes|has|test|startsWith|endsWith)$/;
const choosing = /\.(?:find(?:Last)?|find(?:Last)?Index|filter)$/;
const mixing: ReadonlySet<string> = new Set(["^", "<<", ">>", ">>>", "&", "|", "%", "*"]);
const hashing: ReadonlySet<string> = new Set(["^", "<<", ">>", ">>>", "&", "|", "%"]);
const summing: ReadonlySet<string> = new Set(["+", "-", "*", "**", "/"]);

/** Labels of the result of an operator, from those of its operands. */
export function labelsOfOperation(operator: string, found: number): number {
  if (found === 0) return 0;
  if (comparing.test(operator)) return found & ~labels.codes;
  const sum = (found & labels.codes) !== 0 && summing.has(operator);
  return (
    found |
    (mixing.has(operator) ? labels.mixed : 0) |
    (hashing.has(operator) || sum ? labels.mixed | labels.hashed : 0)
  );
}
const comparing = /^(?:[=!]==?|[<>]=?|in|instanceof)$/;
const characterCodes = /^(?:charCodeAt|codePointAt)$/;

/** Shortest text that a cut leaves which can hold a command. */
const longCut = 16;

/** Whether a call takes a beginning or an end of fixed length: what lies beyond is not seen. */
function cutsText(callee: AnyNode, args: readonly AnyNode[]): boolean {
  if (!/^(?:slice|substring|substr)$/.test(propertyName(callee) ?? "")) return false;
  return args.some((arg) => {
    const number = arg.type === "UnaryExpression" ? part(arg, "argument") : arg;
    return number.type === "Literal" && Number(number["value"]) >= longCut;
  });
}

/** What is known of a program so far; the labels of its variables and functions grow. */
export interface Known {
  readonly bindings: ReadonlyMap<AnyNode, Binding>;
  /** What the manifest declares. */
  readonly reads: readonly string[];
  readonly variables: ReadonlyMap<Binding, number>;
  readonly returns: ReadonlyMap<AnyNode, number>;
  /** Labels of what objects of the program keep, by name of the property. */
  readonly fields: ReadonlyMap<string, number>;
  readonly methods: Methods;
}

/** The labels of expressions, from those of the variables and functions in them. */
export class Expressions {
  readonly #known: Known;
  #memo = new Map<AnyNode, number>();

  constructor(known: Known) {
    this.#known = known;
  }

  /** To be called where labels have grown. */
  forget(): void {
    this.#memo = new Map();
  }

  labelsOf(node: AnyNode | null | undefined): number {
    if (!node) return 0;
    const known = this.#memo.get(node);
    if (known !== undefined) return known;
    // An expression that contains itself through a call has no more labels than its parts.
    this.#memo.set(node, 0);
    const found = this.#evaluate(node);
    this.#memo.set(node, found);
    return found;
  }

  #evaluate(node: AnyNode): number {
    switch (node.type) {
      case "Identifier": {
        const binding = this.#known.bindings.get(node);
        return binding ? (this.#known.variables.get(binding) ?? 0) : 0;
      }
      case "MemberExpression":
        return this.#member(node);
      case "CallExpression":
      case "NewExpression":
        return this.#result(node);
      case "BinaryExpression":
        return this.#binary(node);
      case "ArrowFunctionExpression":
      case "FunctionExpression":
      case "ClassExpression":
        return 0;
      case "ConditionalExpression":
        return (
          (this.labelsOf(part(node, "test")) & ~labels.codes) |
          this.labelsOf(part(node, "consequent")) |
          this.labelsOf(part(node, "alternate"))
        );
      case "SequenceExpression":
        return this.labelsOf(parts(node, "expressions").at(-1));
      case "UpdateExpression":
        return this.labelsOf(part(node, "argument"));
      default:
        return this.#union(node);
    }
  }

  #union(node: AnyNode): number {
    let found = 0;
    for (const name of Object.keys(node)) {
      const value = node[name];
      for (const one of Array.isArray(value) ? (value as unknown[]) : [value])
        if (
          typeof one === "object" &&
          one !== null &&
          "type" in one &&
          !(name === "key" && !node["computed"])
        )
          found |= this.labelsOf(one as AnyNode);
    }
    if (node.type === "TemplateLiteral" && isProbe(node, this.#known.bindings)) found |= labels.probe;
    return found;
  }

  #member(node: AnyNode): number {
    const of = this.labelsOf(part(node, "object"));
    const name = propertyName(node);
    if (isProbe(node, this.#known.bindings)) return of | labels.probe;
    if (name !== null) return labelsOfProperty(of, name) | this.#kept(name);
    const key = this.labelsOf(part(node, "property"));
    const path = memberPath(part(node, "object"));
    return labelsOfProperty(of, null) | key | (path === "globalThis" ? labels.dynamic : 0);
  }

  /** What an object of the program keeps under a name, or computes when it is asked for it. */
  #kept(name: string): number {
    const getters = this.#known.methods.gettersOf(name);
    return getters.reduce(
      (found, one) => found | (this.#known.returns.get(one) ?? 0),
      this.#known.fields.get(name) ?? 0,
    );
  }

  #binary(node: AnyNode): number {
    const found = this.labelsOf(part(node, "left")) | this.labelsOf(part(node, "right"));
    return labelsOfOperation(String(node["operator"]), found);
  }

  #result(node: AnyNode): number {
    const callee = part(node, "callee");
    const args = parts(node, "arguments");
    let found = builtinLabels(node, this.#known.bindings);
    if (isProbe(node, this.#known.bindings)) found |= labels.probe;
    // A callback that chooses is a condition.
    const ofCallback = choosing.test(memberPath(callee)) ? ~labels.codes : ~0;
    for (const arg of args)
      found |= isFunction(arg) ? (this.#known.returns.get(arg) ?? 0) & ofCallback : this.labelsOf(arg);
    const own = this.#known.methods.calleesOf(node);
    for (const one of own) found |= this.#known.returns.get(one) ?? 0;
    if (callee.type === "MemberExpression") {
      found |= this.labelsOf(part(callee, "object")) & ~(labels.event | labels.context);
      if (characterCodes.test(propertyName(callee) ?? "")) found |= labels.mixed | labels.codes;
      if (cutsText(callee, args)) found |= labels.cut;
      if (/^reduce(?:Right)?$/.test(propertyName(callee) ?? "")) found |= labels.summed;
    }
    // How many parameters there are, and their names, is beside the action.
    if (memberPath(callee) === "Object.keys" && (found & labels.input) !== 0)
      found = (found & ~labels.input) | labels.aside;
    // An answer of yes or no is no text, as that of a comparison is none.
    if (asking.test(memberPath(callee))) found &= ~labels.codes;
    const whole = found & (labels.event | labels.context);
    // What makes one text of an event has everything in it that the manifest declares.
    if (whole !== 0 && memberPath(callee) === "JSON.stringify")
      found |= allLabelsOf(whole, this.#known.reads);
    return found;
  }
}
