import { mapTexts } from "./json-text.ts";
import { findSecrets, matchesOf } from "./secrets/find.ts";
import type { ExtraSecret } from "./secrets/rules.ts";

/** The text with `[redacted: kind]` for each secret; the same text where there is none. */
function redact(text: string, extra: readonly ExtraSecret[]): string {
  let out = "";
  let at = 0;
  for (const { kind, start, end } of findSecrets(text, extra)) {
    out += `${text.slice(at, start)}[redacted: ${kind}]`;
    at = end;
  }
  return at === 0 ? text : out + text.slice(at);
}

/**
 * A JSON value with `[redacted: kind]` for each secret in its texts and keys; the same value where there is none. All
 * texts are searched in one go, and only those are looked at again that a find touches.
 */
export function redacted(value: unknown, extra: readonly ExtraSecret[] = []): unknown {
  const texts: string[] = [];
  mapTexts(value, (text) => {
    texts.push(text);
    return text;
  });
  const touched = touchedBy(texts, extra);
  if (touched.size === 0) return value;
  let index = 0;
  return mapTexts(value, (text) => (touched.has(index++) ? redact(text, extra) : text));
}

/** Places of the texts that a find reaches into, when they stand below each other. */
function touchedBy(texts: readonly string[], extra: readonly ExtraSecret[]): ReadonlySet<number> {
  const finds = matchesOf(texts.join("\n"), extra).toSorted((a, b) => a.start - b.start);
  const touched = new Set<number>();
  let next = 0;
  let reach = -1;
  let offset = 0;
  texts.forEach((text, index) => {
    const end = offset + text.length;
    for (let find = finds[next]; find !== undefined && find.start <= end; find = finds[++next]) {
      reach = Math.max(reach, find.end);
    }
    if (reach > offset) touched.add(index);
    offset = end + 1;
  });
  return touched;
}
