import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readJson } from "@hookwarden/sandbox/json";
import { schemaId } from "../../src/catalogue/index.ts";
import { acceptSchema, checkAgainst, loadPackFromFiles } from "../../src/pack/index.ts";
import { errorOf, loadGuard, packFiles } from "./packs.ts";
import { propertyRuns } from "../support/property-runs.ts";

const names = fc.constantFrom("a", "b", "c", "isPrototypeOf", "x1");
const scalar = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    1,
    2,
    3,
    -1,
    0.5,
    0.1,
    0.3,
    "",
    "a",
    "b",
    "ab",
    "x1",
    "é",
    "😀😀",
  ),
);
const { value: json } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(names, tie("value"), { maxKeys: 3 }),
  ),
}));
const count = fc.nat(3);
const pattern = fc.constantFrom("^a", "b$", "^[a-z]+$", "\\d", "^.$", "x1", "^(a|b)*$", "s.r");

/** Schemas of both the older and the newer kind: keywords that one does not know, it passes over. */
const schemaWith = (ref: string): fc.Arbitrary<unknown> =>
  fc.letrec<{ schema: unknown; map: Record<string, unknown>; list: unknown[] }>((tie) => ({
    map: fc.dictionary(names, tie("schema"), { maxKeys: 2 }),
    list: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }),
    schema: fc.oneof(
      { maxDepth: 3 },
      fc.boolean(),
      fc.record({
        type: fc.constantFrom("null", "boolean", "object", "array", "number", "integer", "string"),
      }),
      fc.record({
        type: fc.uniqueArray(fc.constantFrom("null", "object", "array", "number", "string"), {
          minLength: 1,
        }),
      }),
      fc.record({
        enum: fc.uniqueArray(json, { minLength: 1, maxLength: 4, selector: (one) => JSON.stringify(one) }),
      }),
      fc.record({ const: json }),
      fc.record({ minimum: fc.integer({ min: -2, max: 2 }) }),
      fc.record({
        maximum: fc.integer({ min: -2, max: 2 }),
        exclusiveMinimum: fc.integer({ min: -2, max: 2 }),
      }),
      fc.record(
        { exclusiveMaximum: fc.constantFrom(0, 1, 0.5), multipleOf: fc.constantFrom(1, 2, 0.5) },
        { requiredKeys: [] },
      ),
      fc.record({ minLength: count, maxLength: count }, { requiredKeys: [] }),
      fc.record({ pattern }),
      fc.record(
        { items: tie("schema"), minItems: count, maxItems: count, uniqueItems: fc.boolean() },
        { requiredKeys: [] },
      ),
      fc.record({ contains: tie("schema") }),
      fc.record(
        { minProperties: count, maxProperties: count, propertyNames: tie("schema") },
        { requiredKeys: [] },
      ),
      fc.record(
        {
          properties: tie("map"),
          patternProperties: fc.dictionary(pattern, tie("schema"), { maxKeys: 2 }),
          additionalProperties: tie("schema"),
          required: fc.uniqueArray(names, { maxLength: 2 }),
        },
        { requiredKeys: [] },
      ),
      fc.record({ allOf: tie("list") }),
      fc.record({ anyOf: tie("list") }),
      fc.record({ oneOf: tie("list") }),
      fc.record({ not: tie("schema") }),
      fc.record(
        // oxlint-disable-next-line unicorn/no-thenable
        { if: tie("schema"), then: tie("schema"), else: tie("schema") },
        { requiredKeys: ["if", "then"] },
      ),
      fc.record({ $ref: fc.constant(ref) }),
    ),
  })).schema;
/** A loop of references has no meaning, and Ajv's answer to it is a stack overflow: `schema` leads to `one` to `end`. */
const schema = schemaWith("#/$defs/one");
const $defs = fc.record({
  one: schemaWith("#/$defs/end"),
  end: fc.constantFrom({ type: "string" }, true, { minimum: 1 }),
});
const document = fc.record({ $defs, allOf: fc.tuple(schema) });

/**
 * Ajv 8 lets an empty array pass `contains` where it stands in `items` and the item before it passed: what came of that is
 * still in its variable. An array that contains something is not empty, so to say that as well changes no schema.
 */
function forLibrary(text: string): object {
  return JSON.parse(text, (_, part: unknown) => {
    const { contains, minContains, minItems = 0 } = (part ?? {}) as { [keyword: string]: number | undefined };
    if (contains === undefined || minContains !== undefined) return part;
    return { ...(part as object), minItems: Math.max(1, minItems) };
  }) as object;
}

