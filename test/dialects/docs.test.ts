import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { eventNames } from "../../src/catalogue/lookup.ts";
import { createDialect, dialects } from "../../src/dialects/index.ts";
import { fakeWarden } from "../support/fake-warden.ts";

const page = readFileSync(new URL("../../docs/dialects.md", import.meta.url), "utf8");
const sections = new Map(page.split(/^## /m).map((text) => [text.slice(0, text.indexOf("\n")), text]));

describe("the page of dialects", () => {
  test.each([...dialects])("%s: has a row for each event", (name, { rows }) => {
    const section = sections.get(name) ?? "";
    for (const [event, row] of rows) {
      expect(section).toMatch(new RegExp(`^\\| \`${event}\` +\\| \\[${row.event}\\]`, "m"));
    }
  });

  test.each([...dialects.keys()])("%s: its exchanges are true", async (name) => {
    const exchanges = [
      ...(sections.get(name) ?? "").matchAll(/^host {2}(.*)\nhook {2}(.*)\nback {2}(.*)$/gm),
    ];
    expect(exchanges.length).toBeGreaterThan(3);
    for (const [, message, action, answer] of exchanges) {
      const { warden } = await fakeWarden([
        { name: "guard", on: eventNames, run: () => JSON.parse(action!) },
      ]);
      const said = await createDialect(warden, name).handle(message!);
      expect([message, said]).toEqual([message, JSON.parse(answer!)]);
    }
  });
});
