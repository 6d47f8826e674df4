import { lookalikes } from "./characters.ts";

/** What a UTF-16 code unit is in a word: 0 if that is not known yet. */
const kinds = new Uint8Array(65_536);
const [space, neutral, latin, lookalike, letter] = [1, 2, 3, 4, 5];

function kindOf(unit: number): number {
  const known = kinds[unit] as number;
  return known === 0 ? (kinds[unit] = classify(String.fromCharCode(unit))) : known;
}

function classify(char: string): number {
  if (lookalikes.has(char)) return lookalike;
  if (/[\p{N}_]/u.test(char)) return neutral;
  if (/[\p{L}\p{M}]/u.test(char)) return /\p{Script=Latin}/u.test(char) ? latin : letter;
  return space;
}

interface Word {
  readonly start: number;
  readonly end: number;
  readonly hasLatin: boolean;
  readonly imitates: boolean;
  /** Whether it has a letter of another script that looks like no Latin one. */
  readonly foreign: boolean;
}

/**
 * Writes Latin letters for those of other scripts that look like them, in words that imitate Latin ones: they mix
 * scripts, or have only such letters and no neighbour that is certainly of another script. The length stays the same.
 */
export function imitationsAsLatin(text: string): string {
  const changes: Word[] = [];
  let previous: Word | null = null;
  let current: Word | null = null;
  const decide = (next: Word | null): void => {
    if (!current?.imitates) return;
    const alone = !current.foreign && !previous?.foreign && !next?.foreign;
    if (current.hasLatin || alone) changes.push(current);
    // A word that belongs to a text in another script: its neighbours do as well.
    else current = { ...current, foreign: true };
  };
  for (let at = 0; at < text.length;) {
    const word = readWord(text, at);
    at = word.end + 1;
    if (word.start === word.end) continue;
    decide(word);
    [previous, current] = [current, word];
  }
  decide(null);
  if (changes.length === 0) return text;
  const parts: string[] = [];
  let done = 0;
  for (const { start, end } of changes) {
    parts.push(text.slice(done, start), asLatin(text.slice(start, end)));
    done = end;
  }
  return parts.join("") + text.slice(done);
}

function readWord(text: string, start: number): Word {
  let [end, hasLatin, imitates, foreign] = [start, false, false, false];
  for (; end < text.length; end++) {
    const kind = kindOf(text.charCodeAt(end));
    if (kind === space) break;
    hasLatin ||= kind === latin;
    imitates ||= kind === lookalike;
    foreign ||= kind === letter;
  }
  return { start, end, hasLatin, imitates, foreign };
}

function asLatin(word: string): string {
  return [...word].map((char) => lookalikes.get(char) ?? char).join("");
}
