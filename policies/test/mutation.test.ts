import { describe, expect, test } from "vitest";
import { mutantsOf } from "./mutants.ts";

describe("mutants", () => {
  const whats = (text: string): readonly string[] => mutantsOf(text).map((mutant) => mutant.text);

  test("conditions are flipped and negated", () => {
    expect(whats("x = a === b && c < d;")).toEqual(
      expect.arrayContaining(["x = a === b || c < d;", "x = a !== b && c < d;", "x = a === b && c >= d;"]),
    );
    expect(whats("if (a) b();")).toEqual(["if (!(a)) b();"]);
    expect(whats("x = a ? 1 : 2;")).toEqual(["x = !(a) ? 1 : 2;"]);
    expect(whats('x = [true, "deny"];')).toContain('x = [false, "deny"];');
    expect(whats('f("deny")')).toEqual(['f("ask")']);
  });

  test("patterns are dropped", () => {
    expect(whats("const a = [1, 2];")).toEqual(["const a = [2];", "const a = [1, ];"]);
    expect(whats("x = /a(?:b|c\\|d)[|]|e/y;")).toEqual([
      "x = /a(?:c\\|d)[|]|e/y;",
      "x = /a(?:b)[|]|e/y;",
      "x = /e/y;",
      "x = /a(?:b|c\\|d)[|]/y;",
    ]);
  });

  test("types are left alone", () => {
    expect(whats('type A = "deny" | true; interface B { readonly c: "ask" }')).toEqual([]);
  });
});
