/**
 * A program, reduced to what decides which files, hosts and commands it uses: the same form for every language that has
 * a parser.
 */
export type Code =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "list"; readonly items: readonly Code[] }
  | { readonly kind: "record"; readonly entries: readonly (readonly [key: Code, value: Code])[] }
  /** A text with values in it. */
  | { readonly kind: "filled"; readonly parts: readonly Code[] }
  | { readonly kind: "join"; readonly operator: string; readonly left: Code; readonly right: Code }
  | { readonly kind: "name"; readonly name: string }
  /** What a module exports, by its whole name: an import. */
  | { readonly kind: "module"; readonly name: string }
  | { readonly kind: "member"; readonly of: Code; readonly key: Code }
  | {
      readonly kind: "call";
      readonly callee: Code;
      readonly args: readonly Code[];
      readonly named: readonly (readonly [name: string, value: Code])[];
    }
  | { readonly kind: "assign"; readonly target: Code; readonly value: Code; readonly operator?: string }
  /** A loop, or a comprehension, over the items of a value. */
  | { readonly kind: "loop"; readonly target: Code; readonly over: Code; readonly body: Code }
  | FunctionCode
  | { readonly kind: "return"; readonly value: Code }
  /** One of two values. */
  | { readonly kind: "either"; readonly first: Code; readonly second: Code }
  | { readonly kind: "reversed"; readonly of: Code }
  /** One after another; its value is that of the last one. */
  | { readonly kind: "block"; readonly parts: readonly Code[] }
  /** Too deep to be read. */
  | { readonly kind: "unread" };

export interface FunctionCode {
  readonly kind: "function";
  readonly name?: string;
  readonly params: readonly Code[];
  readonly body: Code;
}

/** A program as its parser reads it. */
export interface Parsed {
  readonly code: Code;
  /** Whether all of it follows the grammar. */
  readonly whole: boolean;
}

export const none: Code = { kind: "block", parts: [] };

export function text(value: string): Code {
  return { kind: "text", text: value };
}

export function name(value: string): Code {
  return { kind: "name", name: value };
}

/** Some code after another: a block only where there is more than one. */
export function block(parts: readonly Code[]): Code {
  return parts.length === 1 && parts[0] !== undefined ? parts[0] : { kind: "block", parts };
}

/** Values in the order of a tuple: one alone stands for itself. */
export function tuple(items: readonly Code[]): Code {
  return items.length === 1 && items[0] !== undefined ? items[0] : { kind: "list", items };
}
