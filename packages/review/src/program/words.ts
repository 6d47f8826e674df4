import { wordsOf } from "@hookwarden/testing/mutate";
import { memberPath, part, parts, propertyName } from "./syntax.ts";
import type { ProgramText } from "./text.ts";

const maxWords = 60;
/** Parts of longer texts. */
const maxPieces = 24;

/** What a pattern matches, and what it must not be followed by: a word that turns it off. */
function patternWords({
  pattern,
  flags,
}: {
  readonly pattern: string;
  readonly flags: string;
}): readonly string[] {
  const negated = [...pattern.matchAll(/\(\?<?!((?:[^()\\]|\\.|\((?:[^()\\]|\\.)*\))*)\)/g)].map(
    ([, inner = ""]) => inner,
  );
  return [pattern, ...negated].flatMap((one) => wordsOf(one, flags));
}

/** Names in the objects that a hook answers with, which are keys of no table. */
const actionParts: ReadonlySet<string> = new Set([
  "action",
  "reason",
  "text",
  "input",
  "value",
  "command",
  "feedback",
  "content",
  "message",
]);

/** The words that stand in a hook's own code: texts, keys of tables, parts of templates, and what its patterns match. */
export function ownWords(text: ProgramText): readonly string[] {
  const found = new Set<string>();
  const pieces = new Set<string>();
  const add = (word: string): void => {
    if (
      (word.length >= 3 || /^(?:[^\x20-\x7e]|[#~^@!%?+]{2}$)/u.test(word)) &&
      word.length <= 80 &&
      word.isWellFormed() &&
      !/^[A-Z][A-Za-z]+$/.test(word)
    )
      found.add(word);
    // A text can be rules in a language of its own.
    for (const piece of word.match(/(?<=^|[\s,;|=:(])[\w#@!~/.-]{2,40}(?=$|[\s,;|=:)])/g) ?? [])
      if (piece !== word && (piece.length > 3 || /[^\w]/.test(piece))) pieces.add(piece);
  };
  for (const node of text.tree.nodes) {
    if (!text.isOwn(node.start)) continue;
    const { value, regex } = node as unknown as {
      readonly value?: unknown;
      readonly regex?: { readonly pattern: string; readonly flags: string };
    };
    if (node.type === "Literal" && regex) for (const word of patternWords(regex)) add(word);
    else if (node.type === "Literal" && typeof value === "string") add(value);
    else if (node.type === "Property" && text.tree.parents.get(node)?.type === "ObjectExpression") {
      const key = propertyName(node);
      if (key !== null && !actionParts.has(key)) add(key);
    } else if (node.type === "TemplateElement")
      add((value as { readonly cooked?: string } | undefined)?.cooked ?? "");
  }
  for (const word of spelledNumbers(text)) add(word);
  // Odd ones first: they are unlikely to be written by chance.
  const byOddness = (all: ReadonlySet<string>): readonly string[] =>
    [...all].sort((a, b) => Number(/[\d_#@!~-]/.test(b)) - Number(/[\d_#@!~-]/.test(a)));
  return [...new Set([...byOddness(found).slice(0, maxWords), ...byOddness(pieces).slice(0, maxPieces)])];
}

/** Whole numbers of a hook's own code. */
export function ownNumbers(text: ProgramText): readonly number[] {
  return integers(text)
    .filter((one) => one > 1 && one < 2 ** 31)
    .slice(0, 30);
}

function integers(text: ProgramText): readonly number[] {
  const found = new Set<number>();
  for (const node of text.tree.nodes)
    if (node.type === "Literal" && Number.isInteger(node["value"]) && text.isOwn(node.start))
      found.add(node["value"] as number);
  return [...found];
}

/** Numbers of the code as words, in the bases that it reads words in: in base 36, every word is a number. */
function spelledNumbers(text: ProgramText): readonly string[] {
  const bases = new Set(
    text.tree.nodes.flatMap((node) => {
      if (node.type !== "CallExpression" || !text.isOwn(node.start)) return [];
      const base = /\b(?:parseInt|toString)$/.test(memberPath(part(node, "callee")))
        ? parts(node, "arguments").at(-1)?.["value"]
        : null;
      return typeof base === "number" && base > 16 && base <= 36 ? [base] : [];
    }),
  );
  return [...bases].flatMap((base) =>
    integers(text)
      .map((one) => one.toString(base))
      .filter((word) => /^[a-z]{3,}$/.test(word)),
  );
}

/** Names of properties that a hook's own code asks for, or takes apart. What it calls is no data. */
export function propertyNames(text: ProgramText): readonly string[] {
  const found = new Set<string>();
  const called = new Set<unknown>(
    text.tree.nodes.map((node) => (node.type === "CallExpression" ? node["callee"] : undefined)),
  );
  for (const node of text.tree.nodes) {
    if (called.has(node)) continue;
    if ((node.type !== "MemberExpression" && node.type !== "Property") || !text.isOwn(node.start)) continue;
    const { property, key, computed } = node as unknown as {
      property?: Named;
      key?: Named;
      computed: boolean;
    };
    const name = property ?? key;
    if (name?.type === "Identifier" && !computed && name.name !== undefined) found.add(name.name);
    else if (typeof name?.value === "string") found.add(name.value);
  }
  return [...found].filter((name) => !(name in Object.prototype)).slice(0, 300);
}

interface Named {
  readonly type: string;
  readonly name?: string;
  readonly value?: unknown;
}
