import { resultOf } from "./results.ts";
import { constantOf, joined, nothing, somethingElse, type Value } from "./values.ts";
import { codeLimits, type Token } from "./tokens.ts";

/** A call of a function, in whatever language. */
export interface Call {
  /** The name as written, with dots: `fs.promises.writeFile`. */
  readonly name: string;
  /** What a method is called on. */
  readonly receiver: Value;
  readonly args: readonly Value[];
  readonly named: ReadonlyMap<string, Value>;
}

/** The calls of a program, and its texts. */
export interface Reading {
  readonly calls: readonly Call[];
  /** The texts of all expressions. */
  readonly texts: readonly string[];
  /** Texts in backquotes. */
  readonly commands: readonly string[];
  /** Texts that a function gets which may run them as command lines. */
  readonly lines: readonly string[];
  /** Whether all of the program was read. */
  readonly whole: boolean;
}

const folding: ReadonlySet<string> = new Set(["+", ".", "/", "%", "~"]);

/** Reads the calls of a program from its tokens, with what is put together from constant texts. */
export function callsOf(tokens: readonly Token[], isFunction: (name: string) => boolean): Reading {
  return new Reader(tokens, isFunction).read();
}

class Reader {
  readonly #tokens: readonly Token[];
  readonly #isFunction: (name: string) => boolean;
  readonly #variables = new Map<string, Value>();
  readonly #calls: Call[] = [];
  readonly #texts: string[] = [];
  readonly #commands: string[] = [];
  #at = 0;

  constructor(tokens: readonly Token[], isFunction: (name: string) => boolean) {
    this.#tokens = tokens;
    this.#isFunction = isFunction;
  }

  read(): Reading {
    while (this.#at < this.#tokens.length) {
      const before = this.#at;
      this.#expression(0);
      if (this.#at === before) this.#at++;
    }
    const texts = this.#texts;
    return { calls: this.#calls, texts, commands: this.#commands, lines: texts, whole: true };
  }

  #peek(ahead = 0): Token | undefined {
    return this.#tokens[this.#at + ahead];
  }

  #isSign(value: string, ahead = 0): boolean {
    const token = this.#peek(ahead);
    return token?.kind === "sign" && token.value === value;
  }

