/** Changes to a text, made all at once. At one place: what closes comes before what opens. */
export class Edits {
  readonly #source: string;
  readonly #opens = new Map<number, string[]>();
  readonly #closes = new Map<number, string[]>();
  readonly #afters = new Map<number, string[]>();
  readonly #replaced = new Map<number, { readonly end: number; readonly text: string }>();

  constructor(source: string) {
    this.#source = source;
  }

  /** Before what begins here; what comes first is outermost. */
  open(at: number, text: string): void {
    push(this.#opens, at, text);
  }

  /** Behind what ends here; what comes first is outermost. */
  close(at: number, text: string): void {
    push(this.#closes, at, text);
  }

  /** Right behind a brace or a colon. */
  after(at: number, text: string): void {
    push(this.#afters, at, text);
  }

  replace(start: number, end: number, text: string): void {
    this.#replaced.set(start, { end, text });
  }

  apply(): string {
    const places = new Set([
      ...this.#opens.keys(),
      ...this.#closes.keys(),
      ...this.#afters.keys(),
      ...this.#replaced.keys(),
    ]);
    let text = "";
    let last = 0;
    for (const at of [...places].sort((a, b) => a - b)) {
      if (at < last) continue;
      text += this.#source.slice(last, at);
      last = at;
      text += (this.#closes.get(at) ?? []).toReversed().join("");
      text += (this.#afters.get(at) ?? []).join("");
      text += (this.#opens.get(at) ?? []).join("");
      const replaced = this.#replaced.get(at);
      if (replaced) {
        text += replaced.text;
        last = replaced.end;
      }
    }
    return text + this.#source.slice(last);
  }
}

function push(map: Map<number, string[]>, at: number, text: string): void {
  const list = map.get(at);
  if (list) list.push(text);
  else map.set(at, [text]);
}
