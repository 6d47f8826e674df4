import { clean } from "../shell/text.ts";

/** A token of a program in any of the usual languages. */
export interface Token {
  /** `command` is a text in backquotes, which some languages run. */
  readonly kind: "name" | "text" | "command" | "number" | "sign" | "end";
  readonly value: string;
}

/** How a language writes comments and raw texts. */
export interface Lexis {
  readonly comments: readonly string[];
  /** Backquotes hold a command, and not a text. */
  readonly backquotes?: "command";
}

export const codeLimits = {
  characters: 16_384,
  tokens: 4_000,
  depth: 40,
  /** Of programs that a parser reads: nesting, nodes, and steps by which their values are followed. */
  nesting: 250,
  nodes: 20_000,
  steps: 20_000,
  calls: 1_000,
} as const;

const name = /[A-Za-z_$@\\][\w$]*(?:(?:\.|::|->|\?\.|\\)\$?[A-Za-z_][\w$]*[?!]?)*/y;
const number = /\d[\w.]*/y;
/** `q{…}`, `qq(…)`, `qx/…/`, `%w[…]`, `%x(…)`. */
const quoteLike = /(?:q[qxw]?|%[qQxwWiI])([{([</|!~])/y;
const closing: ReadonlyMap<string, string> = new Map([
  ["{", "}"],
  ["(", ")"],
  ["[", "]"],
  ["<", ">"],
]);
const escapes: ReadonlyMap<string, string> = new Map([
  ["n", "\n"],
  ["t", "\t"],
  ["r", "\r"],
  ["\n", ""],
]);
const escape = /\\(?:x([0-9a-fA-F]{2})|[uU]\{?([0-9a-fA-F]{4,8})\}?|([0-3]?[0-7]{1,2})|([^]))/g;

/** A text with its escapes replaced. */
export function unescaped(text: string): string {
  return text.replace(escape, (_, two?: string, four?: string, octal?: string, other = "") => {
    if (two === undefined && four === undefined && octal === undefined) return escapes.get(other) ?? other;
    const point = octal === undefined ? Number.parseInt(two ?? four ?? "", 16) : Number.parseInt(octal, 8);
    return point < 0x110000 ? clean(String.fromCodePoint(point)) : "";
  });
}

/** Splits a program into tokens. Whatever it is, something comes out: an unclosed quote is a sign. One pass. */
export function tokensOf(program: string, { comments, backquotes }: Lexis): readonly Token[] {
  const text = program.slice(0, codeLimits.characters);
  const found: Token[] = [];
  for (let at = 0; at < text.length && found.length < codeLimits.tokens;) {
    const char = text[at] ?? "";
    const comment = comments.find((start) => text.startsWith(start, at));
    if (comment !== undefined) at = afterComment(text, at, comment);
    else if (char === "\n" || char === ";") {
      found.push({ kind: "end", value: char });
      at++;
    } else if (/\s/.test(char)) at++;
    else {
      const [token, end] = tokenAt(text, at, backquotes);
      found.push(token);
      at = end;
    }
  }
  return found;
}

function afterComment(text: string, at: number, start: string): number {
  const end = text.indexOf(start === "/*" ? "*/" : "\n", at + start.length);
  return end < 0 ? text.length : start === "/*" ? end + 2 : end;
}

function tokenAt(text: string, at: number, backquotes: Lexis["backquotes"]): readonly [Token, number] {
  const like = matched(quoteLike, text, at);
  if (like !== null) {
    const open = like[1] ?? "";
    const end = text.indexOf(closing.get(open) ?? open, at + like[0].length);
    if (end > 0) {
      const kind = /x/.test(like[0]) ? "command" : "text";
      return [{ kind, value: text.slice(at + like[0].length, end) }, end + 1];
    }
  }
  const prefix = matched(/[rbfuRBFU]{1,2}(?=["'])/y, text, at)?.[0] ?? "";
  const quote = text[at + prefix.length] ?? "";
  if (/["'`]/.test(quote)) {
    const found = quotedAt(text, at + prefix.length, /r/i.test(prefix));
    if (found !== undefined) {
      const kind = quote === "`" && backquotes === "command" ? "command" : "text";
      return [{ kind, value: found.value }, found.end];
    }
  }
  const word = matched(name, text, at)?.[0];
  if (word !== undefined)
    return [{ kind: "name", value: word.replace(/::|->|\?\.|(?<=.)\\/g, ".") }, at + word.length];
  const digits = matched(number, text, at)?.[0];
  if (digits !== undefined) return [{ kind: "number", value: digits }, at + digits.length];
  return [{ kind: "sign", value: text[at] ?? "" }, at + 1];
}

function matched(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** A text in quotes, with its escapes replaced; `undefined` where the quote is not closed. */
function quotedAt(text: string, at: number, raw: boolean): { value: string; end: number } | undefined {
  const one = text[at] ?? "";
  const quote = one !== "`" && text.startsWith(one.repeat(3), at) ? one.repeat(3) : one;
  const start = at + quote.length;
  for (let place = start; place < text.length; place++) {
    if (text.startsWith(quote, place)) {
      const value = text.slice(start, place);
      return { value: raw ? value : unescaped(value), end: place + quote.length };
    }
    if (text[place] === "\\") place++;
  }
  return undefined;
}
