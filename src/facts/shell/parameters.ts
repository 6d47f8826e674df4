import type { Scope } from "./scope.ts";
import type { Word, WordPart } from "./syntax.ts";
import { EMPTY_LIST, isUnknown, LIST, unknown } from "./text.ts";

type Expansion = Extract<WordPart, { type: "ParameterExpansion" }>;
type Operation = NonNullable<Expansion["operation"]>;

interface Parameter {
  readonly name: string;
  readonly quoted: boolean;
  readonly part?: Expansion;
}

/** The values that an expansion of a parameter may have. */
export function parameterValues({ name, quoted, part }: Parameter, scope: Scope): readonly string[] {
  if (part === undefined) return plain(name, quoted, scope);
  const { operation, prefix, index } = part;
  if (prefix !== undefined) {
    scope.visit(part);
    const [value, ...others] = scope.state.valuesOf(name);
    const isLength = prefix === "#" && index === undefined && others.length === 0;
    // Beyond ASCII, the locale decides what a character is.
    const isCounted = value !== undefined && isPlain(value) && /^[\0-\x7f]*$/.test(value);
    return isLength && isCounted && /^\w+$/.test(name) && !/^\d*$/.test(name)
      ? [String(value.length)]
      : [unknown("a", "", true)];
  }
  if (index !== undefined) {
    scope.visit(index);
    if (operation !== undefined) {
      scope.visit(part);
      return [unknown("a", "", true)];
    }
    const values = element(name, index.text, scope);
    return quoted && index.text === "*" ? values.map((value) => oneWord(value, name, scope)) : values;
  }
  if (operation === undefined) return plain(name, quoted, scope);
  if (operation.type === "Default") return defaulted(name, operation, scope, quoted);
  scope.visit(part);
  // A shell without such operations ends.
  if (scope.state.plain && operation.type !== "Remove") {
    scope.state.ended.shell = true;
    return [unknown("a", "", true)];
  }
  const values = plain(name, quoted, scope);
  return values.map((value) => transformed(value, operation) ?? unknown("a", name, name === "@"));
}

/** Whether a value is one known text. */
function isPlain(value: string): boolean {
  return !isUnknown(value) && !value.includes(LIST) && value !== EMPTY_LIST;
}

function plain(name: string, quoted: boolean, { state, home }: Scope): readonly string[] {
  const values = state.variables.get(name);
  if (values !== undefined) {
    // `"$*"` is one word.
    if (name === "*" && quoted) return values.map((value) => state.joined(value));
    return values.map((value) => firstElement(name, value));
  }
  if (name === "HOME") return [home];
  if (name === "PWD") return [state.directory];
  if (name === "IFS") return [" \t\n"];
  return state.valuesOf(name);
}

/** An array without an index is its first element. */
function firstElement(name: string, value: string): string {
  if (name === "@" || name === "*") return value;
  return value === EMPTY_LIST ? "" : (value.split(LIST)[0] ?? "");
}

/** The elements of an array as one word. */
function oneWord(value: string, name: string, { state }: Scope): string {
  return isUnknown(value) && !value.includes(LIST) ? unknown("v", name) : state.joined(value);
}

function element(name: string, index: string, { state }: Scope): readonly string[] {
  const values = state.variables.get(name);
  if (values === undefined) return [unknown("v", name, true)];
  if (index === "@" || index === "*")
    return values.map((value) =>
      isUnknown(value) && !value.includes(LIST) ? unknown("v", name, true) : value,
    );
  if (!/^\d{1,4}$/.test(index)) return [unknown("v", name)];
  return values.map((value) =>
    value === EMPTY_LIST || isUnknown(value) ? unknown("v", name) : (value.split(LIST)[Number(index)] ?? ""),
  );
}

function defaulted(
  name: string,
  operation: Extract<Operation, { type: "Default" }>,
  scope: Scope,
  quoted: boolean,
): readonly string[] {
  const { state } = scope;
  const { operator } = operation;
  const known = state.variables.has(name) || ["HOME", "PWD", "IFS"].includes(name);
  const values = plain(name, quoted, scope);
  const isEmpty = (value: string): boolean | null => {
    if (!operator.startsWith(":")) return false;
    if (isUnknown(value)) return value.replace(/\uFDD0[^\uFDD1]*\uFDD1/g, "") === "" ? null : false;
    return value === "" || value === EMPTY_LIST;
  };
  // Whether the operand takes the place of each value; otherwise its commands do not run either.
  const isAlternative = operator.endsWith("+");
  const replaced = values.map((value) => {
    const empty = known ? isEmpty(value) : null;
    return empty === null ? null : empty !== isAlternative;
  });
  const operand = operandOf(operation.operand, replaced, scope).map((text) =>
    quoted || !/\s/.test(text) ? text : unknown("a", "", true),
  );
  if (operator.endsWith("?")) state.ended.shell = true;
  const results = values.flatMap((value, at): readonly string[] => {
    if (operator.endsWith("?")) return [value];
    const own = isAlternative ? "" : value;
    return replaced[at] === null ? [own, ...operand] : replaced[at] ? operand : [own];
  });
  if (operator.endsWith("=")) state.assign(name, results);
  return [...new Set(results)];
}

/** The texts of an operand that is read only where a value is replaced by it. */
function operandOf(word: Word, replaced: readonly (boolean | null)[], scope: Scope): readonly string[] {
  if (replaced.every((one) => one === false)) return [];
  if (replaced.every((one) => one === true)) return scope.texts(word);
  let texts: readonly string[] = [];
  const before = scope.state.clone();
  scope.perhaps(() => (texts = scope.texts(word)));
  scope.state.join(before);
  return texts;
}

/** What an operation makes of a value; `undefined` if that is not known. */
function transformed(value: string, operation: Operation): string | undefined {
  if (!isPlain(value)) return undefined;
  if (operation.type === "Remove") {
    const { operator, operand } = operation;
    if (operand.parts !== undefined && !operand.parts.every(({ type }) => type === "SingleQuoted"))
      return undefined;
    const text = operand.value;
    if (/[\\*?[]/.test(operand.text)) return undefined;
    if (operator.startsWith("#")) return value.startsWith(text) ? value.slice(text.length) : value;
    return value.endsWith(text) ? value.slice(0, value.length - text.length) : value;
  }
  if (operation.type === "Slice") {
    const numbers = [operation.offset, operation.length].map((word) => word?.text.trim());
    if (!/^\d{1,6}$/.test(numbers[0] ?? "") || !/^\d{1,6}$/.test(numbers[1] ?? "0")) return undefined;
    const from = Number(numbers[0]);
    const chars = [...value];
    return chars.slice(from, numbers[1] === undefined ? undefined : from + Number(numbers[1])).join("");
  }
  if (operation.type === "CaseModification" && operation.operand === undefined && /^[ -~]*$/.test(value)) {
    const { operator } = operation;
    if (operator === "^^") return value.toUpperCase();
    if (operator === ",,") return value.toLowerCase();
    const [first = "", ...rest] = value;
    return (operator === "^" ? first.toUpperCase() : first.toLowerCase()) + rest.join("");
  }
  return undefined;
}
