import { draft, type Draft } from "../draft.ts";
import { guestText } from "../guest-text.ts";
import type { CodeAnalysis } from "../program/analysis.ts";
import type { Flow } from "../program/flow.ts";
import { type AnyNode, memberPath, part, parts, propertyName } from "../program/syntax.ts";
import { hostsOf } from "./rewrites.ts";
import { fetchesFromHost, givesOrders, givesUnsafeOrders, isLure } from "./texts.ts";

/** Parts of actions that a model or a person reads, and functions that take them. */
const textFields = /^(?:text|reason|feedback|content|system|message|result|prompt|chunk|error)$/;
const textHelpers =
  /(?:^|\.)(?:addContext|notify|augment|inject|retry|deny|ask|block|halt|skip|allow|transform|replaceSystem|replaceResult|replaceResponse|replaceError|replaceMessages)$/;
/** Stands for what is known only at run time. */
const unknown = "\u2026";
const address = /https?:\/\/[^\s"'`)\u2026]+|\bcurl\b|\bwget\b|\|\s*(?:ba)?sh\b/i;

/**
 * Texts that the code can write, read from the code: put together of literals, lists and branches. Orders are found whether
 * a run has written them or not; addresses only where none has.
 *
 * @param written what the runs wrote.
 */
export function writtenTextFindings(analysis: CodeAnalysis, written: readonly string[]): readonly Draft[] {
  const found: Draft[] = [];
  const all = [...new Map(textsOfCode(analysis).map((one) => [one.text, one])).values()];
  const orders = all.filter(
    ({ text, toModel }) => givesOrders(text) || isGrave(text) || (toModel && givesUnsafeOrders(text)),
  );
  // What becomes of other texts is not known; some are what a hook looks for.
  const others = literalsOf(analysis).filter(
    ({ text }) => givesOrders(text) || givesUnsafeOrders(text) || isGrave(text),
  );
  const [order = others[0]] = orders;
  if (order)
    found.push(
      draft(
        "text-instructs",
        "the code contains a text that gives the model instructions",
        [...orders, ...others].slice(0, 4).map(({ text }) => ({ label: "text", text: guestText(text, 400) })),
        {
          place: analysis.text.place(order.node.start),
          severity: orders.length > 0 || others.some(({ text }) => isGrave(text)) ? "high" : "medium",
        },
      ),
    );
  const isWritten = (part: string): boolean => written.some((seen) => seen.includes(part));
  const addresses = [...all, ...replacementsOf(analysis)].filter(({ text, toModel }) => {
    const one = address.exec(text)?.[0] ?? hostsOf(text)[0];
    if (one !== undefined && !isWritten(one)) return true;
    return toModel && !text.split(unknown).some((piece) => piece.length > 12 && isWritten(piece));
  });
  const [first] = addresses;
  if (first)
    found.push(
      draft(
        "text-unwritten",
        `${addresses.length === 1 ? "a text" : `${addresses.length} texts`} for the model, or with addresses or commands, that no run has written`,
        addresses.slice(0, 4).map(({ text }) => ({ label: "text", text: guestText(text, 400) })),
        { place: analysis.text.place(first.node.start) },
      ),
    );
  return found;
}

/** Whether a text is an order wherever it is used. */
function isGrave(text: string): boolean {
  return fetchesFromHost(text) || isLure(text);
}

interface CodeText {
  readonly text: string;
  readonly node: AnyNode;
  /** Whether it becomes a part of what the model reads of the hook's own accord. */
  readonly toModel: boolean;
}

const telling =
  /^(?:add_context|augment|inject|retry|replace_system|transform|replace_result|replace_response)$/;
const tellingHelpers = /(?:^|\.)(?:addContext|augment|inject|retry|transform|replace\w+)$/;
/** Shortest text that says something by itself. */
const shortestText = 24;

/** Texts that are put in place of others, as far as they name hosts. */
function replacementsOf({ flow, text }: CodeAnalysis): readonly CodeText[] {
  return flow.tree.nodes.flatMap((node) => {
    if (node.type !== "CallExpression" || !text.isOwn(node.start)) return [];
    if (!/\.replace(?:All)?$/.test(memberPath(part(node, "callee")))) return [];
    const [, by] = parts(node, "arguments");
    return by
      ? fold(flow, by)
          .filter((one) => hostsOf(one).length > 0)
          .map((one) => ({ text: one, node: by, toModel: false }))
      : [];
  });
}

/** Whether a member of an answer goes to the model: its action says so. */
function goesToModel(tree: Flow["tree"], node: AnyNode): boolean {
  const answer = tree.parents.get(node);
  return (
    answer?.type === "ObjectExpression" &&
    parts(answer, "properties").some((one) => {
      const value = one.type === "Property" && propertyName(one) === "action" ? part(one, "value") : null;
      return value?.type === "Literal" && telling.test(String(value["value"]));
    })
  );
}

function textsOfCode({ flow, text }: CodeAnalysis): readonly CodeText[] {
  const found: CodeText[] = [];
  const add = (node: AnyNode, toModel: boolean): void => {
    for (const one of fold(flow, node))
      if (one.length > 12)
        found.push({
          text: one,
          node,
          toModel: toModel && one.replaceAll(unknown, "").length >= shortestText,
        });
  };
  for (const node of flow.tree.nodes) {
    if (!text.isOwn(node.start)) continue;
    if (node.type === "Property" && textFields.test(propertyName(node) ?? ""))
      add(part(node, "value"), goesToModel(flow.tree, node));
    else if (node.type === "CallExpression" && textHelpers.test(memberPath(part(node, "callee"))))
      for (const arg of parts(node, "arguments"))
        add(arg, tellingHelpers.test(memberPath(part(node, "callee"))));
  }
  return found;
}

/** Every text of some length that the code has. */
function literalsOf({ flow, text }: CodeAnalysis): readonly CodeText[] {
  return flow.tree.nodes.flatMap((node) => {
    const value =
      node.type === "Literal" ? node["value"] : (node["value"] as { cooked?: string } | null)?.cooked;
    if (node.type !== "Literal" && node.type !== "TemplateElement") return [];
    if (typeof value !== "string" || value.length < shortestText || !/\s/.test(value)) return [];
    return text.isOwn(node.start) ? [{ text: value, node, toModel: false }] : [];
  });
}

const maxTexts = 24;

/** The texts that an expression can be. */
function fold(flow: Flow, node: AnyNode, depth = 0): readonly string[] {
  if (depth > 8) return [unknown];
  const of = (one: AnyNode): readonly string[] => fold(flow, one, depth + 1);
  const joined = (pieces: readonly (readonly string[])[], by: string): readonly string[] => {
    let texts: readonly string[] = [""];
    for (const [at, piece] of pieces.entries())
      texts = texts
        .flatMap((left) => piece.map((right) => left + (at > 0 ? by : "") + right))
        .slice(0, maxTexts);
    return texts;
  };
  switch (node.type) {
    case "Literal":
      return typeof node["value"] === "string" ? [node["value"]] : [unknown];
    case "TemplateLiteral": {
      const quasis = parts(node, "quasis").map((one) => [(one["value"] as { cooked?: string }).cooked ?? ""]);
      const inner = parts(node, "expressions").map(of);
      return joined(
        quasis.flatMap((one, at) => [one, ...(inner[at] ? [inner[at]] : [])]),
        "",
      );
    }
    case "BinaryExpression":
      return node["operator"] === "+"
        ? joined([of(part(node, "left")), of(part(node, "right"))], "")
        : [unknown];
    case "ConditionalExpression":
      return [...of(part(node, "consequent")), ...of(part(node, "alternate"))];
    case "LogicalExpression":
      // A default that is empty stands for what is not known.
      return [...of(part(node, "left")), ...of(part(node, "right")).filter((one) => one !== "")];
    case "ArrayExpression":
      return parts(node, "elements").flatMap(of).slice(0, maxTexts);
    case "Identifier": {
      const value = flow.bindings.get(node)?.value;
      return value ? of(value) : [unknown];
    }
    case "CallExpression": {
      const callee = part(node, "callee");
      if (callee.type !== "MemberExpression" || propertyName(callee) !== "join") return [unknown];
      const list = listOf(flow, part(callee, "object"));
      const by = parts(node, "arguments")[0];
      return list ? joined(list.map(of), by?.type === "Literal" ? String(by["value"]) : ",") : [unknown];
    }
    default:
      return [unknown];
  }
}

/** The elements of a list, and what is added to it later. */
function listOf(flow: Flow, node: AnyNode): readonly AnyNode[] | null {
  if (node.type === "ArrayExpression") return parts(node, "elements");
  const binding = node.type === "Identifier" ? flow.bindings.get(node) : undefined;
  if (binding?.value?.type !== "ArrayExpression") return null;
  const added = flow.tree.nodes.flatMap((one) => {
    if (one.type !== "CallExpression" || !/\.(?:push|unshift)$/.test(memberPath(part(one, "callee"))))
      return [];
    const list = part(part(one, "callee"), "object");
    return flow.bindings.get(list) === binding ? parts(one, "arguments") : [];
  });
  return [...parts(binding.value, "elements"), ...added];
}
