import { h } from "./dom.ts";

/** Everything that is not plainly visible, but line breaks and tabs. */
const hidden = /[[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]--[\t\n]]/gv;

/**
 * A text from a hook or an event, made to be seen: characters that hide, or turn what stands beside them, are shown as
 * their code points, each in a mark of its own.
 */
export function sanitizeText(text: string): readonly (Node | string)[] {
  const parts: (Node | string)[] = [];
  let end = 0;
  for (const found of text.matchAll(hidden)) {
    if (found.index > end) parts.push(text.slice(end, found.index));
    const code = (found[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
    parts.push(
      h("span", { class: "hidden-character", title: "a character that cannot be seen" }, `U+${code}`),
    );
    end = found.index + found[0].length;
  }
  if (end < text.length) parts.push(text.slice(end));
  return parts;
}
