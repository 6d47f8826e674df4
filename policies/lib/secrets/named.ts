import { ownNames } from "./own-rules.ts";
import { entropyOf, isPlaceholder, isRandom } from "./placeholders.ts";
import type { NamedRule, Secret } from "./rules.ts";
import { vendorNames } from "./vendor-rules.ts";

const named: readonly NamedRule[] = [...ownNames, ...vendorNames];
/** Shorter names must be a word of their own: `lob` is a vendor, and a part of `blob`. */
const shortName = 7;

/** A value after an assignment, a colon, an arrow or a comma, in quotes or not. */
const assigned = /[=:>,]["'`\s=]{0,5}([A-Za-z0-9_.=\-+/%~:|]{10,512})/g;
/** What may stand between a name and its value, and what a name is made of. */
const between = new Set("\"'`[]?:=|) \t\r\n");
const nameCharacters = /^[A-Za-z0-9_.\- ]$/;
const longestName = 60;
const words = /[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+/g;

/** Values that are secrets by the name that they are given. */
export function namedSecrets(text: string): readonly Secret[] {
  const found: Secret[] = [];
  assigned.lastIndex = 0;
  for (let match = assigned.exec(text); match !== null; match = assigned.exec(text)) {
    const [whole, value = ""] = match;
    // The value may begin with the name of the next assignment: look again from its inside.
    const inside = value.search(/[=:]/);
    if (inside > 0) assigned.lastIndex = match.index + whole.length - value.length + inside;
    if (!/\d/.test(value)) continue;
    const name = nameBefore(text, match.index);
    if (name.length < 2) continue;
    const start = match.index + whole.length - value.length;
    const listed = whole.length === value.length + 1 && isListing(text, match.index, name);
    const secret = secretOf(name, value.replace(/[.:|]+$/, ""), listed);
    if (secret !== undefined) found.push({ kind: secret.kind, start, end: start + secret.length });
  }
  return found;
}

function secretOf(
  name: string,
  value: string,
  listed: boolean,
): { readonly kind: string; readonly length: number } | undefined {
  const parts = (name.match(words) ?? []).map((word) => word.toLowerCase());
  const flat = parts.join("");
  if (isPlaceholder(value)) return undefined;
  for (const { kind, names, value: form, entropy } of named) {
    if (!names.some((wanted) => (wanted.length < shortName ? parts.includes(wanted) : flat.includes(wanted))))
      continue;
    if (form.test(value) && entropyOf(value) >= entropy) return { kind, length: value.length };
  }
  return listed && isRandom(value) && secretName.test(flat) && !harmlessName.test(flat)
    ? { kind: "secret", length: value.length }
    : undefined;
}

const secretName =
  /(?:secret|token|authorization|passw(?:or)?d|apikey|authkey|accesskey|privatekey|clientkey|credentials?|licensekey|encryptionkey)(?:value|key|string|v?\d)?$/;
const harmlessName = /csrf|xsrf|public|nonce|next|page|continuation|cursor|sync|cancel/;

/** Whether a line is `NAME=value`, as in the output of `env` or a file of settings: only there a value of no form of its own counts. */
function isListing(text: string, equals: number, name: string): boolean {
  const start = equals - name.length;
  return text[equals] === "=" && /^[A-Z][A-Z0-9_]+$/.test(name) && (start <= 0 || text[start - 1] === "\n");
}

/** The name that stands before a place, with what is between them left out. */
function nameBefore(text: string, at: number): string {
  let end = at;
  while (end > 0 && at - end < 6 && between.has(text[end - 1] ?? "")) end--;
  let start = end;
  while (start > 0 && end - start < longestName && nameCharacters.test(text[start - 1] ?? "")) start--;
  return text.slice(start, end).trim();
}
