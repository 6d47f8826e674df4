import { unreadable } from "./execution.ts";
import { textsOf, textsOfParts, type Ways, waysOf } from "./expand.ts";
import type { Input, Redirect } from "./invocation.ts";
import type { Scope } from "./scope.ts";
import type { Redirection } from "./syntax.ts";
import { UNKNOWN } from "./text.ts";

/** Where redirections lead; one for each target that a word may mean. */
export function redirectsOf(scope: Scope, nodes: readonly Redirection[]): readonly Redirect[] {
  return nodes.flatMap((node) => {
    if (node.type !== "Redirect" || node.target === undefined) return [];
    const { descriptor, operator } = node;
    const number = descriptor?.type === "FileDescriptor" ? descriptor.value : undefined;
    const usual = operator.startsWith("<") ? 0 : 1;
    const shown = number === undefined || number === usual ? operator : `${number}${operator}`;
    const ways: Ways = waysOf(node.target, scope);
    return ways.map((way) => ({ operator: shown, target: way.length === 1 ? (way[0] ?? "") : UNKNOWN }));
  });
}

/** What a command reads, as far as its redirections say; `undefined` where they do not. */
export function inputOf(scope: Scope, nodes: readonly Redirection[]): Input | undefined {
  let input: Input | undefined;
  for (const node of nodes) {
    if (node.type === "HereString") {
      const texts = node.target ? textsOf(node.target, scope) : [];
      input = { text: texts.length === 1 ? `${texts[0]}\n` : undefined, from: [] };
    } else if (node.type === "HereDoc") {
      const { parts, text } = node.body;
      const texts = parts === undefined ? [text] : textsOfParts(parts, scope);
      input = { text: texts.length === 1 ? texts[0] : undefined, from: [] };
    } else if (node.operator.startsWith("<")) input = unreadable;
  }
  return input;
}
