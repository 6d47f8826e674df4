import type { AnyNode, Literal } from "acorn";
import { globalMember, literalText } from "../nodes.ts";
import { type Report, report, type Rule } from "../rule.ts";
import { nodesOf, type Syntax } from "../syntax.ts";

/** Shortest text that is taken for encoded, in UTF-16 code units. */
const longText = 120;
/** Shortest list of numbers that is taken for encoded text. */
const longList = 40;

/** Long texts of base64 or hexadecimal digits, and lists of character codes. */
export const encodedText: Rule = function* (subject) {
  const texts: AnyNode[] = [...nodesOf(subject, "Literal"), ...nodesOf(subject, "TemplateLiteral")];
  for (const node of texts) {
    const text = literalText(node);
    if (text !== null && text.length >= longText && isEncoded(text)) {
      yield report("encoded-text", node, `a text of ${text.length} characters is encoded`);
    }
  }
  if (!decodes(subject)) return;
  for (const node of nodesOf(subject, "ArrayExpression")) {
    if (node.elements.length >= longList && node.elements.every(isCharacterCode)) {
      yield report(
        "encoded-text",
        node,
        `a list of ${node.elements.length} character codes, and a decoder beside it`,
      );
    }
  }
};

function isEncoded(text: string): boolean {
  const packed = text.replaceAll(/[\r\n]/g, "");
  if (/^(?:[0-9a-f]{2}[ :,]?)+$/i.test(packed)) return entropy(packed) > 2.5;
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(packed)) return false;
  return /[a-z]/.test(packed) && /[A-Z]/.test(packed) && /\d/.test(packed) && entropy(packed) > 4.3;
}

/** Shannon entropy of a text, in bits per character. */
function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

function isCharacterCode(node: AnyNode | null): boolean {
  if (node?.type !== "Literal") return false;
  const { value } = node as Literal;
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 0xffff;
}

function decodes(syntax: Syntax): boolean {
  return nodesOf(syntax, "MemberExpression").some((node) => {
    const member = globalMember(syntax, node);
    return member?.[0] === "String" && /^from(CharCode|CodePoint)$/.test(member[1]);
  });
}

/** Obfuscators call everything by such names. */
const madeUp = /^_0x[0-9a-f]{4,}$/;

/** Names that an obfuscator made. */
export const obfuscatedNames: Rule = function* (subject) {
  const made = new Map<string, AnyNode>();
  for (const node of nodesOf(subject, "Identifier")) {
    if (madeUp.test(node.name) && !made.has(node.name)) made.set(node.name, node);
  }
  const [first] = made.values();
  if (first && made.size >= 4)
    yield report("opaque-source", first, `${made.size} names are those of an obfuscator`);
};

/** Names that mix letters that look alike. */
export const mixedNames: Rule = function* (subject): Generator<Report> {
  const seen = new Set<string>();
  for (const node of nodesOf(subject, "Identifier")) {
    if (seen.has(node.name) || !isMixed(node.name)) continue;
    seen.add(node.name);
    yield report("hidden-character", node, `the name ${escaped(node.name)} mixes letters of several scripts`);
  }
};

function isMixed(name: string): boolean {
  const scripts = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u, /\p{Script=Armenian}/u];
  return scripts.filter((script) => script.test(name)).length > 1;
}

function escaped(name: string): string {
  const letters = Array.from(name.slice(0, 60), (letter) =>
    letter <= "~" ? letter : `\\u{${letter.codePointAt(0)?.toString(16)}}`,
  );
  return `\`${letters.join("")}\``;
}
