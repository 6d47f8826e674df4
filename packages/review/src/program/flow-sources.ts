import { labels, labelsOfProperty } from "./labels.ts";
import type { Binding } from "./scopes.ts";
import { type AnyNode, isFunction, memberPath, part, parts, propertyName } from "./syntax.ts";

type Bindings = ReadonlyMap<AnyNode, Binding>;

/** Labels that the result of a built-in function has by itself. */
export function builtinLabels(call: AnyNode, bindings: Bindings): number {
  const callee = part(call, "callee");
  const args = parts(call, "arguments");
  if (isGlobal(callee, "Date", bindings))
    return call.type === "CallExpression" || args.length === 0 ? labels.time : 0;
  switch (memberPath(callee)) {
    case "Date.now":
    case "performance.now":
      return labels.time;
    case "Math.random":
    case "crypto.randomUUID":
    case "crypto.getRandomValues":
      return labels.chance;
    case "Math.imul":
      return labels.mixed | labels.hashed;
    default:
      return 0;
  }
}

/** What the text of a whole event or context can have in it. */
export function allLabelsOf(whole: number, reads: readonly string[]): number {
  let found = 0;
  if (whole & labels.context)
    for (const name of ["tenant", "time", "state", "config"]) found |= labelsOfProperty(labels.context, name);
  if (whole & labels.event)
    for (const read of reads) {
      const [first = "", second] = read.split(".");
      if (first === "*") found |= labels.session | labels.aside | labels.folder | labels.action;
      else if (second !== undefined) found |= labelsOfProperty(labelsOfProperty(labels.event, first), second);
      else found |= labelsOfProperty(labels.event, first) & ~labels.input;
      if (first === "tool_input" && second === undefined) found |= labels.action | labels.aside;
    }
  return found;
}

/** Properties that show how and where code runs. */
const revealing =
  /^(?:stack|stackTraceLimit|prepareStackTrace|captureStackTrace|columnNumber|lineNumber|fileName|callee|caller)$/;
const reflecting =
  /^(?:Object\.(?:getOwnPropertyDescriptors?|getOwnPropertyNames|isFrozen|isSealed|isExtensible)|Reflect\.(?:ownKeys|getOwnPropertyDescriptor|isExtensible))$/;

/** Whether an expression asks for something that only the way in which the code is run can change. */
export function isProbe(node: AnyNode, bindings: Bindings): boolean {
  if (node.type === "MemberExpression") return revealsMember(node, bindings);
  if (node.type === "TemplateLiteral")
    return parts(node, "expressions").some((one) => isSourceText(one, bindings));
  if (node.type !== "CallExpression" && node.type !== "NewExpression") return false;
  const callee = part(node, "callee");
  const [first] = parts(node, "arguments");
  if (isGlobal(callee, "String", bindings)) return first !== undefined && isSourceText(first, bindings);
  if (isGlobal(callee, "Proxy", bindings)) return true;
  if (isGlobal(callee, "structuredClone", bindings)) return true;
  const path = memberPath(callee);
  if (path.startsWith("Function.prototype.toString.")) return true;
  if (callee.type === "MemberExpression") {
    const [name, of] = [propertyName(callee), part(callee, "object")];
    if (name === "toString") return isSourceText(of, bindings);
    if (name === "join") return isCodeList(of, bindings);
    if (name === "map" || name === "flatMap")
      return first !== undefined && isGlobal(first, "String", bindings) && isCodeList(of, bindings);
  }
  if (reflecting.test(path)) return true;
  return (
    /^Object\.(?:keys|entries)$/.test(path) && first !== undefined && isGlobal(first, "globalThis", bindings)
  );
}

/** Whether a property of that name shows how code runs. */
export function isRevealing(name: string): boolean {
  return revealing.test(name);
}

function revealsMember(node: AnyNode, bindings: Bindings): boolean {
  const name = propertyName(node) ?? "";
  if (isRevealing(name)) return true;
  return (name === "name" || name === "length") && isCode(part(node, "object"), bindings);
}

const builtins =
  /^(?:Object|Array|String|Number|Boolean|Function|RegExp|Promise|Map|Set|WeakMap|JSON|Math|Date|Reflect|Symbol|Error)\b/;

/** Whether an expression is a function: one of the program, or a built-in one. */
function isCode(node: AnyNode, bindings: Bindings): boolean {
  if (isFunction(node) || node.type === "ClassExpression") return true;
  if (node.type === "Identifier") {
    const binding = bindings.get(node);
    if (!binding) return builtins.test(String(node["name"]));
    return (
      binding.kind === "function" || isFunction(binding.value) || binding.value?.type === "ClassExpression"
    );
  }
  if (node.type !== "MemberExpression") return false;
  let root = node;
  while (root.type === "MemberExpression") root = part(root, "object");
  return (
    root.type === "Identifier" &&
    !bindings.has(root) &&
    builtins.test(memberPath(node)) &&
    !/\.prototype$|\.(?:PI|E|MAX_\w+|MIN_\w+|EPSILON)$/.test(memberPath(node))
  );
}

/** Whether an expression, as a text, is source code: a function, or a list of some. */
function isSourceText(node: AnyNode, bindings: Bindings): boolean {
  return isCode(node, bindings) || isCodeList(node, bindings);
}

function isCodeList(node: AnyNode, bindings: Bindings): boolean {
  const list = node.type === "Identifier" ? bindings.get(node)?.value : node;
  return list?.type === "ArrayExpression" && parts(list, "elements").some(isFunction);
}

function isGlobal(node: AnyNode, name: string, bindings: Bindings): boolean {
  if (node.type === "MemberExpression") return memberPath(node) === `globalThis.${name}`;
  return node.type === "Identifier" && node["name"] === name && !bindings.has(node);
}
