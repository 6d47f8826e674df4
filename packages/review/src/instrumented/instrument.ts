import { randomBytes } from "node:crypto";
import { type Node, parse } from "acorn";
import { fullAncestor } from "acorn-walk";
import type { Program } from "@hookwarden/sandbox";
import { HookwardenError } from "hookwarden/errors";
import { sha256 } from "hookwarden/files";
import { instrumentationPrelude } from "./prelude.ts";

/** A way that the program can take, or not. */
export interface Branch {
  readonly kind:
    "then" | "else" | "case" | "and" | "or" | "nullish" | "loop" | "function" | "catch" | "choice";
  /** Where the code of this way stands, as offsets into the program. */
  readonly start: number;
  readonly end: number;
  /** Where its condition stands; `null` where it has none. */
  readonly condition: readonly [number, number] | null;
  /** The branch that it stands in; `null` for the top level. */
  readonly parent: number | null;
}

/** A comparison, or a property that is looked up under a name made at run time. */
export interface Site {
  readonly start: number;
  readonly end: number;
  /** Whether one of its operands is a number or a text of the program. */
  readonly literal: boolean;
}

/** A program that watches another one, and answers with what it saw. */
export interface InstrumentedProgram {
  readonly program: Program;
  readonly branches: readonly Branch[];
  /** The first one stands for comparisons inside of built-in functions, which have no place. */
  readonly sites: readonly Site[];
}

type AnyNode = Node & { readonly [part: string]: unknown };

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

/**
 * Makes the watching instrumented of a program: the same code with counters in its branches, notes at its comparisons, and a
 * default export that is handed a recording copy of the event and the context.
 *
 * @param pairs whether comparisons are noted: that is most of the work, and only exploration needs it
 * @throws {HookwardenError} `load-failed` where the program cannot be parsed, or has no default export
 */
