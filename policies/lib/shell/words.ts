import { LIST, SOME_HOME, UNKNOWN } from "./marks.ts";
import {
  type Command,
  parse,
  type ParsedScript,
  type SyntaxNode,
  type Word,
  type WordPart,
} from "./parser.ts";

/** What words are expanded with. */
export interface Scope {
  /** Values that a variable may have; absent: not set here. */
  readonly variables: Map<string, readonly string[]>;
  /** Working directory, in the form of `resolvePath`. */
  cwd: string;
  readonly home: string;
  /** Reads a nested script and gives what it prints, with marks. */
  run(script: ParsedScript | undefined): string;
  /** Reads the script of `<( )` or `>( )` and gives the path that stands for it. */
  pipe(part: Extract<WordPart, { type: "ProcessSubstitution" }>): string;
  /** Reads what runs inside a node whose value is not needed. */
  visit(node: SyntaxNode): void;
}

/** The fields that a word becomes, in each way it may go. */
type Ways = readonly (readonly string[])[];

const mostWays = 8;
const mostFields = 256;

/** Expands a word to the fields it may become; where it may go several ways, the fields of all of them. */
export function fieldsOf(word: Word, scope: Scope): readonly string[] {
  return [...new Set(waysOf(word, scope).flat())];
}

/** Expands a word to each list of fields that it may become. */
export function waysOf(word: Word, scope: Scope): Ways {
  if (word.parts === undefined) return [[tilde(word.text, word.value, scope)]];
  return expand(word.parts, scope, 0);
}

/** The texts that a word may be where it is not split into fields: the value of a variable, a here-string. */
export function textsOf(word: Word, scope: Scope): readonly string[] {
  return waysOf(word, scope).map((way) => way.join(" "));
}

/** Expands the text of a here-document. */
export function expandText(parts: readonly WordPart[], scope: Scope): string {
  return parts.map((part) => valuesOf(part, scope)[0] ?? "").join("");
}

function tilde(raw: string, value: string, scope: Scope): string {
  if (!raw.startsWith("~")) return value;
  const slash = value.indexOf("/");
  const user = slash < 0 ? value.slice(1) : value.slice(1, slash);
  const rest = slash < 0 ? "" : value.slice(slash);
  if (user === "") return scope.home + rest;
  if (user === "+") return scope.cwd + rest;
  if (user === "-") return UNKNOWN + rest;
  return (user === "root" ? "/root" : SOME_HOME) + rest;
}

function expand(parts: readonly WordPart[], scope: Scope, depth: number): Ways {
  const brace = parts.findIndex((part) => part.type === "BraceExpansion");
  const braces = parts[brace];
  if (braces !== undefined) return expandBraces(parts, brace, braces.text, scope, depth);
  let ways: Ways = [[""]];
  parts.forEach((part, index) => {
    const values =
      index === 0 && part.type === "Literal" ? [tilde(part.text, part.value, scope)] : valuesOf(part, scope);
    const splits = isSplit(part);
    const next: string[][] = [];
    for (const way of ways)
      for (const value of values) if (next.length < mostWays) next.push(append(way, value, splits));
    ways = next;
  });
  return ways.map((way) => (way.length > 1 ? way.filter((field) => field !== "") : way));
}

/** `a{b,c}d` is `abd acd`; a range such as `{1..9}` is taken for any text. */
function expandBraces(
  parts: readonly WordPart[],
  at: number,
  text: string,
  scope: Scope,
  depth: number,
): Ways {
  const choices = depth < 4 ? braceChoices(text) : [];
  if (choices.length === 0) return [["*"]];
  const fields: string[] = [];
  for (const choice of choices) {
    const middle = partsOfText(choice);
    const all = expand([...parts.slice(0, at), ...middle, ...parts.slice(at + 1)], scope, depth + 1);
    for (const field of all.flat()) if (fields.length < mostFields) fields.push(field);
  }
  return [fields];
}

