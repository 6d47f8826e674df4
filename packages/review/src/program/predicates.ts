import type { Flow } from "./flow.ts";
import { has } from "./labels.ts";
import { type AnyNode, constantText, memberPath, part, parts, propertyName } from "./syntax.ts";

/** An expression whose truth, or whose result, decides something. */
export interface Predicate {
  readonly node: AnyNode;
  readonly kind: "compare" | "text" | "lookup" | "switch" | "truth";
  /** Labels of everything that is compared. */
  readonly mask: number;
  /** Constants that it compares with, as texts; patterns as `/…/`. */
  readonly constants: readonly string[];
  /** Whether one side of a comparison is fixed in the program. */
  readonly fixed: boolean;
  /** Whether it asks only if something is there, or of what type it is. */
  readonly presence: boolean;
}

const comparing: ReadonlySet<string> = new Set([
  "===",
  "!==",
  "==",
  "!=",
  "<",
  ">",
  "<=",
  ">=",
  "in",
  "instanceof",
]);
const asking =
  /^(?:test|exec|match|matchAll|search|includes|startsWith|endsWith|indexOf|lastIndexOf|has|get|localeCompare|hasOwn|hasOwnProperty|at)$/;

/** Every predicate of a program, with what it depends on. */
export function predicatesOf(flow: Flow): readonly Predicate[] {
  const found = new Map<AnyNode, Predicate>();
  for (const node of flow.tree.nodes) {
    const one = predicateOf(flow, node);
    if (one) found.set(node, one);
  }
  for (const node of atomsOf(flow)) {
    if (found.has(node) || [...inner(node)].some((one) => found.has(one))) continue;
    const mask = flow.labelsOf(node);
    // The truth of a number that arithmetic made asks whether it is zero.
    const computed = has(mask, "mixed");
    found.set(node, { node, kind: "truth", mask, constants: [], fixed: computed, presence: !computed });
  }
  return [...found.values()];
}

function* inner(node: AnyNode): Iterable<AnyNode> {
  if (node.type === "ChainExpression") yield part(node, "expression");
  if (node.type === "UnaryExpression") {
    yield part(node, "argument");
    yield* inner(part(node, "argument"));
  }
}

function predicateOf(flow: Flow, node: AnyNode): Predicate | null {
  switch (node.type) {
    case "BinaryExpression":
      return comparing.has(String(node["operator"])) ? comparison(flow, node) : null;
    case "CallExpression":
      return question(flow, node);
    case "MemberExpression":
      return lookup(flow, node);
    case "SwitchStatement": {
      const tests = parts(node, "cases").flatMap((one) => (one["test"] as AnyNode | null) ?? []);
      const mask = tests.reduce(
        (all, one) => all | flow.labelsOf(one),
        flow.labelsOf(part(node, "discriminant")),
      );
      return {
        node,
        kind: "switch",
        mask,
        constants: tests.flatMap((one) => constantsOf(flow, one)),
        fixed: true,
        presence: false,
      };
    }
    default:
      return null;
  }
}

function comparison(flow: Flow, node: AnyNode): Predicate | null {
  const [left, right] = [part(node, "left"), part(node, "right")];
  if (left.type === "PrivateIdentifier") return null;
  const mask = flow.labelsOf(left) | flow.labelsOf(right);
  if (mask === 0) return null;
  const constants = [...constantsOf(flow, left), ...constantsOf(flow, right)];
  const presence =
    [left, right].some(
      (one) =>
        (one.type === "UnaryExpression" && one["operator"] === "typeof") ||
        (one.type === "Literal" && (one["value"] === null || one["value"] === "")) ||
        (one.type === "Identifier" && one["name"] === "undefined") ||
        (one.type === "UnaryExpression" && one["operator"] === "void"),
    ) ||
    node["operator"] === "instanceof" ||
    node["operator"] === "in";
  const fixed = flow.labelsOf(left) === 0 || flow.labelsOf(right) === 0;
  return { node, kind: "compare", mask, constants, fixed, presence };
}

function question(flow: Flow, node: AnyNode): Predicate | null {
  const callee = part(node, "callee");
  if (callee.type !== "MemberExpression" || !asking.test(propertyName(callee) ?? "")) return null;
  const receiver = part(callee, "object");
  const args = parts(node, "arguments");
  const mask = args.reduce((all, one) => all | flow.labelsOf(one), flow.labelsOf(receiver));
  if (mask === 0) return null;
  const constants = [receiver, ...args].flatMap((one) => constantsOf(flow, one));
  const name = propertyName(callee) ?? "";
  if ((name === "get" || name === "at" || name === "exec" || name === "match") && constants.length === 0)
    return null;
  return { node, kind: "text", mask, constants, fixed: true, presence: false };
}

/** A table that is asked for a name from the input. */
function lookup(flow: Flow, node: AnyNode): Predicate | null {
  if (node["computed"] !== true) return null;
  const key = part(node, "property");
  const mask = flow.labelsOf(key);
  if (mask === 0 || has(mask, "size")) return null;
  const constants = constantsOf(flow, part(node, "object"));
  return constants.length === 0
    ? null
    : { node, kind: "lookup", mask, constants, fixed: true, presence: false };
}

/** The constants that an expression is, or that a variable of them holds. */
export function constantsOf(flow: Flow, node: AnyNode, depth = 0): readonly string[] {
  const text = constantText(node);
  if (text !== null) return [text];
  if (node.type === "Literal" && node["regex"]) return [String(node["raw"])];
  if (depth > 4) return [];
  const more = (one: AnyNode): readonly string[] => constantsOf(flow, one, depth + 1);
  switch (node.type) {
    case "UnaryExpression":
      return more(part(node, "argument")).map((one) => (node["operator"] === "-" ? `-${one}` : one));
    case "BinaryExpression":
      return [...more(part(node, "left")), ...more(part(node, "right"))];
    case "Identifier": {
      const value = flow.bindings.get(node)?.value;
      return value ? more(value) : [];
    }
    case "ArrayExpression":
      return parts(node, "elements").flatMap(more);
    case "NewExpression":
      return /^(?:Set|Map|RegExp|Date)$/.test(memberPath(part(node, "callee")))
        ? parts(node, "arguments").flatMap(more)
        : [];
    case "CallExpression":
      return /^(?:Object\.freeze|RegExp|Date\.parse|Date\.UTC|Number|BigInt)$/.test(
        memberPath(part(node, "callee")),
      )
        ? parts(node, "arguments").flatMap(more)
        : [];
    case "ObjectExpression":
      return parts(node, "properties").flatMap((one) =>
        one.type === "Property" ? (propertyName(one) ?? []) : more(part(one, "argument")),
      );
    default:
      return [];
  }
}

/** The parts of conditions that are true or false by themselves. */
export function atomsOf({ tree }: Flow | { readonly tree: Flow["tree"] }): ReadonlySet<AnyNode> {
  const found = new Set<AnyNode>();
  const split = (node: AnyNode): void => {
    if (node.type === "LogicalExpression" && node["operator"] !== "??") {
      split(part(node, "left"));
      split(part(node, "right"));
    } else if (node.type === "UnaryExpression" && node["operator"] === "!") split(part(node, "argument"));
    else found.add(node);
  };
  for (const node of tree.nodes) {
    if (/^(?:If|Conditional|While|DoWhile|For)(?:Statement|Expression)$/.test(node.type) && node["test"])
      split(part(node, "test"));
    if (node.type === "LogicalExpression" && node["operator"] !== "??") split(part(node, "left"));
  }
  return found;
}
