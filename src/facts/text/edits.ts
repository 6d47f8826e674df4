import type { TextEdit } from "./row.ts";

/** Writes a text of which pieces are replaced, and keeps where they were. */
export class Rewriter {
  readonly #source: string;
  readonly #parts: string[] = [];
  readonly #edits: [number, number, number, number, number][] = [];
  /** Length of what is written. */
  #length = 0;
  /** Up to where the source is written. */
  #done = 0;
  /** The last replacement. It is not written yet, since what follows may combine with it. */
  #last: { readonly start: number; readonly end: number; readonly text: string } | null = null;

  constructor(source: string) {
    this.#source = source;
  }

  /** The character before an index as it will be written, and where its original starts. */
  before(index: number): { readonly start: number; readonly text: string } {
    if (this.#last?.end === index) return this.#last;
    const start = index - (index > 1 && isPair(this.#source, index - 2) ? 2 : 1);
    return start < this.#done
      ? { start: index, text: "" }
      : { start, text: this.#source.slice(start, index) };
  }

  /** Replaces a piece. Pieces come in order; one that starts where the last one started replaces it. */
  replace(start: number, end: number, text: string): void {
    if (this.#last?.start === start) this.#last = null;
    this.#flush();
    this.#last = { start, end, text };
  }

  finish(): { readonly text: string; readonly edits: readonly TextEdit[] } {
    this.#flush();
    if (this.#done === 0) return { text: this.#source, edits: [] };
    this.#parts.push(this.#source.slice(this.#done));
    return { text: this.#parts.join(""), edits: this.#edits };
  }

  #flush(): void {
    if (!this.#last) return;
    const { start, end, text } = this.#last;
    this.#last = null;
    if (start > this.#done) this.#parts.push(this.#source.slice(this.#done, start));
    this.#length += start - this.#done;
    if (text.length !== end - start) this.#note(start, end - start, text.length);
    this.#parts.push(text);
    this.#length += text.length;
    this.#done = end;
  }

  #note(from: number, original: number, length: number): void {
    const last = this.#edits.at(-1);
    if (
      last &&
      last[1] === length &&
      last[3] === original &&
      last[2] + original * last[4] === from &&
      last[0] + length * last[4] === this.#length
    )
      last[4]++;
    else this.#edits.push([this.#length, length, from, original, 1]);
  }
}

function isPair(text: string, at: number): boolean {
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(at, at + 2));
}