export function instrumentProgram(program: Program, pairs: boolean): InstrumentedProgram {
  const { source } = program;
  const tree = parseProgram(source, program.name);
  // Hooks cannot know the names, and no text of theirs has them.
  let prefix: string;
  do prefix = `w${randomBytes(8).toString("hex")}_`;
  while (source.includes(prefix));
  const edits = new Edits(source);
  const branches: Branch[] = [];
  const sites: Site[] = [{ start: 0, end: 0, literal: false }];
  const nodes: AnyNode[] = [];
  const parents = new Map<Node, AnyNode | null>();
  fullAncestor(tree, (node, _state, ancestors) => {
    const one = node as AnyNode;
    if (parents.has(one)) return;
    parents.set(one, (ancestors.at(-2) as AnyNode | undefined) ?? null);
    nodes.push(one);
  });
  // Outer nodes first: what they put at a place goes around what inner ones put there.
  nodes.sort((a, b) => a.start - b.start || b.end - a.end);
  const taken = (kind: Branch["kind"], at: AnyNode, condition: AnyNode | null): string => {
    branches.push({
      kind,
      start: at.start,
      end: at.end,
      condition: condition && [condition.start, condition.end],
      parent: null,
    });
    return `${prefix}c[${prefix}w=${branches.length - 1}]++`;
  };
  const statement = (kind: Branch["kind"], body: AnyNode, condition: AnyNode | null, after = ""): void => {
    const count = taken(kind, body, condition);
    if (body.type === "BlockStatement") {
      edits.after(body.start + 1, `${count};`);
      if (after) edits.close(body.end, after);
    } else {
      edits.open(body.start, `{${count};`);
      edits.close(body.end, `}${after}`);
    }
  };
  const expression = (kind: Branch["kind"], body: AnyNode, condition: AnyNode | null): void => {
    edits.open(body.start, `(${taken(kind, body, condition)},`);
    edits.close(body.end, ")");
  };
  const site = (node: AnyNode, literal: boolean): number =>
    sites.push({ start: node.start, end: node.end, literal }) - 1;

  for (const node of nodes) {
    const part = (name: string): AnyNode => node[name] as AnyNode;
    switch (node.type) {
      case "IfStatement": {
        const test = part("test");
        if (node["alternate"]) {
          statement("then", part("consequent"), test);
          statement("else", part("alternate"), test);
        } else {
          const consequent = part("consequent");
          const nowhere = { ...consequent, start: consequent.end } as AnyNode;
          // Said first, so that it stands outside of what closes the other way.
          edits.close(consequent.end, ` else{${taken("else", nowhere, test)}}`);
          statement("then", consequent, test);
        }
        break;
      }
      case "ConditionalExpression":
        expression("choice", part("consequent"), part("test"));
        expression("choice", part("alternate"), part("test"));
        break;
      case "LogicalExpression": {
        const kind = node["operator"] === "&&" ? "and" : node["operator"] === "||" ? "or" : "nullish";
        expression(kind, part("right"), part("left"));
        break;
      }
      case "SwitchStatement": {
        const cases = node["cases"] as readonly AnyNode[];
        const id = pairs ? site(part("discriminant"), true) : 0;
        if (pairs) {
          edits.open(part("discriminant").start, `${prefix}sw(${id},`);
          edits.close(part("discriminant").end, ")");
        }
        for (const one of cases) {
          const test = one["test"] as AnyNode | null;
          const body = one["consequent"] as readonly AnyNode[];
          if (test && pairs) {
            edits.open(test.start, `${prefix}sc(${id},`);
            edits.close(test.end, ")");
          }
          const colon = colonAfter(source, test ? test.end : one.start, one.end);
          const last = body.at(-1);
          const at = { ...one, start: body[0]?.start ?? one.end, end: last?.end ?? one.end } as AnyNode;
          edits.after(colon + 1, `${taken("case", at, test)};`);
        }
        break;
      }
      case "ForStatement":
      case "ForInStatement":
      case "ForOfStatement":
      case "WhileStatement":
        statement("loop", part("body"), (node["test"] ?? node["right"] ?? null) as AnyNode | null);
        break;
      case "CatchClause":
        statement("catch", part("body"), null);
        break;
      case "FunctionDeclaration":
      case "FunctionExpression":
        statement("function", part("body"), null);
        break;
      case "ArrowFunctionExpression":
        if (part("body").type === "BlockStatement") statement("function", part("body"), null);
        else expression("function", part("body"), null);
        break;
      case "BinaryExpression": {
        const name = pairs ? comparisons.get(String(node["operator"])) : undefined;
        if (name === undefined || part("left").type === "PrivateIdentifier") break;
        const [left, right] = [part("left"), part("right")];
        const operator = operatorIn(source, left.end, right.start, String(node["operator"]));
        if (operator < 0) break;
        const literal = isLiteral(left) || isLiteral(right);
        // A comparison with a type name or a short index says nothing.
        if (left.type === "UnaryExpression" && left["operator"] === "typeof") break;
        edits.open(node.start, `${prefix}${name}(${site(node, literal)},`);
        edits.replace(operator, operator + String(node["operator"]).length, ",");
        edits.close(node.end, ")");
        break;
      }
      case "MemberExpression": {
        const property = part("property");
        if (
          !pairs ||
          !node["computed"] ||
          property.type === "Literal" ||
          property.type === "UpdateExpression"
        )
          break;
        edits.open(property.start, `${prefix}p(${site(node, false)},`);
        edits.close(property.end, ")");
        break;
      }
      default:
    }
  }
  const { start, end, name } = defaultExport(tree, source, program.name);
  edits.remove(start, end);
  const body = edits.apply();
  const text = `${instrumentationPrelude(prefix, branches.length, sites.length, pairs)}${body}\nexport default ${prefix}x(${name});\n`;
  return {
    program: { key: sha256(text), name: program.name, source: text },
    branches: nested(branches),
    sites,
  };
}

function parseProgram(source: string, name: string): AnyNode {
  try {
    return parse(source, { ecmaVersion: "latest", sourceType: "module" }) as unknown as AnyNode;
  } catch {
    throw new HookwardenError("load-failed", `the script of \`${name}\` cannot be parsed`);
  }
}

