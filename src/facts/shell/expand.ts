import { braceChoices } from "./braces.ts";
import { Fields } from "./fields.ts";
import { parameterValues } from "./parameters.ts";
import type { Scope } from "./scope.ts";
import { parse, type Word, type WordPart } from "./syntax.ts";
import { EMPTY_LIST, globMark, isMany, LIST, unknown, UNKNOWN, withoutGlobs } from "./text.ts";

/** The lists of fields that words may become. */
export type Ways = readonly (readonly string[])[];

const mostWays = 8;
const mostFields = 512;
const mostBraces = 64;
/** Characters of the values of words that count as one node. */
const charactersOfNode = 16;

/** Expands a word as an argument: to each list of fields that it may become. */
export function waysOf(word: Word, scope: Scope): Ways {
  if (word.parts === undefined) return [[tildeOfArgument(word.text, word.value, scope)]];
  scope.spend(word.parts.length);
  const alternatives = expand(word.parts, scope, 0).map((fields) => fields.finish());
  spendCharacters(alternatives.flat(), scope);
  return distinctWays(alternatives);
}

/** Expands several words, one after another. */
export function waysOfWords(words: readonly Word[], scope: Scope): Ways {
  scope.spend(words.length);
  let ways: string[][] = [[]];
  for (const word of words) {
    const next = waysOf(word, scope);
    const [only = []] = next;
    if (next.length === 1) for (const way of ways) way.push(...only);
    else if (ways.length * next.length > mostWays) for (const way of ways) way.push(merged(next));
    else ways = ways.flatMap((way) => next.map((more) => [...way, ...more]));
  }
  return ways.map((way) =>
    way.length <= mostFields ? way : [...way.slice(0, mostFields), unknown("a", "", true)],
  );
}

/** Bash expands `~` in arguments of the form `name=~/x` too. */
function tildeOfArgument(raw: string, value: string, scope: Scope): string {
  const name = /^[A-Za-z_]\w*=(?=~)/.exec(raw)?.[0];
  if (name === undefined) return tilde(raw, value, scope);
  return name + tildes(raw.slice(name.length), value.slice(name.length), scope);
}

/** Expands a word where it is not split: an assignment, a here-string. */
export function textsOf(word: Word, scope: Scope): readonly string[] {
  if (word.parts === undefined) return [tildes(word.text, word.value, scope)];
  return textsOfParts(word.parts, scope, true);
}

/** Expands the text of a here-document, or what double quotes hold. */
export function textsOfParts(parts: readonly WordPart[], scope: Scope, tilded = false): readonly string[] {
  let texts: readonly string[] = [""];
  for (const part of parts) {
    const literal = tilded && part.type === "Literal" ? [tildes(part.text, part.value, scope)] : null;
    const values = literal ?? valuesOf(part, scope, true).map((value) => withoutGlobs(value));
    texts =
      texts.length * values.length <= mostWays
        ? texts.flatMap((text) => values.map((value) => text + value))
        : texts.map((text) => text + UNKNOWN);
  }
  spendCharacters(texts, scope);
  return texts.map((text) => flat(text));
}

/** Counts long values as nodes: variables that contain each other grow exponentially. */
function spendCharacters(texts: readonly string[], scope: Scope): void {
  const characters = texts.reduce((sum, text) => sum + text.length, 0);
  if (characters >= charactersOfNode) scope.spend(Math.floor(characters / charactersOfNode));
}

/** A list as one text, as in `x=$@`. */
function flat(text: string): string {
  return text.replaceAll(EMPTY_LIST, "").replaceAll(LIST, " ");
}

function merged(ways: Ways): string {
  return unknown(
    "a",
    "",
    ways.some((way) => way.length !== 1 || isMany(way[0] ?? "")),
  );
}

function distinctWays(ways: Ways): Ways {
  const seen = new Map(ways.map((way) => [JSON.stringify(way), way]));
  return [...seen.values()];
}