describe("checkAgainst agrees with a library that compiles schemas", () => {
  const compare = (
    ajv: { compile(schema: object): (value: unknown) => unknown },
    with_: fc.Arbitrary<object>,
  ): void => {
    fc.assert(
      fc.property(with_, fc.array(json, { minLength: 1, maxLength: 8 }), (made, values) => {
        const text = JSON.stringify(made);
        const ours = readJson(text, { maxDepth: 100, maxKeys: 10_000, maxKeyLength: 100 });
        expect(acceptSchema(ours)).toBeNull();
        const compiled = ajv.compile(forLibrary(text));
        for (const value of values) {
          // Ajv's comparison of objects looks at their prototypes too.
          const problem = checkAgainst(ours, value);
          expect(problem === null, `${text} on ${JSON.stringify(value)}: ${JSON.stringify(problem)}`).toBe(
            compiled(JSON.parse(JSON.stringify(value))),
          );
        }
      }),
      { numRuns: propertyRuns(300) },
    );
  };
  const options = { strict: false, ownProperties: true, validateSchema: false, logger: false } as const;

  it("draft 2020-12", () => {
    const more = fc.oneof(
      document,
      fc.record({
        prefixItems: fc.array(schema, { minLength: 1, maxLength: 2 }),
        items: schema,
        $defs,
      }),
      fc.record({
        contains: schema,
        minContains: count,
        maxContains: count,
        $defs,
      }),
      fc.record({
        dependentRequired: fc.dictionary(names, fc.uniqueArray(names, { maxLength: 2 }), { maxKeys: 2 }),
      }),
      fc.record({
        dependentSchemas: fc.dictionary(names, schema, { maxKeys: 2 }),
        $defs,
      }),
      fc.record({
        $ref: fc.constant("#/$defs/one"),
        $defs,
        maxItems: count,
      }),
    );
    compare(new Ajv2020(options), more);
  });

  it("draft 7", () => {
    const $schema = fc.constant("http://json-schema.org/draft-07/schema#");
    const more = fc.oneof(
      fc.record({
        $schema,
        $defs,
        items: fc.array(schema, { minLength: 1, maxLength: 2 }),
        additionalItems: schema,
      }),
      fc.record({
        $schema,
        $defs,
        dependencies: fc.dictionary(names, fc.oneof(schema, fc.uniqueArray(names, { maxLength: 2 })), {
          maxKeys: 2,
        }),
      }),
      fc.record({ $schema, $defs, allOf: fc.tuple(schema) }),
    );
    compare(new Ajv(options), more);
  });

  it("up to draft 7 nothing beside a `$ref` counts; after it, all of it does", () => {
    const beside = { $ref: "#/definitions/any", maximum: 1, definitions: { any: true } };
    expect(checkAgainst({ ...beside, $schema: "http://json-schema.org/draft-07/schema#" }, 5)).toBeNull();
    expect(checkAgainst(beside, 5)).toEqual({ pointer: "", message: "is more than 1" });
  });

  it("multiples are those of the decimal numbers", () => {
    const multiple = (value: number, of: number): boolean => checkAgainst({ multipleOf: of }, value) === null;
    expect([
      multiple(0.3, 0.1),
      multiple(0.0075, 0.0001),
      multiple(1e308, 1e-7),
      multiple(4.02, 0.01),
    ]).toEqual([true, true, true, true]);
    expect([multiple(0.00751, 0.0001), multiple(0.35, 0.1), multiple(7, 2), multiple(1e-300, 1e10)]).toEqual([
      false,
      false,
      false,
      false,
    ]);
    expect(multiple(0, 1e10)).toBe(true);
  });

  it("lengths are counted in characters", () => {
    expect(checkAgainst({ maxLength: 2 }, "😀😀")).toBeNull();
    expect(checkAgainst({ minLength: 3 }, "😀😀")?.message).toBe("has less than 3 characters");
  });
});

