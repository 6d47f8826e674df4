/** A piece of HTML that is known to be whole and safe. */
export class Markup {
  readonly text: string;

  /** For text that holds markup already and was escaped where it had to be; elsewhere use `markup`. */
  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

/** What may stand in a template: texts are escaped, markup stands as it is, and nothing is nothing. */
export type Part = string | number | Markup | null | undefined | false | readonly Part[];

/**
 * HTML with parts in it. Every text that is put in is made inert, in an attribute as well as between elements;
 * attributes must have quotes.
 *
 * @example
 *     markup`<p class="${kind}">${guestText}</p>`
 */
export function markup(literals: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  let text = literals[0] ?? "";
  for (const [index, part] of parts.entries()) text += rendered(part) + (literals[index + 1] ?? "");
  return new Markup(text);
}

function rendered(part: Part): string {
  if (part === null || part === undefined || part === false) return "";
  if (part instanceof Markup) return part.text;
  if (typeof part === "number") return String(part);
  if (typeof part === "string") return escape(part);
  return part.map(rendered).join("");
}

const entities: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
  ["'", "&#39;"],
]);

/** Everything that is not plainly visible, but line breaks and tabs. */
const hidden = /[[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]--[\t\n]]/gv;

/** Text made inert: nothing in it is markup, and what would hide, or turn what stands beside it, is written out. */
export function escape(text: string): string {
  return text
    .replace(hidden, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)
    .replace(/[&<>"']/g, (character) => entities.get(character) ?? "");
}

/** A text of ours with names in backticks, which become code. */
export function words(text: string): Markup {
  return new Markup(escape(text).replace(/`([^`]*)`/g, "<code>$1</code>"));
}