/** A home directory for `~`, `~+` and `~user` at the start of a word. */
function tilde(raw: string, value: string, { home, state }: Scope): string {
  const prefix = /^~([^/\\'"]*)(?=\/|$)/.exec(raw);
  if (prefix === null) return value;
  const [whole, user = ""] = prefix;
  const rest = value.slice(whole.length);
  if (user === "") return (state.variables.get("HOME")?.[0] ?? home) + rest;
  if (user === "+") return state.directory + rest;
  if (user === "-") return unknown("v", "OLDPWD") + rest;
  return (user === "root" ? "/root" : unknown("u", user)) + rest;
}

/** The same where a list of paths may stand, as in `PATH=~/a:~/b`. */
function tildes(raw: string, value: string, scope: Scope): string {
  if (!raw.includes("~")) return value;
  if (raw !== value) return tilde(raw, value, scope);
  return value
    .split(":")
    .map((path) => tilde(path, path, scope))
    .join(":");
}

function expand(parts: readonly WordPart[], scope: Scope, depth: number): readonly Fields[] {
  const brace = parts.findIndex((part) => part.type === "BraceExpansion");
  if (brace >= 0) return expandBraces(parts, brace, scope, depth);
  let ways: readonly Fields[] = [new Fields()];
  const separators = scope.state.separators;
  parts.forEach((part, index) => {
    const first = index === 0 && part.type === "Literal" && (parts.length === 1 || part.text.includes("/"));
    const values = first ? [tilde(part.text, part.value, scope)] : valuesOf(part, scope, false);
    const usable = ways.length * values.length <= mostWays ? values : [UNKNOWN];
    ways = usable.flatMap((value) =>
      ways.map((way) => {
        const fields = usable.length === 1 ? way : way.clone();
        if (isSplit(part)) fields.split(value, separators);
        else fields.add(value, isQuoted(part));
        return fields;
      }),
    );
  });
  return ways;
}

/** `a{b,c}d` is `abd acd`. */
function expandBraces(
  parts: readonly WordPart[],
  at: number,
  scope: Scope,
  depth: number,
): readonly Fields[] {
  const choices = depth < 4 ? braceChoices(parts[at]?.text ?? "") : null;
  const all = new Fields();
  const before = parts.slice(0, at);
  const after = parts.slice(at + 1);
  const usable = choices !== null && choices.length <= mostBraces && !scope.state.plain;
  if (!usable || choices.length * productOf(after) > mostFields) {
    all.add(unknown("a", "", true), false);
    return [all];
  }
  scope.spend(choices.length * parts.length);
  let single = true;
  const fields = choices.flatMap((choice) => {
    const ways = expand([...before, ...partsOfText(choice), ...after], scope, depth + 1);
    if (ways.length > 1) single = false;
    return ways.flatMap((way) => way.finish());
  });
  if (!single || fields.length > mostFields) all.add(unknown("a", "", true), false);
  else all.add(fields.length === 0 ? EMPTY_LIST : fields.join(LIST), true);
  return [all];
}

/** How many fields the braces of a word make together, at least. */
function productOf(parts: readonly WordPart[]): number {
  const braces = parts.filter(({ type }) => type === "BraceExpansion");
  return braces.reduce((product, { text }) => product * (braceChoices(text)?.length ?? 1), 1);
}

/** Characters that mean nothing else in any place of a word. */
const plainText = /^[\w.,:/@%+-]*$/;

function partsOfText(text: string): readonly WordPart[] {
  if (plainText.test(text)) return [literal(text, text)];
  const statement = parse(`: x${text}`).commands[0]?.command;
  const word = statement?.type === "Command" ? statement.args[0] : undefined;
  if (word?.type !== "Word") return [];
  const { parts = [literal(word.text, word.value)] } = word;
  const [head, ...rest] = parts;
  return head?.type === "Literal" ? [literal(head.text.slice(1), head.value.slice(1)), ...rest] : parts;
}

function literal(text: string, value: string): WordPart {
  return { type: "Literal", pos: 0, end: 0, text, value };
}

/** Whether the value of a part is split into fields. */
function isSplit(part: WordPart): boolean {
  return (
    part.type === "SimpleExpansion" || part.type === "ParameterExpansion" || part.type === "CommandExpansion"
  );
}

function isQuoted({ type }: WordPart): boolean {
  return (
    type === "SingleQuoted" || type === "DoubleQuoted" || type === "AnsiCQuoted" || type === "LocaleString"
  );
}

function valuesOf(part: WordPart, scope: Scope, quoted: boolean): readonly string[] {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
      return [part.value];
    case "AnsiCQuoted":
      return [scope.state.plain ? UNKNOWN : part.value];
    case "Glob":
      return [globMark(part.value)];
    case "DoubleQuoted":
      return quotedValues(part.parts, scope);
    case "LocaleString":
      return quotedValues(part.parts, scope);
    case "SimpleExpansion":
      return parameterValues({ name: part.text.slice(1), quoted }, scope);
    case "ParameterExpansion":
      return parameterValues({ name: part.parameter, quoted, part }, scope);
    case "CommandExpansion":
      return scope.run(part);
    case "ProcessSubstitution":
      return [scope.pipe(part)];
    case "ExtendedGlob":
      scope.visit(part);
      return [globMark(part.text)];
    case "BraceExpansion":
      // Where no braces are expanded, they are text.
      return [part.text];
    case "ArithmeticExpansion":
      scope.visit(part);
      return [UNKNOWN];
  }
}

function quotedValues(parts: readonly WordPart[], scope: Scope): readonly string[] {
  let texts: readonly string[] = [""];
  for (const part of parts) {
    const values = valuesOf(part, scope, true);
    texts =
      texts.length * values.length <= mostWays
        ? texts.flatMap((text) => values.map((value) => text + value))
        : texts.map((text) => text + UNKNOWN);
  }
  return texts;
}
