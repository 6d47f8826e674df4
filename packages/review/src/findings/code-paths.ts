import { type Draft, draft } from "../draft.ts";
import { guestText } from "../guest-text.ts";
import type { CodeAnalysis } from "../program/analysis.ts";
import { fromInput, has } from "../program/labels.ts";
import { type AnyNode, part, parts, propertyName } from "../program/syntax.ts";
import type { Evidence } from "../report.ts";

/** Most pieces of code that one finding shows. */
const maxShown = 4;

/** `catch` clauses that let the step go although the code that they guard could have held it. */
export function swallowFindings({ text, flow, openings }: CodeAnalysis): readonly Draft[] {
  const all = flow.tree.nodes.filter((node) => {
    if (node.type !== "TryStatement" || !node["handler"] || !text.isOwn(node.start)) return false;
    const handler = part(part(node, "handler"), "body");
    const guarded = part(node, "block");
    const holds = flow.tree.nodes.some(
      (one) =>
        one.type === "ReturnStatement" &&
        one.start > guarded.start &&
        one.end <= guarded.end &&
        openings.ofNode(one) === "closes",
    );
    const assigns = flow.tree.nodes.some(
      (one) =>
        one.type === "AssignmentExpression" &&
        one.start > guarded.start &&
        one.end <= guarded.end &&
        (flow.labelsOf(part(one, "right")) & fromInput) !== 0,
    );
    const goesOn = parts(handler, "body").length === 0 || openings.ofNode(handler) === "opens";
    return goesOn && (holds || assigns);
  });
  const [first] = all;
  if (!first) return [];
  return [
    draft(
      "fault-opens",
      "an exception in code that reads the input is caught, and the step goes on",
      shown(
        text,
        all.map((node) => part(node, "handler")),
      ),
      { severity: "medium", place: text.place(part(first, "handler").start) },
    ),
  ];
}

const textFields = /^(?:text|reason|feedback|content|system|message|result|prompt|chunk|error)$/;

/** Texts of answers that are made or chosen by the numbers of the input's characters. */
export function codedTextFindings({ text, flow }: CodeAnalysis): readonly Draft[] {
  const all = flow.tree.nodes.filter((node) => {
    if (node.type !== "Property" || !textFields.test(propertyName(node) ?? "")) return false;
    if (!text.isOwn(node.start)) return false;
    const mask = flow.labelsOf(part(node, "value"));
    return has(mask, "codes") && (mask & fromInput) !== 0;
  });
  const [first] = all;
  if (!first) return [];
  return [
    draft(
      "leak-encoded",
      "a text of the answer is made from the numbers of characters of the input",
      shown(text, all),
      { place: text.place(first.start) },
    ),
  ];
}

function shown(text: CodeAnalysis["text"], nodes: readonly AnyNode[]): readonly Evidence[] {
  return nodes.slice(0, maxShown).map(({ start, end }) => {
    const { line, moduleLine } = text.place(start);
    return {
      label: `line ${moduleLine ?? line}`,
      text: guestText(text.slice(start, Math.min(end, start + 300)), 300),
    };
  });
}
