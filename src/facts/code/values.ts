import { clean, unknown } from "../shell/text.ts";
import type { FunctionCode } from "./tree.ts";

/** What an expression is, as far as the text shows. */
export interface Value {
  /** A text, with marks for what is not known of it. */
  readonly text?: string;
  readonly list?: readonly Value[];
  readonly fields?: ReadonlyMap<string, Value>;
  /** A module, or something of one, by its whole name: `os.path`. */
  readonly name?: string;
  readonly made?: FunctionCode;
}

export const nothing: Value = {};
/** A part that is not known. */
export const somethingElse = unknown("o", "code");
/** A name in the folder that a program looks into. */
export const someName: Value = { text: `./${somethingElse}` };

/** A text that a program makes, without marks. */
export function made(text: string): Value {
  return { text: clean(text) };
}

/** Fills the places of `%s` and of `{}`. */
export function filled(pattern: string, values: readonly Value[], places: RegExp): Value {
  let at = 0;
  const text = pattern.replace(places, (_, index?: string) => {
    const value = values[index === undefined || index === "" ? at++ : Number(index)];
    return value?.text ?? somethingElse;
  });
  return { text };
}

/** Two values with an operator between them: texts are joined, paths with a slash. */
export function joined(left: Value, right: Value, operator: string): Value {
  if (left.list !== undefined && right.list !== undefined) return { list: [...left.list, ...right.list] };
  if (operator === "%" && left.text !== undefined && /%[sdr]/.test(left.text))
    return filled(left.text, right.list ?? [right], /%()[sdr]/g);
  if (operator === "*") return repeated(left, right);
  if (left.text === undefined && right.text === undefined) {
    const names = [left.name, right.name].filter((name) => name !== undefined);
    return operator === "|" && names.length > 0 ? { name: names.join("|") } : nothing;
  }
  const [first, second] = [left.text ?? somethingElse, right.text ?? somethingElse];
  if (first.length + second.length > longest) return nothing;
  if (operator !== "/") return { text: first + second };
  return { text: second.startsWith("/") ? second : `${first.replace(/\/$/, "")}/${second}` };
}

const longest = 16_384;

function repeated(left: Value, right: Value): Value {
  const [text, count] = /^\d+$/.test(left.text ?? "") ? [right, left] : [left, right];
  const times = Number(count.text);
  if (!Number.isInteger(times) || times < 0 || text.text === undefined) return nothing;
  return text.text.length * times > longest ? nothing : { text: text.text.repeat(times) };
}

/** Names that stand for a place. */
export function constantOf(name: string): Value {
  if (/(?:^|\.)(?:env\.HOME|environ\.HOME|homedir)$/.test(name)) return { text: "~" };
  if (/^(?:os|path)\.(?:path\.)?sep$/.test(name)) return { text: "/" };
  return nothing;
}
