/** How many letters and digits in a row, the same as in a masked value, count as a piece of it. */
const pieceLength = 6;
/** The same for encoded forms, which look like words by chance more often. */
const encodedPieceLength = 8;
/** Values with fewer letters and digits are looked for as they are: in pieces they would be everywhere. */
const shortest = 4;
/** Above so many characters of masked values nothing of a text is kept: looking for pieces would cost too much. */
const mostCharacters = 8_192;

/**
 * Finds pieces of masked values in texts that hooks wrote: whole or cut, in other case, width or spacing, backwards,
 * in base64, hexadecimal or percent encoding. What a hook makes of a value in other ways is not found.
 */
export class Fragments {
  private readonly pieces = new Map<number, Set<string>>();
  /** Values that are looked for as they are. */
  private readonly shorts: readonly string[];
  private readonly tooMany: boolean;

  constructor(values: readonly string[]) {
    this.tooMany = values.reduce((sum, { length }) => sum + length, 0) > mostCharacters;
    this.shorts = this.tooMany
      ? []
      : values.filter((value) => value !== "" && fold(value).text.length < shortest);
    if (this.tooMany) return;
    for (const value of values) {
      const folded = fold(value).text;
      if (folded.length < shortest) continue;
      this.add(folded, pieceLength);
      this.add([...folded].toReversed().join(""), pieceLength);
      const bytes = Buffer.from(value);
      for (const encoded of [
        bytes.toString("base64"),
        bytes.toString("hex"),
        encodeURIComponent(value.toWellFormed()),
      ]) {
        this.add(fold(encoded).text, encodedPieceLength);
      }
    }
  }

  /** The text with `mask` in place of every piece; `mask` alone where no piece can be told from the rest. */
  mask(text: string, mask: string): string {
    if (text === "") return text;
    if (this.tooMany) return mask;
    if (this.shorts.some((value) => text.includes(value))) return mask;
    const folded = fold(text);
    const hit = new Uint8Array(folded.text.length);
    for (const [length, set] of this.pieces) {
      for (let at = 0; at + length <= folded.text.length; at++) {
        if (set.has(folded.text.slice(at, at + length))) hit.fill(1, at, at + length);
      }
    }
    return cut(text, folded.at, hit, mask);
  }

  private add(folded: string, most: number): void {
    const length = Math.min(folded.length, most);
    let set = this.pieces.get(length);
    if (!set) this.pieces.set(length, (set = new Set()));
    for (let at = 0; at + length <= folded.length; at++) set.add(folded.slice(at, at + length));
  }
}

/** Letters and digits only, in small letters and one width, and where in the text each of them came from. */
function fold(text: string): { readonly text: string; readonly at: readonly number[] } {
  let folded = "";
  const at: number[] = [];
  let index = 0;
  for (const character of text) {
    const plain = character
      .normalize("NFKD")
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]/gu, "");
    for (let unit = 0; unit < plain.length; unit++) at.push(index);
    folded += plain;
    index += character.length;
  }
  return { text: folded, at };
}

function cut(text: string, at: readonly number[], hit: Uint8Array, mask: string): string {
  let out = "";
  let done = 0;
  for (let start = hit.indexOf(1); start >= 0; start = hit.indexOf(1, start)) {
    let end = start;
    while (hit[end] === 1) end++;
    const last = at[end - 1] as number;
    const from = at[start] as number;
    if (from >= done) out += text.slice(done, from) + mask;
    done = last + String.fromCodePoint(text.codePointAt(last) as number).length;
    start = end;
  }
  return out + text.slice(done);
}
