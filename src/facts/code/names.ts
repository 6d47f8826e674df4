import type { Call } from "./calls.ts";
import { constantOf, nothing, type Value } from "./values.ts";

/** Most items that are looked at one by one. */
export const mostItems = 32;

/** Functions whose texts are looked at by people or compared, and not run. */
export const harmless =
  /(?:^|\.)(?:print|log|info|warn|warning|error|debug|write|writelines|append|add|push|replace|replaceAll|sub|match|search|test|findall|startswith|endsWith|startsWith|includes|index|indexOf|find|count|split|join|format|strip|dumps|loads|parse|stringify|get|setdefault|add_argument|describe|it|expect|assert\w*|Error|Exception|\w+Error|write_text|writeFileSync|writeFile|appendFile|appendFileSync|input|len|str|encode|decode|compile|raises|exit)$/;
/** What a loop goes over. */
export function itemsOf({ list, fields, text }: Value): readonly Value[] {
  if (list !== undefined && list.length > 0) return list.slice(0, mostItems);
  if (fields !== undefined && fields.size > 0)
    return [...fields.keys()].slice(0, mostItems).map((key) => ({ text: key }));
  return text !== undefined && text.length <= mostItems
    ? [...text].map((char) => ({ text: char }))
    : [nothing];
}

/** A name that the program does not set itself. */
export function named(name: string): Value {
  const constant = constantOf(name);
  return constant === nothing ? { name } : constant;
}

/** The named arguments, and the fields of records among the others, as JavaScript has them. */
export function namedOf(
  args: readonly Value[],
  options: readonly (readonly [string, Value])[],
): ReadonlyMap<string, Value> {
  return new Map([...args.flatMap(({ fields }) => [...(fields ?? [])]), ...options]);
}

/** Functions that find other ones by their names. */
export function reflected({ name, args }: Call): Value | undefined {
  const [first, second] = args;
  if (/^(?:require|__import__|(?:importlib\.)?import_module|(?:process\.)?getBuiltinModule)$/.test(name)) {
    const module = first?.text?.replace(/^node:/, "").replaceAll("/", ".");
    return module === undefined ? nothing : { name: module };
  }
  if (name === "Java.type") return first?.text === undefined ? nothing : { name: first.text };
  if (name === "getattr" || name === "Reflect.get")
    return first?.name === undefined || second?.text === undefined
      ? nothing
      : { name: `${first.name}.${second.text}` };
  return undefined;
}
