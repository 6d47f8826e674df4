import { randomBytes } from "node:crypto";
import type { Program } from "@hookwarden/sandbox";
import { HookwardenError } from "hookwarden/errors";
import { sha256 } from "hookwarden/files";
import { atomsOf } from "../program/predicates.ts";
import { type AnyNode, part, parts, propertyName, type SyntaxTree, syntaxOf } from "../program/syntax.ts";
import { type Atom, type Branch, nested, type Site } from "./branches.ts";
import { defaultExport } from "./default-export.ts";
import { Edits } from "./edits.ts";
import { colonAfter, operatorIn } from "./places.ts";
import { instrumentationPrelude } from "./prelude.ts";

/** A program that records what it does, and answers with the record. */
export interface InstrumentedProgram {
  readonly program: Program;
  readonly branches: readonly Branch[];
  /** The first one stands for comparisons inside of built-in functions, which have no place. */
  readonly sites: readonly Site[];
  readonly atoms: readonly Atom[];
}

const comparisons: ReadonlyMap<string, string> = new Map([
  ["===", "eq"],
  ["!==", "ne"],
  ["==", "qe"],
  ["!=", "qn"],
  ["<", "lt"],
  [">", "gt"],
  ["<=", "le"],
  [">=", "ge"],
]);
const questions = /^(?:test|exec|match|includes|startsWith|endsWith|has|hasOwn|hasOwnProperty|some|every)$/;

/**
 * Makes the instrumented version of a program: the same code with counters in its branches, notes at its comparisons, and
 * a default export that is handed a recording copy of the event and the context. Lines keep their numbers.
 *
 * @param pairs whether operands of comparisons are noted: that is most of the work, and only exploration needs it
 * @throws {HookwardenError} `load-failed` where the program cannot be parsed, or has no default export
 */
export function instrumentProgram(program: Program, pairs: boolean): InstrumentedProgram {
  const { source } = program;
  const tree = parseProgram(source, program.name);
  // Hooks cannot know the names, and no text of theirs has them.
  let prefix: string;
  do prefix = `w${randomBytes(8).toString("hex")}_`;
  while (source.includes(prefix));
  const instrumenter = new Instrumenter(source, tree, prefix, pairs);
  for (const node of tree.nodes) instrumenter.visit(node);
  const { start, end, name } = defaultExport(tree, source, program.name);
  instrumenter.edits.replace(start, end, "");
  const { branches, sites, atoms, functions } = instrumenter;
  const prelude = instrumentationPrelude({
    prefix,
    branches: branches.length,
    sites: sites.length,
    atoms: atoms.length,
    pairs,
    source,
    functions,
  });
  const text = `${prelude}${instrumenter.edits.apply()}\nexport default ${prefix}x(${name});\n`;
  return {
    program: { key: sha256(text), name: program.name, source: text },
    branches: nested(branches),
    sites,
    atoms,
  };
}

function parseProgram(source: string, name: string): SyntaxTree {
  try {
    return syntaxOf(source);
  } catch {
    throw new HookwardenError("load-failed", `the script of \`${name}\` cannot be parsed`);
  }
}

/** Collects the edits to a program, node by node, outer nodes first. */
class Instrumenter {
  readonly edits: Edits;
  readonly branches: Branch[] = [];
  readonly sites: Site[] = [{ start: 0, end: 0, literal: false }];
  readonly atoms: Atom[] = [];
  /** By number of its branch, where the text of a function is. */
  readonly functions: (readonly [branch: number, start: number, end: number])[] = [];
  readonly #source: string;
  readonly #tree: SyntaxTree;
  readonly #prefix: string;
  readonly #pairs: boolean;
  readonly #conditions: ReadonlySet<AnyNode>;
  /** Whether reading a property may do something. */
  readonly #hasGetters: boolean;

