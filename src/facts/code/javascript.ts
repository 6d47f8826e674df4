import { type Node, type Options, Parser } from "acorn";
import { clean, isUnknown } from "../shell/text.ts";
import { codeLimits } from "./tokens.ts";
import { block, type Code, name, none, type Parsed, text } from "./tree.ts";

/** Reads a program in JavaScript; `undefined` if it is none. */
export function parseJavaScript(program: string): Parsed | undefined {
  const options: Options = {
    ecmaVersion: "latest",
    allowReturnOutsideFunction: true,
    allowAwaitOutsideFunction: true,
    allowHashBang: true,
    allowImportExportEverywhere: true,
  };
  try {
    return { code: codeOf(BoundedParser.parse(program, options)), whole: true };
  } catch (error) {
    return error instanceof RangeError ? { code: { kind: "unread" }, whole: false } : undefined;
  }
}

/** Methods of the parser that call each other for every level of nesting. */
const levels = [
  "parseStatement",
  "parseMaybeAssign",
  "parseMaybeUnary",
  "parseExprAtom",
  "parseExprOp",
  "parseBindingAtom",
] as const;
type Method = (this: unknown, ...args: unknown[]) => unknown;

/** The parser with a limit on nesting, so that how deep it gets does not depend on the stack of the thread. */
const BoundedParser = Parser.extend((Base) => {
  let level = 0;
  class Bounded extends (Base as unknown as new (...args: unknown[]) => object) {}
  for (const method of levels) {
    const inner = (Base.prototype as unknown as { readonly [name: string]: Method })[method] as Method;
    const bounded: Method = function (...args) {
      if (level >= codeLimits.nesting) throw new RangeError("nested too deep");
      level++;
      try {
        return inner.apply(this, args);
      } finally {
        level--;
      }
    };
    Object.defineProperty(Bounded.prototype, method, { value: bounded });
  }
  return Bounded as unknown as typeof Parser;
});

/** A node of any type; the tree is read by the names of its fields. */
type Any = Node & { readonly [field: string]: unknown };
type Reader = (node: Any) => Code;

function isNode(value: unknown): value is Any {
  return typeof value === "object" && value !== null && typeof (value as Any).type === "string";
}

let depth = 0;
/** How deep chains of calls are does not show while they are parsed. */
const codeOf = (value: unknown): Code => {
  if (!isNode(value)) return none;
  if (depth >= codeLimits.nesting) throw new RangeError("nested too deep");
  depth++;
  try {
    const reader = readers.get(value.type);
    if (reader !== undefined) return reader(value);
    const fields = Object.values(value).flatMap((field): readonly unknown[] =>
      Array.isArray(field) ? field : [field],
    );
    return block(fields.filter(isNode).map(codeOf));
  } finally {
    depth--;
  }
};
const allOf = (values: unknown): readonly Code[] => (Array.isArray(values) ? values.map(codeOf) : []);
const nameOf = (value: unknown): string => {
  if (!isNode(value)) return "";
  return String(value["name"] ?? value["value"] ?? "");
};

const keyOf = (node: Any, field: "property" | "key"): Code =>
  node["computed"] === true ? codeOf(node[field]) : text(nameOf(node[field]));

const call: Reader = (node) => ({
  kind: "call",
  callee: codeOf(node["callee"]),
  args: allOf(node["arguments"]),
  named: [],
});
const spread: Reader = (node) => codeOf(node["argument"]);

const made: Reader = (node) => {
  const body = codeOf(node["body"]);
  const isValue = node["expression"] === true;
  return {
    kind: "function",
    ...(isNode(node["id"]) ? { name: nameOf(node["id"]) } : {}),
    params: allOf(node["params"]),
    body: isValue ? { kind: "return", value: body } : body,
  };
};

const either =
  (first: string, second: string): Reader =>
  (node) =>
    block([
      codeOf(node["test"]),
      { kind: "either", first: codeOf(node[first]), second: codeOf(node[second]) },
    ]);

const binary: Reader = (node) => {
  const [left, right] = [codeOf(node["left"]), codeOf(node["right"])];
  const operator = String(node["operator"]);
  return operator === "+" || operator === "|"
    ? { kind: "join", operator, left, right }
    : block([left, right, none]);
};

