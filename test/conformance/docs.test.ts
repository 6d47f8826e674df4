import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { dialects } from "../../src/dialects/index.ts";

const here = new URL("./", import.meta.url);
const page = readFileSync(new URL("../../docs/seed-systems.md", here), "utf8");

/** The titles of a system's tests, as they stand in the source. */
function titlesOf(system: string): string[] {
  const folder = new URL(`${system}/`, here);
  const texts = readdirSync(folder).map((file) => readFileSync(new URL(file, folder), "utf8"));
  return texts.flatMap((text) =>
    [...text.matchAll(/\b(?:rule|test)\(\s*(?:"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`)/g)].map(
      (match) => (match[1] ?? match[2])!,
    ),
  );
}

/** What the page quotes of them. */
function quotedOf(system: string): string[] {
  const section = page.split(/^## /m).find((part) => part.startsWith(`${system}\n`)) ?? "";
  const cells = section
    .split("\n")
    .flatMap((line) => (line.startsWith("|") ? [line.split(/(?<!\\)\|/).at(-2) ?? ""] : []));
  return cells.flatMap((cell) =>
    [...cell.matchAll(/"((?:[^"]|"(?=block"))+?)"(?=,|\s|$)/g)].map(([, title]) => title!),
  );
}

describe("the page of seed systems", () => {
  test.each([...dialects.keys()])(
    "%s: names a test for each feature, and a feature for each test",
    (system) => {
      const titles = titlesOf(system);
      const quoted = quotedOf(system);
      expect(titles.length).toBeGreaterThan(10);
      expect(quoted.filter((text) => !titles.some((title) => title.startsWith(text)))).toEqual([]);
      expect(titles.filter((title) => !quoted.some((text) => title.startsWith(text)))).toEqual([]);
    },
  );

  test.each([...dialects.keys()])("%s: lists what is not carried over, with a reason", (system) => {
    const section = page.split(/^## /m).find((part) => part.startsWith(`${system}\n`)) ?? "";
    const rows = section
      .slice(section.indexOf("Not carried over:"))
      .split("\n")
      .filter((line) => line.startsWith("|"));
    expect(rows.length).toBeGreaterThan(3);
    const reasons = rows.slice(2).map((row) => row.split("|")[2]?.trim() ?? "");
    expect(reasons.filter((reason) => reason.length < 20)).toEqual([]);
  });
});
