import { parser } from "@lezer/python";
import { codeLimits, unescaped } from "./tokens.ts";
import { block, type Code, name, none, type Parsed, text, tuple } from "./tree.ts";

type Node = ReturnType<typeof parser.parse>["topNode"];

/** What is read, and how it went so far. */
interface Reading {
  readonly program: string;
  whole: boolean;
  nodes: number;
}
type Reader = (node: Node, reading: Reading, depth: number) => Code;

/** Reads a program in Python. The parser takes any text, and goes on behind what it cannot read. */
export function parsePython(program: string): Parsed {
  const reading: Reading = { program, whole: true, nodes: 0 };
  const code = codeOf(parser.parse(program).topNode, reading, 0);
  return { code, whole: reading.whole };
}

const codeOf: Reader = (node, reading, depth) => {
  if (depth > codeLimits.nesting || ++reading.nodes > codeLimits.nodes) {
    reading.whole = false;
    return { kind: "unread" };
  }
  const reader = readers.get(node.name);
  return reader === undefined
    ? block(allOf(childrenOf(node, reading), reading, depth))
    : reader(node, reading, depth);
};

const operators: ReadonlySet<string> = new Set("ArithOp CompareOp BitOp UpdateOp AssignOp".split(" "));
/** Keywords, brackets and operators. */
const isSign = (node: Node): boolean => /^[^A-Z]/.test(node.name) || operators.has(node.name);

function sourceOf(node: Node, { program }: Reading): string {
  return program.slice(node.from, node.to);
}

function childrenOf(node: Node, reading: Reading): readonly Node[] {
  const found: Node[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) {
    if (child.type.isError) reading.whole = false;
    else if (child.name !== "Comment") found.push(child);
  }
  return found;
}

function allOf(nodes: readonly Node[], reading: Reading, depth: number): readonly Code[] {
  return nodes.filter((node) => !isSign(node)).map((node) => codeOf(node, reading, depth + 1));
}

/** Nodes between signs, such as the targets and the value of an assignment. */
function split(nodes: readonly Node[], signs: RegExp): readonly (readonly Node[])[] {
  const parts: Node[][] = [[]];
  for (const node of nodes) {
    if (signs.test(node.name)) parts.push([]);
    else if (node.name !== "TypeDef") parts.at(-1)?.push(node);
  }
  return parts;
}

