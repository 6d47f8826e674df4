import type { Run } from "../run/runner.ts";
import { validEvent } from "../run/input.ts";
import { touches } from "../run/touched.ts";
import { isAside } from "./slots.ts";
import { made, type Variant } from "./variant.ts";

type Fields = { readonly [name: string]: unknown };

const max = { added: 6, words: 24 } as const;
/** What a parameter is set to where the code names a type behind its name. */
const ofType: { readonly [type: string]: unknown } = { number: 1, boolean: true, object: {}, string: "x" };

/** The arguments of a tool in another order, and with others that say nothing: what counts is still there. */
export function shapes(base: Run, words: readonly string[]): readonly Variant[] {
  const input = base.input.event["tool_input"];
  if (typeof input !== "object" || input === null || !touches(base, "tool_input.(any)")) return [];
  const fields = input as Fields;
  const more = Array.from({ length: max.added }, (_, at) => [`note${at + 1}`, "x"] as const);
  const all: readonly (readonly [what: string, fields: Fields])[] = [
    ["others first", { [more[0]?.[0] as string]: "x", ...fields }],
    ["in reverse order", Object.fromEntries(Object.entries(fields).reverse())],
    ...more.map(
      (_, at) => [`${at + 1} more`, { ...fields, ...Object.fromEntries(more.slice(0, at + 1)) }] as const,
    ),
    ...words.slice(0, max.words).flatMap((word) => {
      const listed = listedIn(word, fields);
      return listed ? [[`those in \`${word.slice(0, 60)}\``, listed] as const] : [];
    }),
  ];
  return all.flatMap(([to, changed]) => {
    const event = validEvent({ ...base.input.event, tool_input: changed });
    const slot = { kind: "inert" as const, path: "tool_input" };
    return event
      ? [{ slot, from: "(absent)", to, input: made({ ...base.input, event }, base, `arguments: ${to}`) }]
      : [];
  });
}

/** The parameters that a text of the code lists, if it lists all that count; `null` for no such list. */
function listedIn(text: string, fields: Fields): Fields | null {
  const names: readonly string[] = text.match(/[a-z_]\w*/gi) ?? [];
  const known = Object.entries(fields).filter(([name]) => names.includes(name));
  if (known.length === 0 || Object.keys(fields).some((name) => !names.includes(name) && !isAside(name)))
    return null;
  const added = names.flatMap((name, at) => {
    if (name in ofType || name in fields) return [];
    return [[name, ofType[names[at + 1] ?? ""] ?? "x"] as const];
  });
  return added.length === 0 ? null : Object.fromEntries([...known, ...added]);
}
