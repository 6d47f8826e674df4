/** A module as a function that evaluates it: its text, and the expression that is its default export. */
export interface Factory {
  readonly body: string;
  readonly result: string;
}

/** The first syntax error of a text that is compiled as a module, with its place; `null` if there is none. */
export type Compile = (source: string) => { readonly message: string } | null;

/** Most `export`s that are rewritten; each takes one more compilation of the text. */
const maxExports = 32;

/**
 * The text of a module whose default export is a function that evaluates the program's module with its own
 * `globalThis`. The first line is the host's, so that positions in the program need an offset of one line.
 */
export function factoryModule({ body, result }: Factory): string {
  return `Object.freeze(import.meta);export default function (globalThis) {\n${body}\n;return ${result};}`;
}

/**
 * Makes a factory of a module without imports that compiles as it stands. There is no parser here but the engine's: the
 * text is compiled inside a function, where `export` is a syntax error, and the place of that error is where the next
 * export is. `export` is then taken away, or turned into a declaration that names the default export.
 *
 * In the end the body is compiled as a module by itself. It can hold no brace that closes the function then, whatever it
 * was made of: what follows the function's text is a part of the function or a syntax error.
 *
 * @returns `null` for a module that cannot be made into a function: one with `await` at its top level, a `globalThis` of
 * its own, or an export that is written in an unusual way.
 */
export function factoryOf(source: string, compile: Compile): Factory | null {
  const name = unusedName(source);
  let factory: Factory = { body: source.replace(/^#!/, "//"), result: "undefined" };
  for (let exports = 0; exports <= maxExports; exports++) {
    const error = compile(factoryModule(factory));
    if (error === null) return compile(factory.body) === null ? factory : null;
    const at = placeOfExport(error.message, factory.body);
    const next = at === null ? null : withoutExport(factory, at, name);
    if (next === null) return null;
    factory = next;
  }
  return null;
}

/** A name for the default export that the text does not contain. As long as `default`, so that columns do not move. */
function unusedName(source: string): string {
  for (let count = 0; ; count++) {
    const name = `$${String(count).padStart(7, "0")}`;
    if (!source.includes(name)) return name;
  }
}

/** Index of the `export` that the engine stumbled over; `null` where that was not the error. */
function placeOfExport(message: string, text: string): number | null {
  const found = /^Unexpected token 'export' \[[^[\]]*:(\d+):(\d+)\]$/.exec(message);
  if (!found) return null;
  const lineEnd = /\r\n|[\n\r\u2028\u2029]/g;
  for (let line = 1; line < Number(found[1]); line++) if (!lineEnd.exec(text)) return null;
  const at = lineEnd.lastIndex + Number(found[2]) - 1;
  return text.startsWith("export", at) ? at : null;
}

const identifier = String.raw`[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*`;
const wordEnd = String.raw`(?![\p{ID_Continue}$\\])`;
const patterns = {
  list: /export\s*\{([^{}]*)\}/uy,
  declaration: /export(?=\s+(?:const|let|var|function|class|async)\b)/uy,
  default: /export\s+default\b/uy,
  /** What is behind `export default`: the keyword of a declaration, if it is one, and its name. */
  declared: new RegExp(
    `(?:((?:async[ \\t]+)?function${wordEnd}(?:\\s*\\*)?|class${wordEnd})\\s*(?:(?!extends\\b)(${identifier})${wordEnd})?)?`,
    "uy",
  ),
  unclear: /async\s*\//uy,
  specifier: new RegExp(`(${identifier})(?:\\s+as\\s+(${identifier}))?$`, "uy"),
};

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** Index of what follows white space and comments. */
function skipSpace(text: string, at: number): number {
  for (;;) {
    at += matchAt(/\s*/uy, text, at)![0].length;
    if (text.startsWith("//", at)) at += matchAt(/[^\n\r\u2028\u2029]*/uy, text, at)![0].length;
    else if (text.startsWith("/*", at)) at = text.indexOf("*/", at + 2) + 2;
    else return at;
    if (at < 2) return text.length;
  }
}

/** Rewrites the `export` at an index; `null` where it is not known how. */
function withoutExport({ body, result }: Factory, at: number, name: string): Factory | null {
  const replace = (old: string, text: string): string =>
    body.slice(0, at) + text + body.slice(at + old.length);
  const names = matchAt(patterns.list, body, at);
  if (names) {
    const local = defaultOf(names[1]!);
    return local === null ? null : { body: replace(names[0], blank(names[0])), result: local ?? result };
  }
  const declaration = matchAt(patterns.declaration, body, at);
  if (declaration) return { body: replace(declaration[0], blank(declaration[0])), result };
  const head = matchAt(patterns.default, body, at)?.[0];
  if (head === undefined) return null;
  const start = skipSpace(body, at + head.length);
  if (matchAt(patterns.unclear, body, start)) return null;
  const [rest = "", keyword, declared] = matchAt(patterns.declared, body, start) ?? [];
  if (declared !== undefined) return { body: replace(head, blank(head)), result: declared };
  if (keyword === undefined)
    return { body: replace(head, `;let ${name}=${blank(head).slice(14)}`), result: name };
  const unnamed = body.slice(at + head.length, start) + rest.trimEnd();
  return { body: replace(head + unnamed, `${blank(head)}${unnamed} ${name}`), result: name };
}

/** The local name in a list of exports that is the default one: `undefined` for none, `null` where it cannot be read. */
function defaultOf(names: string): string | undefined | null {
  let local: string | undefined;
  for (const one of names.split(",").map((text) => text.trim())) {
    if (one === "") continue;
    const found = matchAt(patterns.specifier, one, 0);
    if (!found) return null;
    if (found[2] === "default") local = found[1];
  }
  return local;
}

/** As many characters and lines that mean nothing. The semicolon keeps what follows from joining the statement before. */
function blank(text: string): string {
  return `;${text.slice(1).replace(/\S/g, " ")}`;
}