  constructor(source: string, tree: SyntaxTree, prefix: string, pairs: boolean) {
    this.#source = source;
    this.#tree = tree;
    this.#prefix = prefix;
    this.#pairs = pairs;
    this.edits = new Edits(source);
    this.#conditions = atomsOf({ tree });
    this.#hasGetters = tree.nodes.some(
      ({ type, kind, name }) =>
        kind === "get" ||
        (type === "Identifier" && /^(?:Proxy|define(?:Property|Properties))$/.test(String(name))),
    );
  }

  visit(node: AnyNode): void {
    this.#atom(node);
    switch (node.type) {
      case "IfStatement":
        return this.#if(node);
      case "ConditionalExpression":
        this.#expression("choice", part(node, "consequent"), part(node, "test"));
        return this.#expression("choice", part(node, "alternate"), part(node, "test"));
      case "LogicalExpression": {
        const kind = node["operator"] === "&&" ? "and" : node["operator"] === "||" ? "or" : "nullish";
        return this.#expression(kind, part(node, "right"), part(node, "left"));
      }
      case "SwitchStatement":
        return this.#switch(node);
      case "ForStatement":
      case "ForInStatement":
      case "ForOfStatement":
      case "WhileStatement":
        return this.#statement(
          "loop",
          part(node, "body"),
          (node["test"] ?? node["right"] ?? null) as AnyNode | null,
        );
      case "CatchClause":
        return this.#statement("catch", part(node, "body"), null);
      case "FunctionDeclaration":
      case "FunctionExpression":
      case "ArrowFunctionExpression":
        return this.#function(node);
      case "BinaryExpression":
        return this.#comparison(node);
      case "MemberExpression":
        return this.#lookup(node);
      default:
    }
  }

  #taken(kind: Branch["kind"], at: Pick<AnyNode, "start" | "end">, condition: AnyNode | null): string {
    const { start, end } = at;
    this.branches.push({
      kind,
      start,
      end,
      condition: condition && [condition.start, condition.end],
      parent: null,
    });
    return `${this.#prefix}c[${this.#prefix}w=${this.branches.length - 1}]=1`;
  }

  #statement(kind: Branch["kind"], body: AnyNode, condition: AnyNode | null): void {
    const count = this.#taken(kind, body, condition);
    if (body.type === "BlockStatement") this.edits.after(body.start + 1, `${count};`);
    else {
      this.edits.open(body.start, `{${count};`);
      this.edits.close(body.end, "}");
    }
  }

  #expression(kind: Branch["kind"], body: AnyNode, condition: AnyNode | null): void {
    this.edits.open(body.start, `(${this.#taken(kind, body, condition)},`);
    this.edits.close(body.end, ")");
  }

  #site(node: AnyNode, literal: boolean): number {
    return this.sites.push({ start: node.start, end: node.end, literal }) - 1;
  }

  /** Notes whether a condition was true and whether it was false. */
  #atom(node: AnyNode): void {
    if (!this.#conditions.has(node) && !isQuestion(node)) return;
    if (node.type === "ChainExpression" ? false : this.#isInChain(node)) return;
    const id = this.atoms.push({ start: node.start, end: node.end }) - 1;
    this.edits.open(node.start, `${this.#prefix}t(${id},(`);
    this.edits.close(node.end, "))");
  }

  /** Whether a node is a link of an optional chain: nothing may be put around it. */
  #isInChain(node: AnyNode): boolean {
    let inner = node;
    let at = this.#tree.parents.get(node);
    while (at) {
      if (at.type === "ChainExpression") return true;
      const isLink =
        (at.type === "MemberExpression" && at["object"] === inner) ||
        (at.type === "CallExpression" && at["callee"] === inner);
      if (!isLink) return false;
      inner = at;
      at = this.#tree.parents.get(at);
    }
    return false;
  }

  #if(node: AnyNode): void {
    const [test, consequent] = [part(node, "test"), part(node, "consequent")];
    if (node["alternate"]) {
      this.#statement("then", consequent, test);
      return this.#statement("else", part(node, "alternate"), test);
    }
    // First, so that it is outside of what closes the other way.
    const nowhere = { start: consequent.end, end: consequent.end };
    this.edits.close(consequent.end, ` else{${this.#taken("else", nowhere, test)}}`);
    this.#statement("then", consequent, test);
  }

  #switch(node: AnyNode): void {
    const discriminant = part(node, "discriminant");
    const id = this.#pairs ? this.#site(discriminant, true) : 0;
    if (this.#pairs) this.#wrap(discriminant, `${this.#prefix}sw(${id},`);
    for (const one of parts(node, "cases")) {
      const test = one["test"] as AnyNode | null;
      const body = parts(one, "consequent");
      if (test && this.#pairs) this.#wrap(test, `${this.#prefix}sc(${id},`);
      const colon = colonAfter(this.#source, test ? test.end : one.start, one.end);
      const at = { start: body[0]?.start ?? one.end, end: body.at(-1)?.end ?? one.end };
      this.edits.after(colon + 1, `${this.#taken("case", at, test)};`);
    }
  }

  #wrap(node: AnyNode, open: string): void {
    this.edits.open(node.start, open);
    this.edits.close(node.end, ")");
  }

  #function(node: AnyNode): void {
    this.functions.push([this.branches.length, node.start, node.end]);
    const body = part(node, "body");
    if (body.type === "BlockStatement") this.#statement("function", body, null);
    else this.#expression("function", body, null);
  }

  #comparison(node: AnyNode): void {
    const [left, right] = [part(node, "left"), part(node, "right")];
    const name = this.#pairs ? comparisons.get(String(node["operator"])) : undefined;
    // A comparison with a type name says nothing.
    if (name === undefined || left.type === "PrivateIdentifier") return;
    const operator = operatorIn(this.#source, left.end, right.start, String(node["operator"]));
    if (operator < 0 || (left.type === "UnaryExpression" && left["operator"] === "typeof")) return;
    const literal = isLiteral(left) || isLiteral(right);
    this.edits.open(node.start, `${this.#prefix}${name}(${this.#site(node, literal)},`);
    this.edits.replace(operator, operator + String(node["operator"]).length, ",");
    this.edits.close(node.end, ")");
  }

  #lookup(node: AnyNode): void {
    const property = part(node, "property");
    if (
      !this.#pairs ||
      !node["computed"] ||
      property.type === "Literal" ||
      property.type === "UpdateExpression"
    )
      return;
    const table = this.#again(part(node, "object"));
    this.edits.open(property.start, `${this.#prefix}p(${this.#site(node, false)},`);
    this.edits.close(property.end, table === null ? ")" : `,${table})`);
  }

  /** The text of an expression that may be evaluated twice: variables, and what they have under plain names. */
  #again(node: AnyNode): string | null {
    if (node.type === "Identifier") return String(node["name"]);
    if (node.type !== "MemberExpression" || this.#hasGetters || node["optional"]) return null;
    const [of, key] = [this.#again(part(node, "object")), part(node, "property")];
    if (of === null || (key.type !== "Identifier" && key.type !== "Literal")) return null;
    const name = this.#source.slice(key.start, key.end);
    return node["computed"] ? `${of}[${name}]` : `${of}.${name}`;
  }
}

function isQuestion(node: AnyNode): boolean {
  if (node.type === "ChainExpression") return isQuestion(part(node, "expression"));
  if (node.type === "BinaryExpression") return comparisons.has(String(node["operator"]));
  if (node.type !== "CallExpression") return false;
  const callee = part(node, "callee");
  return callee.type === "MemberExpression" && questions.test(propertyName(callee) ?? "");
}

function isLiteral(node: AnyNode): boolean {
  return (
    node.type === "Literal" ||
    node.type === "TemplateLiteral" ||
    (node.type === "UnaryExpression" && isLiteral(part(node, "argument")))
  );
}
