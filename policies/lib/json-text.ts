/** Gives a JSON value with every text in it, keys included, put through a function. Unchanged parts stay the same. */
export function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => mapTexts(item, change));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  const entries = Object.entries(value);
  const mapped = entries.map(([key, item]) => [change(key), mapTexts(item, change)] as const);
  const same = mapped.every(
    ([key, item], index) => key === entries[index]?.[0] && item === entries[index]?.[1],
  );
  return same ? value : Object.fromEntries(mapped);
}

/** Every text of a JSON value, keys left out. */
export function textsOf(value: unknown): readonly string[] {
  const found: string[] = [];
  const rest: unknown[] = [value];
  while (rest.length > 0) {
    const item = rest.pop();
    if (typeof item === "string") found.push(item);
    else if (typeof item === "object" && item !== null) rest.push(...Object.values(item).toReversed());
  }
  return found;
}

/** Far less than an answer may have: counting is dear in a sandbox. */
const mostKeys = 2_000;
const longestKey = 256;

/** The value, or its JSON text where an answer cannot carry it: a hook's answer may have so many and so long keys only. */
export function answerable(value: unknown): unknown {
  let keys = 0;
  const fits = (item: unknown): boolean => {
    if (typeof item !== "object" || item === null) return true;
    if (Array.isArray(item)) return item.every(fits);
    return Object.entries(item).every(
      ([key, inner]) => ++keys <= mostKeys && key.length <= longestKey && fits(inner),
    );
  };
  return fits(value) ? value : JSON.stringify(value);
}