const assigned: Reader = (node) => {
  const operator = String(node["operator"]).slice(0, -1);
  const parts = { target: codeOf(node["left"]), value: codeOf(node["right"]) };
  return { kind: "assign", ...parts, ...(operator === "+" ? { operator } : {}) };
};

/** A text that an escape writes is no mark of what is not known. */
const literal = (value: string, raw: string): Code => text(isUnknown(raw) ? value : clean(value));

const template: Reader = (node) => {
  const quasis = node["quasis"] as readonly {
    readonly value: { readonly cooked?: string | null; readonly raw: string };
  }[];
  const values = allOf(node["expressions"]);
  const parts = quasis.flatMap(({ value }, at) => {
    const filled = values[at];
    return [literal(value.cooked ?? value.raw, value.raw), ...(filled === undefined ? [] : [filled])];
  });
  return { kind: "filled", parts };
};

const moduleName = (source: unknown): string =>
  nameOf(source)
    .replace(/^node:/, "")
    .replaceAll("/", ".");

const imported: Reader = (node) => {
  const from = moduleName(node["source"]);
  const parts = (node["specifiers"] as readonly Any[]).map((specifier): Code => {
    const whole = specifier.type === "ImportSpecifier" ? `${from}.${nameOf(specifier["imported"])}` : from;
    return { kind: "assign", target: codeOf(specifier["local"]), value: { kind: "module", name: whole } };
  });
  return block(parts);
};

const record: Reader = (node) => ({
  kind: "record",
  entries: (node["properties"] as readonly Any[]).flatMap((property): (readonly [Code, Code])[] =>
    property.type === "Property"
      ? [[keyOf(property, "key"), codeOf(property["value"])]]
      : [[none, codeOf(property["argument"])]],
  ),
});

const declared: Reader = (node) => {
  const value = codeOf(node["init"]);
  return isNode(node["init"]) ? { kind: "assign", target: codeOf(node["id"]), value } : none;
};

const loop: Reader = (node) => {
  const left = node["left"] as Any;
  const [declarator] = left.type === "VariableDeclaration" ? (left["declarations"] as readonly Any[]) : [];
  return {
    kind: "loop",
    target: codeOf(declarator?.["id"] ?? left),
    over: codeOf(node["right"]),
    body: codeOf(node["body"]),
  };
};

const readers: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  [
    "Literal",
    (node) =>
      // A pattern has methods of its own, such as `exec`.
      node["regex"] === undefined
        ? literal(String(node["value"]), String(node["raw"]))
        : { kind: "record", entries: [] },
  ],
  ["Identifier", (node) => name(nameOf(node))],
  ["ThisExpression", () => name("this")],
  ["TemplateLiteral", template],
  [
    "TaggedTemplateExpression",
    (node) => ({ kind: "call", callee: codeOf(node["tag"]), args: [codeOf(node["quasi"])], named: [] }),
  ],
  [
    "MemberExpression",
    (node) => ({ kind: "member", of: codeOf(node["object"]), key: keyOf(node, "property") }),
  ],
  ["CallExpression", call],
  ["NewExpression", call],
  [
    "ImportExpression",
    (node) => ({ kind: "call", callee: name("require"), args: [codeOf(node["source"])], named: [] }),
  ],
  ["BinaryExpression", binary],
  [
    "LogicalExpression",
    (node) => ({ kind: "either", first: codeOf(node["left"]), second: codeOf(node["right"]) }),
  ],
  ["ConditionalExpression", either("consequent", "alternate")],
  ["AssignmentExpression", assigned],
  ["AssignmentPattern", (node) => codeOf(node["left"])],
  ["VariableDeclarator", declared],
  ["ArrayExpression", (node) => ({ kind: "list", items: allOf(node["elements"]) })],
  ["ArrayPattern", (node) => ({ kind: "list", items: allOf(node["elements"]) })],
  ["ObjectExpression", record],
  ["ObjectPattern", record],
  ["SpreadElement", spread],
  ["RestElement", spread],
  ["AwaitExpression", spread],
  ["FunctionDeclaration", made],
  ["FunctionExpression", made],
  ["ArrowFunctionExpression", made],
  ["ReturnStatement", (node) => ({ kind: "return", value: codeOf(node["argument"]) })],
  ["ForOfStatement", loop],
  ["ForInStatement", loop],
  ["ImportDeclaration", imported],
  ["SequenceExpression", (node) => block(allOf(node["expressions"]))],
]);
