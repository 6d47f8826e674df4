import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { sections, standalone } from "../../site/pages.ts";

test("every page is in one section of the site, once", () => {
  const pages = readdirSync(new URL("../../docs/", import.meta.url)).filter((name) => name.endsWith(".md"));
  const listed = [...Object.values(sections).flat(), ...standalone];
  expect(listed.toSorted()).toEqual(pages.map((name) => name.slice(0, -".md".length)).toSorted());
});
