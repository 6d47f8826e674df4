import { asMany, EMPTY_LIST, globMark, isUnknown, LIST, unknown } from "./text.ts";

interface Field {
  text: string;
  /** A field with quotes stays, even if it is empty. */
  keep: boolean;
}

/** The fields that a word becomes, while its parts are added. */
export class Fields {
  #done: Field[] = [];
  #open: Field | null = null;

  clone(): Fields {
    const copy = new Fields();
    copy.#done = [...this.#done];
    copy.#open = this.#open && { ...this.#open };
    return copy;
  }

  /** Adds a text that is not split; lists such as `"$@"` are. */
  add(text: string, quoted: boolean): void {
    if (text === EMPTY_LIST) return;
    const [first = "", ...rest] = text.replaceAll(EMPTY_LIST, "").split(LIST);
    this.#append(first, quoted);
    for (const element of rest) {
      this.#close();
      this.#append(element, quoted);
    }
  }

  /** Adds the value of an expansion without quotes: it is split, and its patterns stand for file names. */
  split(value: string, separators: string | null): void {
    if (value === EMPTY_LIST) return;
    for (const [index, element] of value.replaceAll(EMPTY_LIST, "").split(LIST).entries()) {
      if (index > 0) this.#close();
      this.#splitOne(element, separators);
    }
  }

  /** The texts of all fields. */
  finish(): readonly string[] {
    this.#close();
    return this.#done.filter(({ text, keep }) => keep || text !== "").map(({ text }) => text);
  }

  #splitOne(value: string, separators: string | null): void {
    const defaults = separators === " \t\n";
    if (separators === null || (!defaults && isUnknown(value))) {
      if (value !== "") this.#append(unknown("a", "", true), false);
      return;
    }
    const hard = [...separators].filter((char) => !/[ \t\n]/.test(char));
    let start = 0;
    for (let at = 0; at < value.length; at++) {
      const char = value[at] ?? "";
      if (!separators.includes(char)) continue;
      if (at > start) this.#append(active(value.slice(start, at)), false);
      else if (hard.includes(char) && this.#open === null) this.#append("", true);
      start = at + 1;
      this.#close();
    }
    if (start < value.length) this.#append(active(value.slice(start)), false);
  }

  #append(text: string, keep: boolean): void {
    this.#open ??= { text: "", keep: false };
    this.#open.text += text;
    this.#open.keep ||= keep;
  }

  #close(): void {
    if (this.#open) this.#done.push(this.#open);
    this.#open = null;
  }
}

/** A value without quotes: its patterns are active, and what is not known may be any number of words. */
function active(value: string): string {
  return asMany(value).replace(/\uFDD0[^\uFDD1]*\uFDD1|\[[^\]]*\]|[*?]/g, (found) =>
    found.startsWith("\uFDD0") ? found : globMark(found),
  );
}
