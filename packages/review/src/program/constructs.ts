import type { Node } from "acorn";
import type { ReviewCode, Severity } from "../codes.ts";
import { guestText } from "../guest-text.ts";
import type { Construct } from "../report.ts";
import { builtins, findConstructor, findDynamicName } from "./dynamic-names.ts";
import { findInLiteral, findInNumbers, findMixedScripts, looksEncoded, type Report } from "./literals.ts";
import { type AnyNode, functionAround, memberPath, propertyName, type SyntaxTree } from "./syntax.ts";
import type { ProgramText } from "./text.ts";

const definers: ReadonlySet<string> = new Set([
  "defineProperty",
  "defineProperties",
  "assign",
  "setPrototypeOf",
  "set",
]);
/** What esbuild writes by itself to join modules. */
const joinHelper =
  /^var __(?:export|defProp|copyProps|toCommonJS|reExport|name|getOwnProp\w*|hasOwnProp|commonJS\w*|esm|toESM|create|getProtoOf)\b/;
const maxExcerpt = 120;
const maxPerReason = 12;

/** What stands in a program that deserves a look, from its syntax tree alone: nothing of it is run. */
export function findConstructs(text: ProgramText): readonly Construct[] {
  const found: Construct[] = [];
  const counts = new Map<string, number>();
  const { root: tree, nodes, parents } = text.tree;
  const report = (node: Node, code: ReviewCode, severity: Severity, reason: string): void => {
    // A library gets the benefit of the doubt that a hook's own code does not: its source is public.
    const own = text.isOwn(node.start);
    const key = `${code} ${reason}`;
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    if (count > maxPerReason) return;
    found.push({
      code,
      severity: own ? severity : lesser(severity),
      place: text.place(node.start),
      excerpt: guestText(text.slice(node.start, Math.min(node.end, node.start + 400)), maxExcerpt),
      reason,
    });
  };
  const helpers = helperRanges(tree, text);
  const visit = (node: AnyNode): void => {
    if (helpers.some(([start, end]) => node.start >= start && node.end <= end)) return;
    const parent = parents.get(node) ?? undefined;
    switch (node.type) {
      case "Literal":
        return findInLiteral(node, parent, report);
      case "TemplateElement": {
        const cooked = (node["value"] as { readonly cooked?: string }).cooked ?? "";
        findMixedScripts(node, cooked, report);
        if (looksEncoded(cooked)) report(node, "encoded-literal", "medium", "a long text that looks encoded");
        return;
      }
      case "ArrayExpression":
        return findInNumbers(node, report);
      case "VariableDeclarator":
        return statefulPattern(node, text.tree, report);
      case "AssignmentExpression":
        return assignment(node["left"] as AnyNode, node, report);
      case "CallExpression":
      case "NewExpression":
        return call(node, parent, report);
      case "MemberExpression":
        findConstructor(node, parent, report);
        return findDynamicName(node, report);
      case "Property":
      case "MethodDefinition":
        if (node["kind"] === "get" && returnsDifferently(node))
          report(node, "watches-access", "medium", "a getter that does more than get");
        return;
      case "WithStatement":
        report(node, "dynamic-name", "medium", "`with`");
        return;
      default:
    }
  };
  for (const node of nodes) visit(node);
  return found.sort((a, b) => rank(a.severity) - rank(b.severity));
}

function rank(severity: Severity): number {
  return ["high", "medium", "low", "info"].indexOf(severity);
}

function lesser(severity: Severity): Severity {
  return severity === "high" ? "medium" : severity === "medium" ? "info" : "info";
}

function helperRanges(tree: AnyNode, text: ProgramText): readonly (readonly [number, number])[] {
  return (tree["body"] as readonly AnyNode[])
    .filter((node) => joinHelper.test(text.slice(node.start, node.start + 40)))
    .map(({ start, end }) => [start, end] as const);
}

/** A pattern that remembers where it stopped, outside of every function: the same question has two answers. */
function statefulPattern(node: AnyNode, tree: SyntaxTree, report: Report): void {
  const { regex } = (node["init"] ?? {}) as { readonly regex?: { readonly flags: string } };
  const name = (node["id"] as AnyNode)["name"];
  if (!regex || !/[gy]/.test(regex.flags) || functionAround(tree, node) !== null) return;
  const asked = tree.nodes.some((one) => {
    const parent = one.type === "Identifier" && one["name"] === name ? tree.parents.get(one) : null;
    if (parent?.type === "ArrayExpression") return true;
    return parent?.type === "MemberExpression" && /^(?:test|exec)$/.test(propertyName(parent) ?? "");
  });
  if (asked)
    report(
      node,
      "stateful-pattern",
      "medium",
      `\`${String(name)}\` has the flag \`g\` or \`y\` and is asked more than once`,
    );
}

