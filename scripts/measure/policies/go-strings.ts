/** Reads the string expressions of Go sources that list examples of secrets. */
import fc from "fast-check";

const patterns: { readonly [name: string]: (size: string) => string } = {
  Numeric: (size) => `[0-9]{${size}}`,
  Hex: (size) => `[a-f0-9]{${size}}`,
  AlphaNumeric: (size) => `[a-z0-9]{${size}}`,
  AlphaNumericExtendedShort: (size) => `[a-z0-9_-]{${size}}`,
  AlphaNumericExtended: (size) => `[a-z0-9=_\\-]{${size}}`,
  AlphaNumericExtendedLong: (size) => `[a-z0-9/=_+\\-]{${size}}`,
  Hex8_4_4_4_12: () => "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
};

/** A text that a pattern matches, the same for the same pattern. */
function sampleOf(pattern: string): string {
  const source = pattern
    .replace(/^\(\?i\)|\\b/g, "")
    .replace(/\[\[:alnum:\]\]/g, "[A-Za-z0-9]")
    .replace(/\[a-z0-9\]/g, "[A-Za-z0-9]");
  const texts = fc.stringMatching(new RegExp(`^(?:${source})$`));
  // fast-check prefers repetitive texts; generated secrets are not.
  const samples = fc.sample(texts, { numRuns: 30, seed: 11 });
  return samples.reduce((best, text) => (new Set(text).size > new Set(best).size ? text : best), "");
}

/** The value of an expression of literals, `+`, `secrets.NewSecret` and `fmt.Sprintf`; `undefined` for anything else. */
export function goString(expression: string): string | undefined {
  let rest = expression.trim();
  let value = "";
  while (rest !== "") {
    const part = literal(rest) ?? generated(rest) ?? formatted(rest);
    if (part === undefined) return undefined;
    value += part.value;
    rest = rest.slice(part.length).trim();
    if (rest.startsWith("+")) rest = rest.slice(1).trim();
    else if (rest !== "") return undefined;
  }
  return value;
}

interface Part {
  readonly value: string;
  readonly length: number;
}

function literal(text: string): Part | undefined {
  const match = /^(?:`([^`]*)`|"((?:[^"\\\n]|\\.)*)")/.exec(text);
  if (match === null) return undefined;
  return { value: match[1] ?? unescaped(match[2] ?? ""), length: match[0].length };
}

function unescaped(text: string): string {
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return text;
  }
}

function generated(text: string): Part | undefined {
  const match = /^secrets\.NewSecret(?:WithEntropy)?\(/.exec(text);
  if (match === null) return undefined;
  const { inside, length } = argumentsOf(text, match[0].length);
  const [pattern] = inside;
  const named = /^utils\.(\w+)\((?:"([^"]*)")?\)$/.exec(pattern ?? "");
  const source = named === null ? goString(pattern ?? "") : patterns[named[1] ?? ""]?.(named[2] ?? "");
  return source === undefined ? undefined : { value: sampleOf(source), length };
}

function formatted(text: string): Part | undefined {
  const match = /^fmt\.Sprintf\(/.exec(text);
  if (match === null) return undefined;
  const { inside, length } = argumentsOf(text, match[0].length);
  const [format, ...values] = inside.map(goString);
  if (format === undefined || values.includes(undefined)) return undefined;
  let next = 0;
  return { value: format.replace(/%[sdq]/g, () => values[next++] ?? ""), length };
}

/** The arguments of a call whose parenthesis opens before `from`, and the length of the text up to its end. */
function argumentsOf(
  text: string,
  from: number,
): { readonly inside: readonly string[]; readonly length: number } {
  const inside: string[] = [];
  let depth = 0;
  let start = from;
  for (let at = from; at < text.length; at++) {
    const quoted = literal(text.slice(at));
    if (quoted !== undefined) at += quoted.length - 1;
    else if (text[at] === "(") depth++;
    else if ((text[at] === "," || text[at] === ")") && depth === 0) {
      inside.push(text.slice(start, at).trim());
      start = at + 1;
      if (text[at] === ")") return { inside: inside.filter((item) => item !== ""), length: at + 1 };
    } else if (text[at] === ")") depth--;
  }
  return { inside, length: text.length };
}

/** The items of a list: expressions between commas, comments taken out. */
export function goItems(body: string): readonly string[] {
  return argumentsOf(`${withoutComments(body)})`, 0).inside;
}

function withoutComments(body: string): string {
  return body
    .split("\n")
    .map((line) => line.replace(/^\s*\/\/.*$/, "").replace(/\s\/\/ [^"`]*$/, ""))
    .join("\n");
}

/** The text between the brace or parenthesis at `open` and its partner. */
export function goBlock(text: string, open: number): string {
  const [from, to] = text[open] === "{" ? ["{", "}"] : ["(", ")"];
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    const quoted = literal(text.slice(at));
    if (quoted !== undefined) at += quoted.length - 1;
    else if (text[at] === from) depth++;
    else if (text[at] === to && --depth === 0) return text.slice(open + 1, at);
  }
  return text.slice(open + 1);
}
