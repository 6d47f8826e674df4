import { type Node, parse } from "acorn";
import { full } from "acorn-walk";
import { wordsOf } from "@hookwarden/testing/mutate";
import type { ProgramText } from "./text.ts";

const maxWords = 60;

/** The words that stand in a hook's own code: texts, parts of templates, and what its regular expressions match. */
export function ownWords(text: ProgramText): readonly string[] {
  const found = new Set<string>();
  const add = (word: string): void => {
    if (word.length >= 3 && word.length <= 80 && word.isWellFormed() && !/^[A-Z][A-Za-z]+$/.test(word))
      found.add(word);
  };
  full(parse(text.source, { ecmaVersion: "latest", sourceType: "module" }), (node: Node) => {
    if (!text.isOwn(node.start)) return;
    const { value, regex } = node as Node & {
      readonly value?: unknown;
      readonly regex?: { readonly pattern: string; readonly flags: string };
    };
    if (node.type === "Literal" && regex) for (const word of wordsOf(regex.pattern, regex.flags)) add(word);
    else if (node.type === "Literal" && typeof value === "string") add(value);
    else if (node.type === "TemplateElement")
      add((value as { readonly cooked?: string } | undefined)?.cooked ?? "");
  });
  // Odd ones first: marks that nobody writes by chance.
  return [...found]
    .sort((a, b) => Number(/[\d_#@!-]/.test(b)) - Number(/[\d_#@!-]/.test(a)))
    .slice(0, maxWords);
}

/** Names of properties that a hook's own code asks for, or takes apart. */
export function propertyNames(text: ProgramText): readonly string[] {
  const found = new Set<string>();
  full(parse(text.source, { ecmaVersion: "latest", sourceType: "module" }), (node: Node) => {
    if ((node.type !== "MemberExpression" && node.type !== "Property") || !text.isOwn(node.start)) return;
    const { property, key, computed } = node as unknown as {
      property?: Named;
      key?: Named;
      computed: boolean;
    };
    const name = property ?? key;
    if (name?.type === "Identifier" && !computed && name.name !== undefined) found.add(name.name);
    else if (typeof name?.value === "string") found.add(name.value);
  });
  return [...found].filter((name) => !(name in Object.prototype)).slice(0, 300);
}

interface Named {
  readonly type: string;
  readonly name?: string;
  readonly value?: unknown;
}