function rootName(node: AnyNode): string | null {
  let at: AnyNode = node;
  while (at.type === "MemberExpression") at = at["object"] as AnyNode;
  return at.type === "Identifier" ? String(at["name"]) : null;
}

function assignment(left: AnyNode, node: AnyNode, report: Report): void {
  if (left.type !== "MemberExpression") return;
  const root = rootName(left);
  const path = memberPath(left);
  if (root !== null && builtins.has(root)) {
    // Libraries set this to have shorter stack traces.
    if (path.endsWith(".stackTraceLimit") || path.endsWith(".prepareStackTrace")) return;
    report(node, "patches-builtins", "high", `sets \`${path.slice(0, 60)}\``);
  } else if (/(?:^|\.)(?:__proto__)$/.test(path))
    report(node, "patches-builtins", "medium", "sets a prototype");
}

function call(node: AnyNode, parent: AnyNode | undefined, report: Report): void {
  const callee = node["callee"] as AnyNode;
  const args = node["arguments"] as readonly AnyNode[];
  const name = callee.type === "Identifier" ? String(callee["name"]) : null;
  const path = callee.type === "MemberExpression" ? memberPath(callee) : "";
  if (name === "eval" || name === "Function") report(node, "dynamic-code", "medium", `asks for \`${name}\``);
  if (
    path.endsWith(".constructor.constructor") ||
    (path.endsWith(".constructor") &&
      args[0]?.type === "Literal" &&
      typeof args[0]["value"] === "string" &&
      parent?.type === "CallExpression")
  )
    report(node, "dynamic-code", "medium", "makes a function by way of a constructor");
  if (node.type === "NewExpression" && name === "Proxy") report(node, "watches-access", "medium", "a proxy");
  if (/__(?:define|lookup)(?:Getter|Setter)__$/.test(path))
    report(node, "watches-access", "medium", "a getter or setter made at run time");
  const last = path.slice(path.lastIndexOf(".") + 1);
  const [target] = args;
  if (definers.has(last) && target && /^(?:Object|Reflect)\./.test(path)) {
    const root = rootName(target);
    if (
      root !== null &&
      builtins.has(root) &&
      (target.type === "MemberExpression" || root === "globalThis" || root === "JSON" || root === "Math")
    )
      report(
        node,
        "patches-builtins",
        addsOnly(target, args[1]) ? "info" : "high",
        `changes \`${memberPath(target).slice(0, 60)}\``,
      );
    else if (last === "defineProperty" && hasGetter(args[2]))
      report(node, "watches-access", "medium", "a getter made at run time");
  }
  if (
    /(?:String|)\.?(?:fromCharCode|fromCodePoint)$/.test(path) &&
    args.length >= 4 &&
    args.every((one) => one.type === "Literal")
  )
    report(node, "encoded-literal", "medium", "a text made of numbers");
}

/** Whether only globals are put there that the guest's world has not: what libraries do that need them. */
function addsOnly(target: AnyNode, added: AnyNode | undefined): boolean {
  if (target.type !== "Identifier" || target["name"] !== "globalThis" || added?.type !== "ObjectExpression")
    return false;
  return (added["properties"] as readonly AnyNode[]).every((one) => {
    const key = one["key"] as AnyNode | undefined;
    return (
      one.type === "Property" &&
      one["computed"] !== true &&
      key?.type === "Identifier" &&
      !builtins.has(String(key["name"]))
    );
  });
}

function hasGetter(node: AnyNode | undefined): boolean {
  if (node?.type !== "ObjectExpression") return false;
  return (node["properties"] as readonly AnyNode[]).some((one) => {
    const key = one["key"] as AnyNode | undefined;
    return key?.type === "Identifier" && key["name"] === "get" && one["kind"] === "init";
  });
}

/** A getter with more in it than a `return` of something that stands there. */
function returnsDifferently(node: AnyNode): boolean {
  const body = ((node["value"] as AnyNode)["body"] as AnyNode)["body"] as readonly AnyNode[];
  const text = JSON.stringify(body, (key, value: unknown) =>
    key === "start" || key === "end" || typeof value === "bigint" ? undefined : value,
  );
  return /"type":"(?:UpdateExpression|AssignmentExpression)"/.test(text);
}