const quotes = /^([A-Za-z]{0,2})("""|'''|"|')/;

const literal: Reader = (node, reading) => {
  const source = sourceOf(node, reading);
  const [start = "", prefix = "", quote = ""] = quotes.exec(source) ?? [];
  const body = source.slice(start.length, source.endsWith(quote) ? -quote.length : undefined);
  return text(/r/i.test(prefix) ? body : unescaped(body));
};

const format: Reader = (node, reading, depth) => {
  const [start = "", prefix = "", quote = ""] = quotes.exec(sourceOf(node, reading)) ?? [];
  const plain = (from: number, to: number): Code => {
    const piece = reading.program.slice(from, to).replace(/\{\{|\}\}/g, (pair) => pair.charAt(0));
    return text(/r/i.test(prefix) ? piece : unescaped(piece));
  };
  const parts: Code[] = [];
  let at = node.from + start.length;
  for (const child of childrenOf(node, reading)) {
    if (child.name !== "FormatReplacement") continue;
    const [value] = childrenOf(child, reading).filter((one) => !isSign(one));
    parts.push(plain(at, child.from), value === undefined ? none : codeOf(value, reading, depth + 1));
    at = child.to;
  }
  return { kind: "filled", parts: [...parts, plain(at, node.to - quote.length)] };
};

const joined: Reader = (node, reading, depth) => {
  const [left, sign, right] = childrenOf(node, reading);
  if (left === undefined || sign === undefined || right === undefined) return none;
  const operator = sourceOf(sign, reading);
  const [first, second] = [codeOf(left, reading, depth + 1), codeOf(right, reading, depth + 1)];
  if (/^(?:and|or)$/.test(operator)) return { kind: "either", first, second };
  return /^[+/%|*]$/.test(operator)
    ? { kind: "join", operator, left: first, right: second }
    : block([first, second, none]);
};

const called: Reader = (node, reading, depth) => {
  const [callee, list] = childrenOf(node, reading);
  if (callee === undefined || list === undefined) return none;
  // Elsewhere, `exec` runs commands.
  const isExec = callee.name === "VariableName" && sourceOf(callee, reading) === "exec";
  const of = isExec ? name("eval") : codeOf(callee, reading, depth + 1);
  const all = childrenOf(list, reading);
  if (all.some((child) => child.name === "for"))
    return { kind: "call", callee: of, args: [comprehension(list, reading, depth)], named: [] };
  const args: Code[] = [];
  const named: [string, Code][] = [];
  for (let at = 0; at < all.length; at++) {
    const child = all[at] as Node;
    const value = all[at + 2];
    if (all[at + 1]?.name === "AssignOp" && value !== undefined) {
      named.push([sourceOf(child, reading), codeOf(value, reading, depth + 1)]);
      at += 2;
    } else if (!isSign(child)) args.push(codeOf(child, reading, depth + 1));
  }
  return { kind: "call", callee: of, args, named };
};

const member: Reader = (node, reading, depth) => {
  const [object, ...rest] = childrenOf(node, reading);
  if (object === undefined) return none;
  const of = codeOf(object, reading, depth + 1);
  const property = rest.find((child) => child.name === "PropertyName");
  if (property !== undefined) return { kind: "member", of, key: text(sourceOf(property, reading)) };
  const index = reading.program.slice(object.to, node.to).replace(/\s/g, "");
  if (index === "[::-1]") return { kind: "reversed", of };
  if (rest.some((child) => child.name === ":")) return block([of, none]);
  return { kind: "member", of, key: tuple(allOf(rest, reading, depth)) };
};

const assigned: Reader = (node, reading, depth) => {
  const children = childrenOf(node, reading);
  const parts = split(children, /^(?:AssignOp|UpdateOp)$/).map((part) => tuple(allOf(part, reading, depth)));
  const value = parts.pop() ?? none;
  const update = children.find((child) => child.name === "UpdateOp");
  const operator = update === undefined ? {} : { operator: sourceOf(update, reading).slice(0, -1) };
  return block(parts.map((target): Code => ({ kind: "assign", target, value, ...operator })));
};

const loop: Reader = (node, reading, depth) => {
  const children = childrenOf(node, reading);
  const head = children.filter((child) => child.name !== "Body");
  const at = head.findIndex((child) => child.name === "in");
  return {
    kind: "loop",
    target: tuple(allOf(head.slice(0, at), reading, depth)),
    over: tuple(allOf(head.slice(at + 1), reading, depth)),
    body: block(
      allOf(
        children.filter((child) => child.name === "Body"),
        reading,
        depth,
      ),
    ),
  };
};

/** `body for x in y if z for …`, from the last loop outwards. */
const comprehension: Reader = (node, reading, depth) => {
  const [first = [], ...clauses] = split(childrenOf(node, reading), /^for$/);
  let body = block(allOf(first, reading, depth));
  for (const clause of clauses.toReversed()) {
    const at = clause.findIndex((child) => child.name === "in");
    const [over = none, ...tests] = allOf(clause.slice(at + 1), reading, depth);
    const target = tuple(allOf(clause.slice(0, at), reading, depth));
    body = { kind: "loop", target, over, body: block([...tests, body]) };
  }
  return body;
};

const opened: Reader = (node, reading, depth) => {
  const children = childrenOf(node, reading);
  const parts: Code[] = [];
  for (const [at, child] of children.entries()) {
    if (isSign(child)) continue;
    const code = codeOf(child, reading, depth + 1);
    const value = parts.at(-1);
    if (children[at - 1]?.name === "as" && value !== undefined)
      parts[parts.length - 1] = { kind: "assign", target: code, value };
    else parts.push(code);
  }
  return block(parts);
};

const made: Reader = (node, reading, depth) => {
  const children = childrenOf(node, reading);
  const list = children.find((child) => child.name === "ParamList");
  const params = list === undefined ? [] : paramsOf(list, reading);
  if (node.name === "LambdaExpression") {
    const value = block(
      allOf(children.slice(children.findIndex(({ name: sign }) => sign === ":")), reading, depth),
    );
    return { kind: "function", params, body: { kind: "return", value } };
  }
  const named = children.find((child) => child.name === "VariableName");
  const body = block(
    allOf(
      children.filter((child) => child.name === "Body"),
      reading,
      depth,
    ),
  );
  return { kind: "function", name: named === undefined ? "" : sourceOf(named, reading), params, body };
};

function paramsOf(list: Node, reading: Reading): readonly Code[] {
  const children = childrenOf(list, reading);
  return children.flatMap((child, at) =>
    child.name === "VariableName" && children[at - 1]?.name !== "AssignOp"
      ? [name(sourceOf(child, reading))]
      : [],
  );
}

const imported: Reader = (node, reading) => {
  const [, from, list = ""] =
    /^(?:from\s+([\w.]+)\s+)?import\s+\(?([^)]*)\)?\s*$/.exec(sourceOf(node, reading)) ?? [];
  return block(
    list.split(",").flatMap((one): Code[] => {
      const [, what = "", as] = /^\s*([\w.]+)(?:\s+as\s+(\w+))?\s*$/.exec(one) ?? [];
      if (what === "") return [];
      const [top = ""] = what.split(".");
      const whole = from !== undefined ? `${from}.${what}` : as === undefined ? top : what;
      return [{ kind: "assign", target: name(as ?? top), value: { kind: "module", name: whole } }];
    }),
  );
};

const record: Reader = (node, reading, depth) => {
  const children = childrenOf(node, reading);
  if (children.some((child) => child.name === "for")) return comprehension(node, reading, depth);
  const entries = split(children, /^,$/).flatMap((entry): (readonly [Code, Code])[] => {
    const [key = none, value] = allOf(entry, reading, depth);
    return value === undefined ? [] : [[key, value]];
  });
  return { kind: "record", entries };
};

const list: Reader = (node, reading, depth) => ({
  kind: "list",
  items: allOf(childrenOf(node, reading), reading, depth),
});

const conditional: Reader = (node, reading, depth) => {
  const [first = none, test = none, second = none] = allOf(childrenOf(node, reading), reading, depth);
  return block([test, { kind: "either", first, second }]);
};

const readers: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ["String", literal],
  ["FormatString", format],
  [
    "ContinuedString",
    (node, reading, depth) => ({ kind: "filled", parts: allOf(childrenOf(node, reading), reading, depth) }),
  ],
  ["Number", (node, reading) => text(String(Number(sourceOf(node, reading).replaceAll("_", ""))))],
  ["VariableName", (node, reading) => name(sourceOf(node, reading))],
  ["BinaryExpression", joined],
  ["CallExpression", called],
  ["MemberExpression", member],
  ["AssignStatement", assigned],
  ["UpdateStatement", assigned],
  ["NamedExpression", assigned],
  ["ForStatement", loop],
  ["ArrayComprehensionExpression", comprehension],
  ["SetComprehensionExpression", comprehension],
  ["ComprehensionExpression", comprehension],
  ["DictionaryComprehensionExpression", comprehension],
  ["ArrayExpression", list],
  ["TupleExpression", list],
  ["SetExpression", list],
  ["DictionaryExpression", record],
  ["ConditionalExpression", conditional],
  ["WithStatement", opened],
  ["FunctionDefinition", made],
  ["LambdaExpression", made],
  ["ImportStatement", imported],
  [
    "ReturnStatement",
    (node, reading, depth) => ({
      kind: "return",
      value: tuple(allOf(childrenOf(node, reading), reading, depth)),
    }),
  ],
]);