/** Finds for each branch the innermost one around it. */
function nested(branches: readonly Branch[]): readonly Branch[] {
  const order = [...branches.keys()].sort(
    (a, b) =>
      (branches[a] as Branch).start - (branches[b] as Branch).start ||
      (branches[b] as Branch).end - (branches[a] as Branch).end ||
      a - b,
  );
  const open: number[] = [];
  const parents = new Map<number, number | null>();
  for (const index of order) {
    const { start, end } = branches[index] as Branch;
    while (open.length > 0 && (branches[open.at(-1) as number] as Branch).end < end) open.pop();
    while (open.length > 0 && (branches[open.at(-1) as number] as Branch).end <= start) open.pop();
    parents.set(index, open.at(-1) ?? null);
    open.push(index);
  }
  return branches.map((branch, index) => ({ ...branch, parent: parents.get(index) ?? null }));
}

function isLiteral(node: AnyNode): boolean {
  return (
    node.type === "Literal" ||
    node.type === "TemplateLiteral" ||
    (node.type === "UnaryExpression" && isLiteral(node["argument"] as AnyNode))
  );
}

/** Where an operator stands between its operands, among brackets, white space and comments; -1 where it is not found. */
function operatorIn(source: string, from: number, to: number, operator: string): number {
  for (let at = from; at < to; at++) {
    if (source.startsWith("/*", at)) at = source.indexOf("*/", at) + 1;
    else if (source.startsWith("//", at)) at = source.indexOf("\n", at);
    else if (source.startsWith(operator, at)) return at;
    if (at < from) return -1;
  }
  return -1;
}

/** The colon of a `case`, behind its test. */
function colonAfter(source: string, from: number, to: number): number {
  const at = operatorIn(source, from, to, ":");
  return at < 0 ? to - 1 : at;
}

/** The bundler exports one local name as `default`, in a list; people write `export default` and something. */
function defaultExport(
  tree: AnyNode,
  source: string,
  program: string,
): { readonly start: number; readonly end: number; readonly name: string } {
  for (const node of tree["body"] as readonly AnyNode[]) {
    if (node.type !== "ExportNamedDeclaration") continue;
    for (const one of node["specifiers"] as readonly AnyNode[]) {
      const exported = one["exported"] as AnyNode;
      const local = one["local"] as AnyNode;
      const is = exported["name"] ?? exported["value"];
      if (is === "default")
        return { start: node.start, end: node.end, name: source.slice(local.start, local.end) };
    }
  }
  throw new HookwardenError("load-failed", `the script of \`${program}\` has no default export`);
}

/** Changes to a text, made all at once. At one place: what closes comes before what opens. */
class Edits {
  readonly #source: string;
  readonly #opens = new Map<number, string[]>();
  readonly #closes = new Map<number, string[]>();
  readonly #afters = new Map<number, string[]>();
  readonly #replaced = new Map<number, { readonly end: number; readonly text: string }>();

  constructor(source: string) {
    this.#source = source;
  }

  /** Before what begins here; what comes first stands outside. */
  open(at: number, text: string): void {
    push(this.#opens, at, text);
  }

  /** Behind what ends here; what comes first stands outside. */
  close(at: number, text: string): void {
    push(this.#closes, at, text);
  }

  /** Right behind a brace or a colon. */
  after(at: number, text: string): void {
    push(this.#afters, at, text);
  }

  replace(start: number, end: number, text: string): void {
    this.#replaced.set(start, { end, text });
  }

  remove(start: number, end: number): void {
    this.replace(start, end, "");
  }

  apply(): string {
    const places = new Set([
      ...this.#opens.keys(),
      ...this.#closes.keys(),
      ...this.#afters.keys(),
      ...this.#replaced.keys(),
    ]);
    let text = "";
    let last = 0;
    for (const at of [...places].sort((a, b) => a - b)) {
      if (at < last) continue;
      text += this.#source.slice(last, at);
      last = at;
      text += (this.#closes.get(at) ?? []).toReversed().join("");
      text += (this.#afters.get(at) ?? []).join("");
      text += (this.#opens.get(at) ?? []).join("");
      const replaced = this.#replaced.get(at);
      if (replaced) {
        text += replaced.text;
        last = replaced.end;
      }
    }
    return text + this.#source.slice(last);
  }
}

function push(map: Map<number, string[]>, at: number, text: string): void {
  const list = map.get(at);
  if (list) list.push(text);
  else map.set(at, [text]);
}