/** The texts between the commas of a brace expansion; one `*` for a range. */
function braceChoices(text: string): readonly string[] {
  const choices: string[] = [];
  let level = 0;
  let start = 1;
  for (let at = 1; at < text.length; at++) {
    const char = text[at];
    if (char === "\\") at++;
    else if (char === "{") level++;
    else if (char === "}" && level > 0) level--;
    else if ((char === "," || char === "}") && level === 0) {
      choices.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return choices.length > 1 ? choices : ["*"];
}

function partsOfText(text: string): readonly WordPart[] {
  if (text === "") return [];
  const statement = parse(`: ${text}`).commands[0]?.command;
  const word = statement?.type === "Command" ? statement.args[0] : undefined;
  if (word?.type !== "Word") return [];
  return word.parts ?? [{ type: "Literal", pos: 0, end: 0, value: word.value, text: word.text }];
}

/** Whether the value of a part is split into fields at white space. */
function isSplit(part: WordPart): boolean {
  return (
    part.type === "SimpleExpansion" || part.type === "ParameterExpansion" || part.type === "CommandExpansion"
  );
}

function append(way: readonly string[], value: string, splits: boolean): string[] {
  const pieces = value.split(splits ? /[ \t\n\u0004]+/ : LIST, mostFields);
  const [first = "", ...rest] = pieces;
  return [...way.slice(0, -1), (way.at(-1) ?? "") + first, ...rest];
}

function valuesOf(part: WordPart, scope: Scope): readonly string[] {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
    case "Glob":
      return [part.value];
    case "DoubleQuoted":
    case "LocaleString":
      return quotedValues(part.parts, scope);
    case "SimpleExpansion":
      return variable(part.text.slice(1), scope);
    case "ParameterExpansion":
      return parameter(part, scope);
    case "CommandExpansion":
      return [scope.run(part.script)];
    case "ProcessSubstitution":
      return [scope.pipe(part)];
    case "ExtendedGlob":
    case "BraceExpansion":
      return ["*"];
    case "ArithmeticExpansion":
      scope.visit(part);
      return [UNKNOWN];
  }
}

function quotedValues(parts: readonly WordPart[], scope: Scope): readonly string[] {
  let texts: readonly string[] = [""];
  for (const part of parts) {
    const values = valuesOf(part, scope);
    texts = texts.flatMap((text) => values.map((value) => text + value)).slice(0, mostWays);
  }
  return texts;
}

function parameter(part: Extract<WordPart, { type: "ParameterExpansion" }>, scope: Scope): readonly string[] {
  const { operation, prefix, index } = part;
  if (prefix !== undefined) {
    scope.visit(part);
    return [UNKNOWN];
  }
  if (index !== undefined) {
    scope.visit(index);
    const elements = scope.variables.get(part.parameter) ?? [UNKNOWN];
    return index.text === "@" || index.text === "*" ? [elements.join(LIST)] : elements;
  }
  if (operation === undefined) return variable(part.parameter, scope);
  if (operation.type !== "Default") {
    scope.visit(part);
    return [UNKNOWN];
  }
  const known = scope.variables.get(part.parameter);
  const operand = textsOf(operation.operand, scope);
  if (operation.operator.includes("+")) return operand;
  if (operation.operator.includes("?")) return variable(part.parameter, scope);
  const set = known?.filter((value) => value !== "" || !operation.operator.startsWith(":")) ?? [];
  if (set.length > 0) return set;
  if (operation.operator.includes("=")) scope.variables.set(part.parameter, operand);
  return operand;
}

function variable(name: string, scope: Scope): readonly string[] {
  const set = scope.variables.get(name);
  if (set !== undefined) return set;
  const standard = standardVariables.get(name);
  return [standard === undefined ? UNKNOWN : standard(scope)];
}

const standardVariables: ReadonlyMap<string, (scope: Scope) => string> = new Map([
  ["HOME", (scope: Scope) => scope.home],
  ["PWD", (scope: Scope) => scope.cwd],
  ["IFS", () => " "],
  ["TMPDIR", () => "/tmp"],
  ["SHELL", () => "/bin/sh"],
  ["BASH", () => "/bin/bash"],
  ["0", () => "bash"],
]);

/** The words of a simple command, in each way that its name may go. */
export function commandWays(command: Command, scope: Scope): Ways {
  if (command.name === undefined) return [];
  const args = command.args.flatMap((arg) => {
    if (arg.type === "Word") return fieldsOf(arg, scope);
    return arg.value.type === "Word" ? textsOf(arg.value, scope).map((text) => `${arg.name}=${text}`) : [];
  });
  return waysOf(command.name, scope).map((way) => [...way, ...args].slice(0, mostFields * 4));
}
