import type { Node } from "acorn";
import type { ReviewCode, Severity } from "../codes.ts";
import type { AnyNode } from "./syntax.ts";

/** Takes a construct that deserves a look. */
export type Report = (node: Node, code: ReviewCode, severity: Severity, reason: string) => void;

const isoDate =
  /^(?:19|20|21)\d{2}-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?(?:T[\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?$/;

/** Dates, encoded and hidden texts. */
export function findInLiteral(node: AnyNode, parent: AnyNode | undefined, report: Report): void {
  const { value } = node;
  if (typeof value === "string") {
    if (isoDate.test(value)) report(node, "literal-date", "medium", "a date");
    if (looksEncoded(value)) report(node, "encoded-literal", "medium", "a long text that looks encoded");
    if (
      typeof node["raw"] === "string" &&
      (node["raw"].match(/\\(?:x[0-9a-f]{2}|u00[2-7][0-9a-f])/gi)?.length ?? 0) > 6
    )
      report(node, "encoded-literal", "medium", "plain letters written as escapes");
    findMixedScripts(node, value, report);
    if (
      /[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u{e0000}-\u{e007f}]/u.test(withoutEmoji(value)) &&
      value.length > 3
    )
      report(node, "text-hidden", "medium", "a text with characters that cannot be seen");
  } else if (typeof value === "number" && Number.isInteger(value)) {
    const compared = parent?.type === "BinaryExpression" && /^[<>=!]/.test(String(parent["operator"]));
    if (compared && value > 1.5e12 && value < 2.6e12)
      report(node, "literal-date", "medium", "a moment in milliseconds");
    else if (compared && value > 1.5e9 && value < 2.6e9 && value % 100 !== 0)
      report(node, "literal-date", "low", "a number that can be a moment in seconds, or a digest");
  }
}

/** A text without its emoji, which have joiners and selectors that cannot be seen. */
export function withoutEmoji(text: string): string {
  return text.replaceAll(
    /\p{Extended_Pictographic}\p{Emoji_Modifier}?\ufe0f?(?:\u200d\p{Extended_Pictographic}\p{Emoji_Modifier}?\ufe0f?)*|[\d#*]\ufe0f?\u20e3/gu,
    "",
  );
}

/** Letters of other scripts that look like Latin ones, in a word with them: it is not the word that people read. */
export function findMixedScripts(node: AnyNode, text: string, report: Report): void {
  const words = text.match(/[\p{L}\p{M}]{3,}/gu) ?? [];
  if (words.some((word) => /\p{Script=Latin}/u.test(word) && lookalikes.test(word)))
    report(node, "text-hidden", "high", "a word with letters of two scripts that look the same");
}

const lookalikes = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u;

/** A long text of letters and digits with no words in it. */
export function looksEncoded(text: string): boolean {
  if (text.length < 32 || /\s/.test(text)) return false;
  if (/^[0-9a-f]+$/i.test(text)) return new Set(text.toLowerCase()).size > 6;
  if (!/^[A-Za-z0-9+/_=-]+$/.test(text)) return false;
  if (isAlphabet(text)) return false;
  const mixed = /[a-z]/.test(text) && /[A-Z]/.test(text) && /\d|[+/]/.test(text);
  return mixed && entropy(text) > 3.6 && !/[a-z]{9,}|[A-Z]{9,}/.test(text);
}

/** Whether a text has each of its characters once, as those have that an encoding looks characters up in. */
export function isAlphabet(text: string): boolean {
  return text.length > 25 && new Set(text).size === text.replace(/=+$/, "").length;
}

function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const letter of text) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  return [...counts.values()].reduce(
    (sum, count) => sum - (count / text.length) * Math.log2(count / text.length),
    0,
  );
}

/** A list of numbers that spell a text. */
export function findInNumbers(node: AnyNode, report: Report): void {
  const elements = node["elements"] as readonly (AnyNode | null)[];
  if (elements.length < 8) return;
  const codes = elements.filter(
    (one) =>
      one?.type === "Literal" &&
      typeof one["value"] === "number" &&
      Number.isInteger(one["value"]) &&
      (one["value"] as number) >= 0 &&
      (one["value"] as number) < 65_536,
  );
  if (codes.length !== elements.length) return;
  const letters = codes.filter(
    (one) => (one?.["value"] as number) >= 32 && (one?.["value"] as number) < 127,
  ).length;
  if (letters / codes.length > 0.8 && new Set(codes.map((one) => one?.["value"])).size > 3)
    report(node, "encoded-literal", "medium", "a list of numbers that are letters");
}
