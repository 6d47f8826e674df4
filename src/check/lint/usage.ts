import type { AnyNode, Node } from "acorn";
import { actionNames } from "../../catalogue/index.ts";
import type { Flow } from "./flow.ts";
import { handlersOf } from "./handlers.ts";
import { calledFunction, follow, type FunctionNode, globalMember, isFunction, literalText } from "./nodes.ts";
import type { Origins } from "./origin.ts";
import { nodesOf, type Syntax } from "./syntax.ts";

/** What the code of a script names, and so may use. */
export interface Usage {
  /** Names of properties and short texts in the pack's own code. */
  readonly names: readonly string[];
  /** Fields that a handler takes from its event directly, as `event.prompt` or `({ prompt }) => …`. */
  readonly eventFields: readonly string[];
  /** Whether the event is handed on whole somewhere, listed field by field, or given to a package. */
  readonly takesAll: boolean;
  /** Names of actions that stand somewhere in the program. */
  readonly actions: readonly string[];
  /** The action that a handler returns whatever it is given, by event; `*` for a script that is one function. */
  readonly always: { readonly [event: string]: string };
}

/** Longest text that can be a name of a field. */
const longestName = 256;
/** Functions that take in an object with everything that it has. */
const takers = new Set([
  "assign",
  "entries",
  "fromEntries",
  "keys",
  "stringify",
  "structuredClone",
  "values",
  "ownKeys",
]);

/** Finds what a script names. */
export function usageOf(syntax: Syntax, event: Flow, origins: Origins): Usage {
  const own = (node: Node): boolean => {
    const { line = 1, column = 0 } = node.loc?.start ?? {};
    return origins.of(line, column).origin === "pack";
  };
  const names = new Set<string>();
  for (const node of nodesOf(syntax, "MemberExpression")) {
    if (!node.computed && node.property.type === "Identifier" && own(node)) names.add(node.property.name);
  }
  for (const { key, computed, ...node } of nodesOf(syntax, "Property")) {
    if (!computed && key.type === "Identifier" && own(node)) names.add(key.name);
  }
  const actions = new Set<string>();
  for (const node of [...nodesOf(syntax, "Literal"), ...nodesOf(syntax, "TemplateLiteral")]) {
    const text = literalText(node);
    if (text === null || text.length > longestName) continue;
    if ((actionNames as readonly string[]).includes(text)) actions.add(text);
    if (own(node)) names.add(text);
  }
  return {
    names: [...names],
    eventFields: eventFieldsOf(syntax),
    takesAll: takesAll(syntax, event, own),
    actions: [...actions],
    always: alwaysOf(syntax),
  };
}

function eventFieldsOf(syntax: Syntax): readonly string[] {
  const events = new Set<unknown>();
  const fields = new Set<string>();
  const add = (key: AnyNode): void => void (key.type === "Identifier" && fields.add(key.name));
  for (const { params } of handlersOf(syntax)) {
    const [event] = params;
    if (event?.type === "Identifier") events.add(syntax.variables.get(event));
    if (event?.type !== "ObjectPattern") continue;
    for (const part of event.properties) if (part.type === "Property" && !part.computed) add(part.key);
  }
  events.delete(undefined);
  for (const { object, property, computed } of nodesOf(syntax, "MemberExpression")) {
    const isEvent = object.type === "Identifier" && events.has(syntax.variables.get(object));
    if (isEvent && !computed) add(property as AnyNode);
  }
  return [...fields];
}

function takesAll(syntax: Syntax, event: Flow, own: (node: Node) => boolean): boolean {
  const walked =
    nodesOf(syntax, "ForInStatement").some(({ right }) => event.has(right)) ||
    nodesOf(syntax, "SpreadElement").some(({ argument }) => event.has(argument)) ||
    nodesOf(syntax, "RestElement").some(
      (node) => syntax.parents.get(node)?.type === "ObjectPattern" && own(node),
    ) ||
    nodesOf(syntax, "MemberExpression").some(
      (node) => node.computed && node.property.type !== "Literal" && event.has(node.object),
    );
  if (walked) return true;
  return nodesOf(syntax, "CallExpression").some((call) => {
    if (!call.arguments.some((argument) => event.has(argument))) return false;
    const member = globalMember(syntax, call.callee);
    if (member) return takers.has(member[1]);
    const target = calledFunction(syntax, call.callee);
    return target !== null && own(call) && !own(target);
  });
}

function alwaysOf(syntax: Syntax): Usage["always"] {
  const found: [string, string][] = [];
  for (const handler of handlersOf(syntax)) {
    const action = alwaysReturned(syntax, handler);
    if (action !== null) found.push([eventOf(syntax, handler), action]);
  }
  return Object.fromEntries(found);
}

/** The key under which a handler stands in the default export; `*` where it is the export itself. */
function eventOf(syntax: Syntax, handler: FunctionNode): string {
  for (const { key, value, computed } of nodesOf(syntax, "Property")) {
    if (!computed && key.type === "Identifier" && follow(syntax, value) === handler) return key.name;
  }
  return "*";
}

/** The action that a function returns before it looks at anything. */
function alwaysReturned(syntax: Syntax, target: FunctionNode, depth = 0): string | null {
  const { body } = target;
  const first = body.type === "BlockStatement" ? body.body[0] : null;
  const value: AnyNode | null | undefined =
    body.type === "BlockStatement" ? (first?.type === "ReturnStatement" ? first.argument : null) : body;
  if (!value || depth > 3) return null;
  const plain = value.type === "ParenthesizedExpression" ? value.expression : value;
  if (plain.type === "CallExpression") {
    const inner = calledFunction(syntax, plain.callee);
    return isFunction(inner) ? alwaysReturned(syntax, inner, depth + 1) : null;
  }
  if (plain.type !== "ObjectExpression") return null;
  for (const part of plain.properties) {
    if (part.type !== "Property" || part.computed || part.key.type !== "Identifier") continue;
    if (part.key.name === "action") return literalText(part.value);
  }
  return null;
}
