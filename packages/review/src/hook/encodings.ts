import type { Encoding } from "../report.ts";

/** Characters of a text, half from its start and half from its end, in which other forms of a word are looked for. */
const maxScannedChars = 16_384;

/** The form in which a text contains a word; `null` if it does not. */
export function foundAs(whole: string, word: string): Encoding | null {
  if (whole.includes(word)) return "verbatim";
  const text =
    whole.length > maxScannedChars
      ? whole.slice(0, maxScannedChars / 2) + whole.slice(-maxScannedChars / 2)
      : whole;
  const lower = text.toLowerCase();
  if (lower.includes(word)) return "case";
  const reversed = [...word].toReversed().join("");
  if (lower.includes(reversed)) return "reversed";
  for (const run of text.match(/[A-Za-z0-9+/_-]{8,}={0,2}/g) ?? []) {
    for (let skip = 0; skip < 4; skip++) {
      const bytes = Buffer.from(
        run.slice(skip),
        run.includes("-") || run.includes("_") ? "base64url" : "base64",
      ).toString("latin1");
      if (bytes.includes(word) || bytes.includes(reversed)) return "base64";
    }
  }
  for (const run of text.match(/(?:[0-9a-fA-F]{2}[\s:,]?){8,}/g) ?? []) {
    if (
      Buffer.from(run.replaceAll(/[^0-9a-fA-F]/g, ""), "hex")
        .toString("latin1")
        .includes(word)
    )
      return "hex";
  }
  if (/%[0-9a-fA-F]{2}/.test(text) && percentDecoded(text).includes(word)) return "percent";
  const numbers = text.match(/\d+/g)?.map(Number) ?? [];
  if (numbers.length >= word.length) {
    const spelt = String.fromCharCode(...numbers.filter((code) => code < 65_536).slice(0, 20_000));
    if (spelt.toLowerCase().includes(word)) return "code points";
  }
  if (lower.replaceAll(/[^a-z]/g, "").includes(word)) return "invisible";
  for (let by = 1; by < 26; by++) {
    if (
      lower.includes(
        [...word].map((letter) => String.fromCharCode(((letter.charCodeAt(0) - 97 + by) % 26) + 97)).join(""),
      )
    )
      return "rotated";
  }
  return null;
}

/** A text with its percent signs decoded. */
export function percentDecoded(text: string): string {
  return text.replaceAll(/%([0-9a-fA-F]{2})/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}
