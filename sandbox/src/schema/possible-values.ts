import { didYouMean, quote } from "../json/index.ts";

/** Most values that a message lists. */
const maxListed = 12;

/** The values of an `enum` in words, with the one that was probably meant. */
export function possibleValues(values: readonly unknown[], found: unknown): string {
  const texts = values
    .slice(0, maxListed)
    .map((value) => quote(typeof value === "string" ? value : (JSON.stringify(value) ?? "")));
  const strings = values.filter((value): value is string => typeof value === "string");
  const hint = typeof found === "string" ? didYouMean(found, strings.slice(0, 1_000)) : "";
  return `one of ${texts.join(", ")}${values.length > maxListed ? ", …" : ""}${hint}`;
}
