/** Letters of other alphabets that look like Latin ones. */
const lookalikes: ReadonlyMap<string, string> = new Map(
  Object.entries({
    а: "a",
    е: "e",
    о: "o",
    р: "p",
    с: "c",
    у: "y",
    х: "x",
    і: "i",
    ј: "j",
    ѕ: "s",
    ԁ: "d",
    ո: "n",
    ɡ: "g",
    ο: "o",
    α: "a",
    ε: "e",
    ι: "i",
    ν: "v",
    ρ: "p",
    τ: "t",
    υ: "u",
    χ: "x",
    ı: "i",
    "’": "'",
  }),
);

const invisible =
  /[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0]|\udb40[\udd00-\uddef]/g;
const foreign = /[\u0131\u0261\u0370-\u0577\u2019]/g;
const ascii = /[\0-\x7f]*/y;

function isAscii(text: string): boolean {
  ascii.lastIndex = 0;
  ascii.test(text);
  return ascii.lastIndex === text.length;
}

/** A text as a reader would take it: in lower case, and with Latin letters for those that look like them. */
export interface Plain {
  readonly lower: string;
  readonly latin: string;
}

const entities: ReadonlyMap<string, string> = new Map([
  ["lt", "<"],
  ["gt", ">"],
  ["amp", "&"],
  ["quot", '"'],
  ["apos", "'"],
  ["nbsp", " "],
]);
const entity = /&(?:#(\d{2,6})|#x([0-9a-f]{2,5})|(lt|gt|amp|quot|apos|nbsp));/g;
/** Marks that are laid over letters and make no letter of their own with them. */
const overstrikes = /[\u0300-\u036f\u0488\u0489]/g;
/** Emphasis inside a word splits it for a search, and not for a reader. */
const emphasis = /(?<=[a-z])(?:\*{1,3}|_{2})(?=[a-z])/g;

/** Brings a text into the forms in which signs are looked for. */
export function plainOf(text: string): Plain {
  let lower = isAscii(text)
    ? text.toLowerCase()
    : text.normalize("NFKC").replace(invisible, "").toLowerCase();
  if (lower.includes("&")) {
    lower = lower.replace(entity, (whole, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return entities.get(name) ?? whole;
      const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
      return String.fromCodePoint(code).toLowerCase();
    });
  }
  if (lower.includes("**") || lower.includes("__")) lower = lower.replace(emphasis, "");
  if (lower.includes("   ")) lower = lower.replace(/ {3,}/g, " ");
  return {
    lower,
    latin: isAscii(lower)
      ? lower
      : lower.replace(overstrikes, "").replace(foreign, (char) => lookalikes.get(char) ?? char),
  };
}

const tags = /[\u{e0020}-\u{e007e}]/gu;

/** The text that stands in tag characters: they are invisible, and models read them as ASCII. */
export function hiddenText(text: string): string {
  if (!text.includes("\udb40")) return "";
  return (text.match(tags) ?? [])
    .map((char) => String.fromCharCode((char.codePointAt(0) ?? 0) - 0xe0000))
    .join("");
}

const bidi = /[\u202a-\u202e\u2066-\u2069]/;
const zeroWidth = /[\u200b-\u200d\u2060-\u2064\ufeff]{8}/;

/** Kinds of characters that hide text from people. */
export function hidingKinds(text: string): readonly string[] {
  if (isAscii(text)) return [];
  const found: string[] = [];
  if (hiddenText(text).length >= 4) found.push("has text in invisible tag characters");
  if (bidi.test(text)) found.push("has characters that turn the direction of text");
  if (zeroWidth.test(text)) found.push("has long runs of invisible characters");
  return found;
}
