import type { Item } from "./item.ts";
import { type Checkout, filesOf } from "./sources.ts";

/** Shell blocks of documentation: what contributors and agents are asked to type. */
export function* shellBlocks(checkout: Checkout, files: RegExp = /\.(?:md|mdx|rst)$/): Generator<Item> {
  for (const { text } of filesOf(checkout, files)) {
    for (const [, block = ""] of text.matchAll(
      /^ *```(?:sh|bash|shell|console|text-console)\b[^\n]*\n([\s\S]*?)^ *```/gm,
    )) {
      const lines = block.split("\n").map((line) => line.trim());
      const prompts = lines.filter((line) => /^[$%] /.test(line));
      const joined = prompts.length > 0 ? prompts.map((line) => line.slice(2)) : lines;
      for (const line of joined.join("\n").replace(/\\\n/g, " ").split("\n")) {
        if (line !== "" && !line.startsWith("#")) yield { family: "documentation", text: line };
      }
    }
  }
}