describe("acceptSchema refuses what only a hostile schema has (man-024)", () => {
  const refusedFor = (schema_: unknown): string => acceptSchema(schema_)?.message ?? "accepted";

  // Attack: a reference that is fetched discloses the host to its owner, and brings a schema that was never reviewed.
  it.each([
    "http://evil.invalid/x.json",
    "https://evil.invalid/",
    "file:///etc/passwd",
    "other.json",
    "//evil.invalid",
    "#anchor",
    "",
    schemaId("hook.schema.json"),
    "http://json-schema.org/draft-07/schema#",
  ])("a reference to %j", (ref) => expect(refusedFor({ $ref: ref })).toContain("not a place in itself"));

  it("a reference that leads nowhere, or through a prototype", () => {
    expect(refusedFor({ $ref: "#/$defs/missing" })).toContain("not there");
    expect(refusedFor({ $ref: "#/constructor" })).toContain("not there");
    expect(refusedFor({ $ref: "#/__proto__" })).toContain("not there");
    expect(refusedFor({ $ref: "#/allOf/length", allOf: [true] })).not.toBe("accepted");
    expect(refusedFor({ $ref: "#/%zz" })).toContain("not there");
  });

  // Attack: an `$id` inside moves the base of the references below it, or takes the name of one of our own schemas.
  it("an identifier inside, and schemas of another place", () => {
    expect(refusedFor({ properties: { a: { $id: "http://evil.invalid/" } } })).toContain(
      "identifier of its own",
    );
    expect(acceptSchema({ $id: schemaId("hook.schema.json"), type: "object" })).toBeNull();
    expect(refusedFor({ $dynamicRef: "#a" })).toContain("not supported");
    expect(refusedFor({ unevaluatedProperties: false })).toContain("not supported");
  });

  // Attack: a pattern that takes for ever in a backtracking engine.
  it("patterns that the linear-time engine cannot run, or that are too large", () => {
    expect(refusedFor({ pattern: "(?=a)" })).toContain("linear-time");
    expect(refusedFor({ patternProperties: { "(a)\\1": true } })).toContain("linear-time");
    expect(refusedFor({ pattern: "(a{1,1000}){1,1000}" })).toContain("linear-time");
    expect(refusedFor({ pattern: "(a{1,30}){1,30}" })).toContain("too large");
    expect(refusedFor({ pattern: "a".repeat(513) })).toContain("too long");
    const many = Array.from({ length: 101 }, (_, index) => ({ pattern: `a${index}` }));
    expect(refusedFor({ allOf: many })).toContain("too many patterns");
  });

  it("too much of anything", () => {
    expect(refusedFor({ enum: Array.from({ length: 1_001 }, (_, index) => index) })).toContain(
      "longer than 1000",
    );
    expect(refusedFor({ anyOf: Array.from({ length: 2_001 }, () => ({})) })).toContain("2000 parts");
    let deep: unknown = {};
    for (let level = 0; level < 40; level++) deep = { not: deep };
    expect(refusedFor(deep)).toContain("32 levels");
    let constant: unknown = 1;
    for (let level = 0; level < 40; level++) constant = [constant];
    expect(refusedFor({ const: constant })).toContain("16 levels");
    expect(refusedFor({ enum: [constant] })).toContain("16 levels");
  });

  it.each<[unknown, string]>([
    [null, ""],
    [[], ""],
    ["string", ""],
    [{ type: "text" }, "/type"],
    [{ type: ["string", 5] }, "/type"],
    [{ properties: [] }, "/properties"],
    [{ properties: { a: 5 } }, "/properties/a"],
    [{ required: "a" }, "/required"],
    [{ required: [1] }, "/required"],
    [{ enum: "a" }, "/enum"],
    [{ minimum: "1" }, "/minimum"],
    [{ exclusiveMinimum: true }, "/exclusiveMinimum"],
    [{ multipleOf: 0 }, "/multipleOf"],
    [{ maxLength: -1 }, "/maxLength"],
    [{ maxLength: 1.5 }, "/maxLength"],
    [{ items: { pattern: 5 } }, "/items/pattern"],
    [{ allOf: [] }, "/allOf"],
    [{ allOf: {} }, "/allOf"],
    [{ uniqueItems: 1 }, "/uniqueItems"],
    [{ dependencies: { a: [1] } }, "/dependencies"],
    [{ $ref: 5 }, "/$ref"],
    [{ $defs: { "a/b": { items: 5 } } }, "/$defs/a~1b/items"],
  ])("%j, at %j", (schema_, pointer) => expect(acceptSchema(schema_)).toMatchObject({ pointer }));
});

