import { namedSecrets } from "./named.ts";
import { normalized } from "./normalized.ts";
import { markedTokens, ownTokens } from "./own-rules.ts";
import { entropyOf, isPlaceholder, isWords } from "./placeholders.ts";
import { curlLogins, passwordsInAddresses, privateKeys } from "./shapes.ts";
import type { ExtraSecret, Secret, TokenRule } from "./rules.ts";
import { vendorTokens } from "./vendor-rules.ts";

const tokensByStart = new Map<string, TokenRule[]>();
for (const rule of [...ownTokens, ...vendorTokens]) {
  for (const start of rule.starts) {
    const rules = tokensByStart.get(start) ?? [];
    rules.push(rule);
    tokensByStart.set(start, rules);
  }
}

/** Finds the secrets of a text, in order, without overlaps. */
export function findSecrets(text: string, extra: readonly ExtraSecret[] = []): readonly Secret[] {
  const found = matchesOf(text, extra).toSorted((a, b) => a.start - b.start || b.end - a.end);
  let end = 0;
  return found.filter((secret) => {
    if (secret.start < end) return false;
    end = secret.end;
    return true;
  });
}

/**
 * Everything in a text that looks like a secret, in no order, overlaps included. A text with look-alike or invisible
 * characters is searched in its plain form, too.
 */
export function matchesOf(text: string, extra: readonly ExtraSecret[]): readonly Secret[] {
  const found = inText(text, extra);
  const plain = normalized(text);
  if (plain === undefined) return found;
  const more = inText(plain.text, extra).map(({ kind, start, end }) => ({
    kind,
    start: plain.offsets[start] ?? text.length,
    end: (plain.offsets[end - 1] ?? text.length - 1) + 1,
  }));
  return [...found, ...more];
}

function inText(text: string, extra: readonly ExtraSecret[]): readonly Secret[] {
  return [
    ...privateKeys(text),
    ...passwordsInAddresses(text),
    ...curlLogins(text),
    ...tokens(text),
    ...namedSecrets(text),
    ...extra.flatMap((item) => extraMatches(text, item)),
  ];
}

/** Runs of characters that tokens are made of. A shorter one is no token. */
const run = /[A-Za-z0-9_:][A-Za-z0-9_\-.~+/=:%|]{9,}/g;
/** Where a token may begin in a run, besides its start: not inside a word, nor inside base64 or a file name. */
const divider = /[=:/|]/g;
const joins = /[A-Za-z0-9+.%-]/;
/** Schemes of `Authorization`, whose token stands after a blank. */
const scheme = /(?<![A-Za-z0-9])(?:bearer|basic|token) {1,4}$/i;

/** Tokens by their beginnings: each run of the text is looked at once, at the places where a word begins in it. */
function tokens(text: string): readonly Secret[] {
  const found: Secret[] = [];
  run.lastIndex = 0;
  for (let match = run.exec(text); match !== null; match = run.exec(text)) {
    const [word] = match;
    const { index } = match;
    if (!joins.test(text[index - 1] ?? "")) found.push(...present(tokenAt(text, index)));
    const before = text[index - 1] === " " ? scheme.exec(text.slice(Math.max(0, index - 12), index)) : null;
    if (before !== null) found.push(...present(tokenAt(text, index - before[0].length)));
    divider.lastIndex = 0;
    for (let place = divider.exec(word); place !== null; place = divider.exec(word)) {
      const secret =
        tokenAt(text, index + place.index + 1) ??
        (place[0] === ":" ? tokenAt(text, index + place.index) : undefined);
      if (secret === undefined) continue;
      found.push(secret);
      divider.lastIndex = Math.max(place.index + 1, secret.end - index);
    }
  }
  return [...found, ...marked(text), ...putty(text)];
}

function present(secret: Secret | undefined): readonly Secret[] {
  return secret === undefined ? [] : [secret];
}

/** Lines of a key of PuTTY, which have no beginning of their own. */
function putty(text: string): readonly Secret[] {
  const header = "Private-Lines: ";
  const found: Secret[] = [];
  for (let at = text.indexOf(header); at >= 0; at = text.indexOf(header, at + 1)) {
    found.push(...present(tokenAt(text, at)));
  }
  return found;
}

function tokenAt(text: string, at: number): Secret | undefined {
  const start = text.slice(at, at + 3).toLowerCase();
  return tried(text, at, tokensByStart.get(start)) ?? tried(text, at, tokensByStart.get(start.slice(0, 2)));
}

function tried(text: string, at: number, rules: readonly TokenRule[] | undefined): Secret | undefined {
  for (const { kind, pattern, entropy, check } of rules ?? []) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match === null) continue;
    const [whole, group = whole] = match;
    if (entropyOf(group) < entropy || isPlaceholder(group) || isWords(group)) continue;
    if (check !== undefined && !check(group)) continue;
    const start = at + whole.lastIndexOf(group);
    return { kind, start, end: start + group.length };
  }
  return undefined;
}

function marked(text: string): readonly Secret[] {
  const found: Secret[] = [];
  for (const { kind, mark, before, pattern } of markedTokens) {
    for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) {
      const lead = before.exec(text.slice(Math.max(0, at - 40), at))?.[0];
      if (lead === undefined) continue;
      pattern.lastIndex = at;
      const match = pattern.exec(text);
      if (match === null || isPlaceholder(lead + match[0])) continue;
      found.push({ kind, start: at - lead.length, end: at + match[0].length });
    }
  }
  return found;
}

const tokenPart = /[A-Za-z0-9_-]/;

function extraMatches(text: string, { kind, prefix, length }: ExtraSecret): readonly Secret[] {
  const found: Secret[] = [];
  for (let at = text.indexOf(prefix); at >= 0; at = text.indexOf(prefix, at + prefix.length)) {
    let end = at + prefix.length;
    while (end < text.length && end - at < 1_000 && tokenPart.test(text[end] ?? "")) end++;
    if (end - at - prefix.length >= length) found.push({ kind, start: at, end });
  }
  return found;
}
