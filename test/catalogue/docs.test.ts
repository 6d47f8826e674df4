import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { faultTable, limitNames } from "@hookwarden/sandbox";
import { actionNames, actionRows, eventNames, eventRows, legalActions } from "../../src/catalogue/index.ts";
import { errorTable } from "../../src/errors/index.ts";

const page = (name: string): string => readFileSync(new URL(`../../docs/${name}`, import.meta.url), "utf8");
const pages = ["events.md", "actions.md", "faults.md", "errors.md", "limits.md"];
const headings = (text: string): string[] => [...text.matchAll(/^#+ (.+)$/gm)].map(([, title]) => title!);
/** How a heading is linked to. */
const anchor = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
const section = (text: string, title: string): string =>
  text.split(/^(?=#+ )/m).find((part) => part.split("\n")[0]!.endsWith(` ${title}`))!;

describe("the reference pages", () => {
  it("have a section for each event, action, fault and error, and a row for each limit", () => {
    expect(headings(page("events.md"))).toEqual(expect.arrayContaining([...eventNames]));
    expect(headings(page("actions.md"))).toEqual(expect.arrayContaining([...actionNames]));
    expect(headings(page("faults.md"))).toEqual(expect.arrayContaining(Object.keys(faultTable)));
    expect(headings(page("errors.md"))).toEqual(expect.arrayContaining(Object.keys(errorTable)));
    for (const name of limitNames) expect(page("limits.md")).toContain(`| \`${name}\``);
  });

  it("say of each event which actions are legal there, and name its fields", () => {
    const text = page("events.md");
    for (const [name, row] of eventRows) {
      const own = section(text, name);
      const listed = [...own.match(/Legal actions:.*$/m)![0].matchAll(/\[`(\w+)`\]/g)].map(
        ([, action]) => action,
      );
      expect(listed.toSorted(), name).toEqual([...legalActions(name)].toSorted());
      for (const field of Object.keys(row.fields)) expect(own, name).toContain(`| \`${field}\``);
    }
  });

  it("say of each action what it carries", () => {
    const text = page("actions.md");
    for (const [name, row] of actionRows) {
      for (const field of Object.keys(row.payload))
        expect(section(text, name), name).toContain(`| \`${field}\``);
    }
  });

  it.each(pages)("%s links only to sections that there are", (name) => {
    for (const [, target] of page(name).matchAll(/\]\(([^)]+)\)/g)) {
      const [file, id] = target!.split("#") as [string, string | undefined];
      const linked = headings(page(file || name)).map(anchor);
      if (id !== undefined) expect(linked, target).toContain(id);
    }
  });

  it.each(pages)("%s has one heading for each anchor", (name) => {
    const anchors = headings(page(name)).map(anchor);
    expect(new Set(anchors).size).toBe(anchors.length);
  });
});