describe("checkAgainst ends (man-024)", () => {
  const tooMuch = { message: "takes too much work to check" };

  // Attack: a schema that refers to itself without a step into the value.
  it("on loops of references", () => {
    expect(checkAgainst({ $ref: "#" }, 1)).toMatchObject(tooMuch);
    expect(
      checkAgainst({ $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } }, $ref: "#/$defs/a" }, 1),
    ).toMatchObject(tooMuch);
    expect(checkAgainst({ anyOf: [{ $ref: "#" }, { $ref: "#" }] }, 1)).toMatchObject(tooMuch);
    expect(checkAgainst({ not: { $ref: "#" } }, 1)).toMatchObject(tooMuch);
  });

  // Attack: 40 definitions, each of which uses the next one twice, are 2^40 checks.
  it("on schemas that double at every step", () => {
    const $defs: Record<string, unknown> = { d40: { type: "string" } };
    for (let level = 0; level < 40; level++) {
      const next = { $ref: `#/$defs/d${level + 1}` };
      $defs[`d${level}`] = { anyOf: [next, next] };
    }
    expect(checkAgainst({ $defs, $ref: "#/$defs/d0" }, 1)).toMatchObject(tooMuch);
    const tree = { properties: { a: { allOf: [{ $ref: "#" }, { $ref: "#" }] } } };
    let value: unknown = {};
    for (let level = 0; level < 31; level++) value = { a: value };
    expect(checkAgainst(tree, value)).toMatchObject(tooMuch);
  });

  it("on patterns and large values", () => {
    const start = performance.now();
    expect(checkAgainst({ pattern: "^(([a-z])+.)+[A-Z]([a-z])+$" }, "a".repeat(60))).not.toBeNull();
    expect(checkAgainst({ pattern: "(a{1,8}){1,8}!" }, "a".repeat(1_000_000))).toMatchObject(tooMuch);
    expect(
      checkAgainst(
        { uniqueItems: true },
        Array.from({ length: 100_000 }, (_, index) => index),
      ),
    ).toBeNull();
    expect(
      checkAgainst(
        { uniqueItems: true },
        Array.from({ length: 1_000_000 }, (_, index) => index),
      ),
    ).toMatchObject(tooMuch);
    expect(
      checkAgainst(
        { items: { enum: Array.from({ length: 1_000 }, (_, index) => index) } },
        Array(100_000).fill("x"),
      ),
    ).not.toBeNull();
    expect(performance.now() - start).toBeLessThan(10_000);
  });

  it("and has time for what is usual", () => {
    const messages = {
      type: "array",
      items: {
        type: "object",
        required: ["role"],
        properties: { role: { enum: ["user", "assistant"] }, content: { type: "string" } },
      },
    };
    expect(
      checkAgainst(
        messages,
        Array.from({ length: 10_000 }, () => ({ role: "user", content: "x".repeat(100) })),
      ),
    ).toBeNull();
    expect(checkAgainst({ pattern: "^[a-z ]+$" }, "words ".repeat(20_000))).toBeNull();
  });
});

describe("checkAgainst looks at own members only", () => {
  // Attack: a member that every object inherits passes as declared, or satisfies `required`.
  it.each(["toString", "constructor", "hasOwnProperty"])("%s is not declared and not there", (name) => {
    const closed = { properties: { a: {} }, additionalProperties: false };
    expect(checkAgainst(closed, { [name]: 1 })).not.toBeNull();
    expect(checkAgainst({ required: [name] }, {})).toMatchObject({ message: `lacks \`${name}\`` });
    expect(checkAgainst({ dependentRequired: { [name]: ["a"] } }, {})).toBeNull();
    expect(checkAgainst({ properties: { [name]: false } }, {})).toBeNull();
    expect(checkAgainst({ const: {} }, JSON.parse('{"__proto__":1}'))).not.toBeNull();
  });

  it("and passes over keywords that it does not know, `format` among them", () => {
    expect(
      checkAgainst({ format: "constructor", toString: 1, "x-a": { $ref: "http://evil.invalid" } }, "x"),
    ).toBeNull();
  });
});

describe("the configuration of a hook", () => {
  const config = {
    type: "object",
    properties: { max: { type: "integer", maximum: 5 } },
    additionalProperties: false,
  };

  it("arrives as it stands in the pack; as `{}` where there is none", async () => {
    const { hooks } = await loadGuard({ config }, { config: { guard: { max: 3 } } });
    expect(hooks[0]?.configJson).toBe('{"max":3}');
    expect((await loadGuard({ config })).hooks[0]?.configJson).toBe("{}");
    expect((await loadGuard()).hooks[0]?.configJson).toBe("{}");
  });

  it("is held to the schema in the manifest", async () => {
    const error = await errorOf(loadGuard({ config }, { config: { guard: { max: 9 } } }));
    expect(error).toMatchObject({
      code: "policy-invalid",
      place: { file: "hookwarden.json", pointer: "/config/guard/max" },
    });
    expect(error.message).toBe("the configuration of `guard` is more than 5");
    const lacking = await errorOf(loadGuard({ config: { ...config, required: ["max"] } }));
    expect(lacking).toMatchObject({ code: "policy-invalid", place: { pointer: "/config/guard" } });
  });

  it("is refused where the hook declares none, or a schema that is not accepted", async () => {
    expect(await errorOf(loadGuard({}, { config: { guard: {} } }))).toMatchObject({ code: "policy-invalid" });
    const remote = await errorOf(
      loadGuard({ config: { properties: { a: { $ref: "http://evil.invalid/" } } } }),
    );
    expect(remote).toMatchObject({
      code: "pack-invalid",
      place: { file: "guard/hook.json", pointer: "/config/properties/a/$ref" },
    });
    const proto = '{"apiVersion":1,"config":{"properties":{"__proto__":{}}}}';
    expect(await errorOf(loadPackFromFiles(packFiles({ guard: proto })))).toMatchObject({
      code: "pack-not-json",
      place: { file: "guard/hook.json", pointer: "/config/properties/__proto__" },
    });
  });
});
