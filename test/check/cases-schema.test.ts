import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv } from "ajv";
import { expect, it } from "vitest";
import { schemaId } from "../../src/catalogue/index.ts";
import { readCases } from "../../src/check/index.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const schema = JSON.parse(readFileSync(join(root, "schemas/v1/cases.schema.json"), "utf8")) as object;
const isValid = new Ajv({ strict: false }).compile(schema);
const one = {
  name: "a",
  event: { hook_event_name: "SessionStart" },
  expect: { verdict: "continue" },
};
const read = (value: unknown): ReturnType<typeof readCases> =>
  readCases(Buffer.from(JSON.stringify(value)), "cases.json");

it("takes the cases of every shipped policy", () => {
  const files = readdirSync(join(root, "policies"), { recursive: true, encoding: "utf8" }).filter(
    (path) => path.endsWith("cases.json") && !path.includes("node_modules"),
  );
  expect(files.length).toBeGreaterThan(5);
  for (const file of files) {
    const value: unknown = JSON.parse(readFileSync(join(root, "policies", file), "utf8"));
    expect({ file, errors: isValid(value) ? null : isValid.errors }).toEqual({ file, errors: null });
  }
});

it("takes an object with `$schema`, and reads it like a list", () => {
  const file = { $schema: schemaId("cases.schema.json"), cases: [one] };
  expect([isValid([one]), isValid(file)]).toEqual([true, true]);
  expect(read([one])).toMatchObject([{ name: "a", pointer: "/0" }]);
  expect(read(file)).toMatchObject([{ name: "a", pointer: "/cases/0" }]);
});

it.each([
  ["no list", { cases: {} }, undefined],
  ["another member", { cases: [one], tests: [] }, "/tests"],
  ["a misspelt field", { cases: [{ ...one, expects: {} }] }, "/cases/0/expects"],
  ["an unknown event", [{ ...one, event: { hook_event_name: "Nothing" } }], "/0/event/hook_event_name"],
  ["an unknown verdict", [{ ...one, expect: { verdict: "maybe" } }], "/0/expect/verdict"],
  [
    "one expectation for several events",
    [{ name: "a", events: [one.event], expect: one.expect }],
    "/0/expect",
  ],
])("refuses what reading refuses: %s", (_, value, pointer) => {
  expect(isValid(value)).toBe(false);
  expect(() => read(value)).toThrow(
    expect.objectContaining({
      code: "cases-invalid",
      place: expect.objectContaining(pointer ? { pointer } : {}) as unknown,
    }) as Error,
  );
});
