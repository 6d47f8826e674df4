const numbered = /^(.*):(\d+)$/;

/**
 * Places as people write them: `a.jsonl:3, 17, 40, b.jsonl:2`.
 *
 * @param max how many are named; the rest is counted.
 */
export function formatEventRanges(places: readonly string[], max: number): string {
  const parts: string[] = [];
  let file: string | null = null;
  for (const place of places.slice(0, max)) {
    const [, path = null, line = ""] = numbered.exec(place) ?? [];
    parts.push(path !== null && path === file ? line : place);
    file = path;
  }
  const more = places.length - parts.length;
  return `${parts.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