  /** An expression: texts that are joined by an operator are one text. */
  #expression(depth: number): Value {
    let value = this.#primary(depth);
    for (let next = this.#peek(); next?.kind === "sign" && folding.has(next.value); next = this.#peek()) {
      const operator = next.value;
      this.#at++;
      if (this.#isSign(operator)) this.#at++;
      value = joined(value, this.#primary(depth), operator);
    }
    if (value.text !== undefined) this.#texts.push(value.text);
    return value;
  }

  #primary(depth: number): Value {
    const token = this.#peek();
    if (token === undefined || depth > codeLimits.depth) return nothing;
    if (token.kind === "end") return nothing;
    if (token.kind === "text") return this.#text(token.value, depth);
    this.#at++;
    if (token.kind === "command") {
      this.#commands.push(this.#filled(token.value));
      return nothing;
    }
    if (token.kind === "number") return { text: token.value };
    if (token.kind === "name") return this.#postfix(this.#name(token.value, depth), depth);
    if (token.value === "(" || token.value === "[" || token.value === "{") {
      const { args } = this.#arguments(depth);
      const [only] = args;
      return this.#postfix(
        token.value === "(" && args.length === 1 && only !== undefined ? only : { list: args },
        depth,
      );
    }
    return nothing;
  }

  /** Texts that stand one after another are one, as in C and Python. */
  #text(first: string, depth: number): Value {
    this.#at++;
    let text = this.#filled(first);
    for (let next = this.#peek(); next?.kind === "text"; next = this.#peek()) {
      text += this.#filled(next.value);
      this.#at++;
    }
    return this.#postfix({ text }, depth);
  }

  /** Puts variables into a text: `${x}`, `#{x}`, `{x}`, `$x`. */
  #filled(text: string): string {
    if (!/[${]/.test(text)) return text;
    return text.replace(
      /[$#]?\{([A-Za-z_][\w.]*)\}|\$([A-Za-z_]\w*)/g,
      (whole, braced?: string, plain?: string) => {
        const key = braced ?? plain ?? "";
        const known = (this.#variables.get(key) ?? this.#variables.get(`$${key}`))?.text;
        if (known !== undefined) return known;
        return whole.startsWith("{") ? whole : somethingElse;
      },
    );
  }

  #name(name: string, depth: number): Value {
    if (
      /^(?:new|await|return|print|my|our|let|const|var|local|yield|if|and|or|not|in|raise|throw)$/.test(
        name,
      ) &&
      !this.#isSign("(")
    )
      return this.#expression(depth + 1);
    if (this.#isSign("(")) {
      this.#at++;
      return this.#call(name, nothing, this.#arguments(depth));
    }
    if (this.#isSign("=") && !this.#isSign("=", 1) && !this.#isSign(">", 1) && !this.#isSign("~", 1)) {
      this.#at++;
      const value = this.#expression(depth + 1);
      this.#variables.set(name, this.#variables.has(name) ? nothing : value);
      return nothing;
    }
    const next = this.#peek();
    // `system "rm"`, `open F, ">x"`, `unlink $file`
    if (
      this.#isFunction(name) &&
      next !== undefined &&
      (next.kind === "text" || (next.kind === "name" && !this.#isFunction(next.value)) || this.#isSign("["))
    )
      return this.#call(name, nothing, this.#bareArguments(depth));
    return this.#variables.get(name) ?? constantOf(name);
  }

  /** `.method(…)` and `[index]` behind a value. */
  #postfix(start: Value, depth: number): Value {
    let value = start;
    for (;;) {
      const next = this.#peek(1);
      if (
        (this.#isSign(".") || this.#isSign("-")) &&
        (this.#isSign(">", 1) || (next?.kind === "name" && this.#isSign("(", 2)))
      ) {
        this.#at += this.#isSign(">", 1) ? 2 : 1;
        const name = this.#peek();
        if (name?.kind !== "name") return value;
        this.#at++;
        if (!this.#isSign("(")) continue;
        this.#at++;
        value = this.#call(name.value, value, this.#arguments(depth));
      } else if (this.#isSign("[") && value.text === undefined && value.list === undefined) {
        this.#at++;
        this.#arguments(depth);
      } else return value;
    }
  }

  #call(name: string, receiver: Value, { args, named }: Pick<Call, "args" | "named">): Value {
    // `p.write_text(…)` where `p` is a variable, and `"x".join(…)`.
    const dot = name.lastIndexOf(".");
    const owner = dot < 0 ? undefined : this.#variables.get(name.slice(0, dot));
    const target = owner ?? receiver;
    this.#calls.push({ name, receiver: target, args, named });
    return resultOf(name.slice(dot + 1), target, args);
  }

  /** The arguments up to the closing bracket. */
  #arguments(depth: number): Pick<Call, "args" | "named"> {
    const args: Value[] = [];
    const named = new Map<string, Value>();
    while (this.#at < this.#tokens.length) {
      const token = this.#peek();
      if (token?.kind === "sign" && /[)\]}]/.test(token.value)) {
        this.#at++;
        break;
      }
      if (
        token?.kind === "end" ||
        this.#isSign(",") ||
        this.#isSign(":") ||
        this.#isSign("=") ||
        this.#isSign(">")
      ) {
        this.#at++;
        continue;
      }
      const before = this.#at;
      const isNamed =
        token?.kind === "name" && (this.#isSign("=", 1) || this.#isSign(":", 1)) && !this.#isSign("=", 2);
      if (isNamed) this.#at += 2;
      const value = this.#expression(depth + 1);
      if (isNamed) named.set(token.value, value);
      else if (this.#at > before) args.push(value);
      if (this.#at === before) this.#at++;
    }
    return { args, named };
  }

  /** The arguments up to the end of the line, of a call without brackets. */
  #bareArguments(depth: number): Pick<Call, "args" | "named"> {
    const args: Value[] = [];
    for (;;) {
      args.push(this.#expression(depth + 1));
      if (!this.#isSign(",")) return { args, named: new Map() };
      this.#at++;
    }
  }
}
