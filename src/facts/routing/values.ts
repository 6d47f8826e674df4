import { hostFactOf } from "../host-fact.ts";
import { type FactName, factNames } from "../table.ts";

/** What conditions are tested on: the fields of an event, and its facts. */
export interface Routed {
  readonly fields: { readonly [field: string]: unknown };
  readonly facts: { valueOf(name: FactName): object };
}

/** The values at a path. */
export interface Values {
  readonly known: readonly unknown[];
  /** Whether there may be others, which are not known. */
  readonly more: boolean;
}

const names: ReadonlySet<string> = new Set(factNames);

/**
 * The values at a path, such as `tool_input.command` or `facts.shell.commands.*.name`.
 *
 * @param listed whether a list of a fact counts as complete
 */
export function valuesAt(path: readonly string[], { fields, facts }: Routed, listed: boolean): Values {
  if (path[0] !== "facts") return { known: walk(fields, path), more: false };
  const [, name = "", ...inner] = path;
  const isHosts = name === "host";
  if (!isHosts && !names.has(name)) return { known: [], more: true };
  const rest = isHosts ? inner.slice(1) : inner;
  const fact = (isHosts ? hostFactOf(fields, inner[0] ?? "") : facts.valueOf(name as FactName)) as {
    ok: boolean;
    complete?: boolean;
  };
  if (rest[0] === "ok") return { known: [fact.ok], more: false };
  if (!fact.ok) return { known: [], more: true };
  const found = walk(fact, rest);
  // `null`, and words with parts that are not known.
  const known = found.filter((value) => value !== null && typeof value !== "object");
  const list = !listed && rest.includes("*") && fact.complete === false;
  return { known, more: known.length < found.length || list };
}

/** The values at a path in a value. */
export function walk(value: unknown, path: readonly string[]): readonly unknown[] {
  let values: unknown[] = [value];
  for (const name of path) {
    const next: unknown[] = [];
    for (const one of values) {
      if (typeof one !== "object" || one === null) continue;
      if (!Array.isArray(one)) {
        if (Object.hasOwn(one, name)) next.push((one as { [key: string]: unknown })[name]);
      } else if (name === "*") for (const element of one) next.push(element);
      else if (/^\d+$/.test(name) && Number(name) < one.length) next.push(one[Number(name)]);
    }
    values = next;
  }
  return values;
}
