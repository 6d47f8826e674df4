import { type Node, parse } from "acorn";
import { wordsOf } from "./regex-words.ts";

/** What a script compares its input with, as far as its text shows it. */
export interface Tokens {
  /** In the order of the script, as often as they stand there. */
  readonly texts: readonly string[];
  readonly numbers: ReadonlySet<number>;
}

/** Longest text that is put into an event. */
const maxTextLength = 400;
/** Largest number that is taken for a length. */
const maxLength = 1e9;

/** Reads the texts, the numbers and the regular expressions of a script from its syntax tree. Runs nothing of it. */
export function tokensOf(source: string): Tokens {
  const texts: string[] = [];
  const numbers = new Set<number>();
  const addText = (text: string): void => {
    if (text !== "" && text.length <= maxTextLength && text.isWellFormed()) texts.push(text);
  };
  for (const node of nodesOf(source)) {
    if (node.type === "TemplateElement") {
      addText((node as unknown as { value: { cooked: string | null } }).value.cooked ?? "");
    } else if (node.type === "Property") {
      const { key, computed } = node as unknown as {
        key: { type: string; name?: string };
        computed: boolean;
      };
      // Tables by name, such as `{ mkfs: … }`.
      if (!computed && key.type === "Identifier") addText(key.name ?? "");
    } else if (node.type === "Literal") {
      const { value, regex } = node as unknown as {
        value: unknown;
        regex?: { pattern: string; flags: string };
      };
      if (regex) for (const word of wordsOf(regex.pattern, regex.flags)) addText(word);
      else if (typeof value === "string") addText(value);
      else if (typeof value === "number" && Math.abs(value) <= maxLength) numbers.add(value);
    }
  }
  return { texts, numbers };
}

/** The texts and numbers that stand in configuration. */
export function tokensOfJson(json: string): Tokens {
  const texts: string[] = [];
  const numbers = new Set<number>();
  JSON.parse(json, (_, value: unknown) => {
    if (typeof value === "string" && value !== "" && value.length <= maxTextLength) texts.push(value);
    if (typeof value === "number" && Math.abs(value) <= maxLength) numbers.add(value);
    return value;
  });
  return { texts, numbers };
}

function* nodesOf(source: string): Generator<Node> {
  let tree: Node;
  try {
    tree = parse(source, { ecmaVersion: "latest", sourceType: "module" });
  } catch {
    // A script that does not parse is a fault of every call, which the comparison shows by itself.
    return;
  }
  const waiting: unknown[] = [tree];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (Array.isArray(value)) waiting.push(...(value as unknown[]).toReversed());
    else if (typeof value === "object" && value !== null && "type" in value) {
      yield value as Node;
      waiting.push(
        ...Object.values(value)
          .filter((part) => typeof part === "object")
          .toReversed(),
      );
    }
  }
}
