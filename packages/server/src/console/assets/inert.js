import { h } from "./dom.js";

/**
 * Characters that can change how the text around them is read, or hide text: controls, direction marks, zero-width and
 * tag characters, line separators, variation selectors, private use, and lone surrogates.
 */
const unseen =
  // eslint-disable-next-line no-control-regex, no-misleading-character-class
  /[\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}\ue000-\uf8ff\u{f0000}-\u{10ffff}]|\p{Surrogate}/gu;

/** Longest text that is shown, in characters. */
const longest = 2_000;

/**
 * Words of a hook, a tenant or an event: as text, with whatever cannot be seen named, and set apart from the direction
 * of the text around it.
 *
 * @param {unknown} text
 * @param {number} [most] characters.
 */
export function inert(text, most = longest) {
  const whole = String(text ?? "");
  const shown = whole.length > most ? whole.slice(0, most) : whole;
  const box = h("bdi", { class: "inert" });
  let from = 0;
  for (const { 0: found, index } of shown.matchAll(unseen)) {
    if (index > from) box.append(document.createTextNode(shown.slice(from, index)));
    const code = found.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
    box.append(h("span", { class: "unseen", title: "a character that cannot be seen" }, `U+${code}`));
    from = index + found.length;
  }
  box.append(document.createTextNode(shown.slice(from)));
  if (shown.length < whole.length)
    box.append(h("span", { class: "unseen" }, `${whole.length - shown.length} more characters`));
  return box;
}
