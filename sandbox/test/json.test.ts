import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  forbiddenEventKeys,
  forbiddenKeys,
  JsonError,
  type JsonErrorCode,
  type JsonLimits,
  quote,
  readJson,
  readJsonBytes,
} from "../src/json/index.ts";
import { propertyRuns } from "../../test/support/property-runs.ts";

const limits: JsonLimits = { maxDepth: 32, maxKeys: 10_000, maxKeyLength: 256 };
const wide: JsonLimits = {
  maxDepth: 512,
  maxKeys: 1_000_000,
  maxKeyLength: 1_000_000,
  forbiddenKeys: new Set(),
};

function refusal(text: string | Uint8Array, with_: JsonLimits = limits): JsonError {
  try {
    if (typeof text === "string") readJson(text, with_);
    else readJsonBytes(text, with_);
  } catch (error) {
    if (error instanceof JsonError) return error;
    throw error;
  }
  throw new Error("the text was accepted");
}

const code = (text: string | Uint8Array, with_?: JsonLimits): JsonErrorCode => refusal(text, with_).code;

/** The same value with prototypes, for comparing with what `JSON.parse` makes. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  const object = {};
  for (const [key, member] of Object.entries(value)) {
    Object.defineProperty(object, key, {
      value: plain(member),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return object;
}

/** JSON values; keys are well-formed and none is forbidden. */
const anyKey = fc.string({ unit: "grapheme", maxLength: 12 }).filter((key) => !forbiddenKeys.has(key));
const anyJson = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    fc.constantFrom<unknown>(null, true, false, 0, -0, 1, -1, 1e21, 1e-7, 5e-324, 1.7976931348623157e308),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    fc.string({ unit: "grapheme" }),
    fc.string({ unit: "binary-ascii", maxLength: 80 }),
    fc.array(tie("value"), { maxLength: 6 }),
    fc.dictionary(anyKey, tie("value"), { maxKeys: 6 }),
  ),
})).value;
const space = fc.stringMatching(/^[ \t\r\n]{0,3}$/);

/** What `readJson` makes of a text without limits: the value written again, or the code of the refusal. */
function outcome(text: string): string {
  try {
    return JSON.stringify(readJson(text, wide));
  } catch (error) {
    return (error as JsonError).code;
  }
}

/** What it should make of it, by `JSON.parse`: any refusal of what is no JSON, a stricter refusal, or the same value. */
function expectedOutcome(text: string, actual: string): string {
  try {
    const value = JSON.parse(text, (_, member: unknown) =>
      typeof member === "string" ? member.toWellFormed() : member,
    ) as unknown;
    return ["duplicate-key", "number", "surrogate", "encoding"].includes(actual)
      ? actual
      : JSON.stringify(value);
  } catch {
    return /^[a-z-]+$/.test(actual) && !["true", "false", "null"].includes(actual) ? actual : "syntax";
  }
}

describe("readJson reads what RFC 8259 allows", () => {
  it("agrees with JSON.parse on every document without duplicate or forbidden keys", () => {
    fc.assert(
      fc.property(anyJson, fc.constantFrom(0, 1, 2, "\t", "\r\n "), space, (value, indent, around) => {
        const text = around + JSON.stringify(value, null, indent) + around;
        expect(plain(readJson(text, limits))).toStrictEqual(plain(JSON.parse(text)));
      }),
      { numRuns: propertyRuns(400) },
    );
  });

  it("writes and reads back the same", () => {
    fc.assert(
      fc.property(anyJson, (value) => {
        const text = JSON.stringify(value);
        expect(JSON.stringify(readJson(text, limits))).toBe(text);
      }),
      { numRuns: propertyRuns(200) },
    );
  });

  it("refuses every mutation that JSON.parse refuses, and reads every other one alike", () => {
    const glyphs = [
      ...'{}[]",:\\/-+.eE0123456789 \t\n\u0000\u0001tfn',
      "u00",
      "\u2028",
      "\ufeff",
      "\ud800",
      "true",
    ];
    const edit = fc.tuple(fc.nat(), fc.nat(3), fc.constantFrom(...glyphs, ""));
    fc.assert(
      fc.property(anyJson, fc.array(edit, { minLength: 1, maxLength: 4 }), (value, edits) => {
        let text = JSON.stringify(value);
        for (const [at, remove, add] of edits) {
          const start = at % (text.length + 1);
          text = text.slice(0, start) + add + text.slice(start + remove);
        }
        expect(outcome(text)).toBe(expectedOutcome(text, outcome(text)));
      }),
      { numRuns: propertyRuns(1_000) },
    );
  });

  it("reads decimal numbers to the last bit as JSON.parse does", () => {
    const digits = fc.stringMatching(/^-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,17})?([eE][+-]?[0-9]{1,3})?$/);
    fc.assert(
      fc.property(digits, (text) => {
        const expected = JSON.parse(text) as number;
        fc.pre(Number.isFinite(expected));
        expect(Object.is(readJson(text, limits), expected)).toBe(true);
      }),
      { numRuns: propertyRuns(1_000) },
    );
  });

  it.each([
    "0",
    "-0",
    "10",
    "-1.5e+10",
    "0.1E-2",
    "123456789012345",
    "1234567890123456",
    "-999999999999999",
    "1e308",
    "9007199254740993",
    "-0.0",
    "9007199254740991",
  ])("reads the number %s as JSON.parse does", (text) =>
    expect(Object.is(readJson(text, limits), JSON.parse(text))).toBe(true),
  );

  it.each([
    "01",
    "+1",
    ".5",
    "1.",
    "-",
    "1e",
    "1e+",
    "0x1",
    "NaN",
    "Infinity",
    "-Infinity",
    "1_000",
    "--1",
    "1 2",
    "tru",
    "nul",
    "falsee",
    "True",
    "undefined",
    "'a'",
    '"a',
    '"\\x41"',
    '"\\u12"',
    '"\\u12g4"',
    '"\\',
    '"\t"',
    '"\n"',
    "",
    " ",
    "[",
    "[1",
    "[1,",
    "[1,]",
    "[,1]",
    "[1 2]",
    "]",
    "{",
    '{"a"',
    '{"a":',
    '{"a":1',
    '{"a":1,',
    '{"a":1,}',
    "{a:1}",
    "{1:1}",
    '{"a" 1}',
    '{"a":1 "b":2}',
    '{"a":1}}',
    "{}{}",
    "[]x",
    "// c\n1",
    "/* c */1",
    "1 // c",
    "\u00a01",
    "\u2028[]",
    "1\0",
    "\v1",
  ])("refuses %j", (text) => {
    expect(() => JSON.parse(text) as unknown).toThrow("JSON");
    expect(code(text)).toBe("syntax");
  });
});

describe("readJson refuses what two readers could understand differently", () => {
  // Attack: the one who checks keeps the first `decision`, the one who acts keeps the last.
  it("duplicate keys, at every level, however they are written", () => {
    expect(code('{"hooks":[],"hooks":["x"]}')).toBe("duplicate-key");
    expect(code('{"a":{"b":1,"b":1}}')).toBe("duplicate-key");
    expect(code('[{"a":1,"\\u0061":2}]')).toBe("duplicate-key");
    expect(code('{"":1,"":2}')).toBe("duplicate-key");
    expect(code('{"0":1,"0":2}')).toBe("duplicate-key");
    expect(readJson('[{"a":1},{"a":2}]', limits)).toHaveLength(2);
  });

  // Attack: `__proto__` in a message becomes the prototype of an object that is merged or copied later.
  it.each(["__proto__", "constructor", "prototype"])("the key %s, however it is written", (key) => {
    expect(
      code(JSON.stringify({ a: [{ [key === "__proto__" ? "x" : key]: 1 }] }).replace('"x"', '"__proto__"')),
    ).toBe("forbidden-key");
    const escaped = [...key]
      .map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join("");
    expect(code(`{"${escaped}":{}}`)).toBe("forbidden-key");
    expect(readJson(JSON.stringify([key]), limits)).toEqual([key]);
  });

  it("only the keys that the caller forbids", () => {
    const event = { ...limits, forbiddenKeys: forbiddenEventKeys };
    expect(readJson('{"constructor":1,"prototype":2}', event)).toMatchObject({
      constructor: 1,
      prototype: 2,
    });
    expect(code('{"__proto__":1}', event)).toBe("forbidden-key");
    const none = readJson('{"__proto__":{"polluted":true}}', wide) as object;
    expect(Object.getPrototypeOf(none)).toBeNull();
    expect(Object.keys(none)).toEqual(["__proto__"]);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  // Attack: a limit that is compared with Infinity, or a number that becomes `null` when it is written again.
  it("numbers that no double can hold", () => {
    expect(code("1e999")).toBe("number");
    expect(code('{"a":[-1e309]}')).toBe("number");
    expect(code("9".repeat(400))).toBe("number");
    expect(readJson("1e-999", limits)).toBe(0);
    // A number of 100,000 digits is read in linear time.
    expect(readJson(`0.${"1".repeat(100_000)}`, limits)).toBeCloseTo(1 / 9);
  });

  // Attack: two keys that differ in memory and become the same bytes (both U+FFFD) when they are written as UTF-8.
  it("lone surrogates in keys; in values they become U+FFFD", () => {
    expect(code('{"\\ud800":1}')).toBe("surrogate");
    expect(code('{"a\ud800":1}')).toBe("surrogate");
    expect(code(`{"${"k".repeat(40)}\udfff":1}`)).toBe("surrogate");
    expect(readJson('{"\\ud83d\\ude00":1}', limits)).toEqual({ "😀": 1 });
    expect(readJson('["\\ud800", "a\udc00b", "\\ude00\\ud83d", "😀"]', limits)).toEqual([
      "�",
      "a�b",
      "��",
      "😀",
    ]);
    expect(readJson(`"${"x".repeat(100)}\ud800"`, limits)).toBe(`${"x".repeat(100)}�`);
  });

  it("a byte order mark and bytes that are not UTF-8", () => {
    const bytes = (...list: number[]): Uint8Array => Uint8Array.from(list);
    expect(code("\ufeff{}")).toBe("encoding");
    expect(code(bytes(0xef, 0xbb, 0xbf, 0x7b, 0x7d))).toBe("encoding");
    expect(code(Buffer.from('{"a":1}', "utf16le"))).toBe("syntax");
    expect(code(Buffer.concat([bytes(0xff, 0xfe), Buffer.from("{}", "utf16le")]))).toBe("encoding");
    // An overlong `/`, a surrogate in UTF-8, a character beyond U+10FFFF, a character that is cut at the end.
    expect(refusal(bytes(0x22, 0x0a, 0xc0, 0xaf, 0x22))).toMatchObject({
      code: "encoding",
      offset: 2,
      line: 2,
      column: 1,
    });
    expect(code(bytes(0x22, 0xed, 0xa0, 0x80, 0x22))).toBe("encoding");
    expect(code(bytes(0x22, 0xf4, 0x90, 0x80, 0x80, 0x22))).toBe("encoding");
    expect(refusal(bytes(0x22, 0x61, 0xe2, 0x82))).toMatchObject({ code: "encoding", offset: 2 });
    expect(readJsonBytes(Buffer.from('["é€😀"]'), limits)).toEqual(["é€😀"]);
    // A view into a larger buffer: nothing beside it is read.
    expect(readJsonBytes(Buffer.from('xx["a"]xx').subarray(2, 7), limits)).toEqual(["a"]);
  });
});

describe("readJson holds texts to limits", () => {
  const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);

  it("depth, to the level", () => {
    expect(readJson(nested(32), limits)).toBeInstanceOf(Array);
    expect(code(nested(33))).toBe("too-deep");
    expect(code('{"a":'.repeat(33) + "1" + "}".repeat(33))).toBe("too-deep");
    expect(readJson("1", { ...limits, maxDepth: 0 })).toBe(1);
    expect(code("[]", { ...limits, maxDepth: 0 })).toBe("too-deep");
  });

  // Attack: 100,000 brackets overflow the stack of a reader that recurses, 64 MB of them do it to one with a small stack.
  it("never overflows the stack", () => {
    expect(code("[".repeat(100_000))).toBe("too-deep");
    expect(code("[".repeat(64 * 1024 * 1024))).toBe("too-deep");
    expect(code(nested(513), wide)).toBe("too-deep");
    expect(readJson(nested(512), wide)).toBeInstanceOf(Array);
    expect(() => readJson("1", { ...limits, maxDepth: 513 })).toThrow(RangeError);
    expect(() => readJson("1", { ...limits, maxDepth: NaN })).toThrow(RangeError);
  });

  it("keys of all objects together, to the key", () => {
    const text = '[{"a":1,"b":{"c":2}},{"d":3}]';
    expect(readJson(text, { ...limits, maxKeys: 4 })).toBeInstanceOf(Array);
    expect(code(text, { ...limits, maxKeys: 3 })).toBe("too-many-keys");
    const million = `{${Array.from({ length: 1_000_000 }, (_, index) => `"${index}":0`).join()}}`;
    expect(code(million)).toBe("too-many-keys");
  });

  it("length of a key after escapes are resolved, to the character", () => {
    expect(readJson(`{"${"k".repeat(256)}":1}`, limits)).toBeTypeOf("object");
    expect(code(`{"${"k".repeat(257)}":1}`)).toBe("key-too-long");
    expect(readJson(`{"${"\\u006b".repeat(256)}":1}`, limits)).toBeTypeOf("object");
  });

  it("bytes of UTF-8, to the byte, before anything is read", () => {
    const text = '"é€😀"';
    const size = Buffer.byteLength(text);
    for (const read of [text, Buffer.from(text)]) {
      expect(code(read, { ...limits, maxBytes: size - 1 })).toBe("too-large");
    }
    expect(readJson(text, { ...limits, maxBytes: size })).toBe("é€😀");
    expect(readJsonBytes(Buffer.from(text), { ...limits, maxBytes: size })).toBe("é€😀");
    expect(code("[".repeat(1_000), { ...limits, maxBytes: 999 })).toBe("too-large");
  });
});

describe("readJson makes objects that inherit nothing", () => {
  it("at every level", () => {
    const value = readJson('{"a":{"b":[{}]}}', limits) as { a: { b: object[] } };
    for (const object of [value, value.a, value.a.b[0]]) expect(Object.getPrototypeOf(object)).toBeNull();
    expect(Object.getPrototypeOf(value.a.b)).toBe(Array.prototype);
    expect("toString" in value).toBe(false);
  });
});

describe("JsonError says where", () => {
  it.each<[string, Partial<JsonError>]>([
    ['{"a":1,\n "b":[1,{"c":tru}]}', { code: "syntax", line: 2, column: 17, pointer: "/b/1/c" }],
    ['{"a":1,\r\n "a":2}', { code: "duplicate-key", line: 2, column: 2, pointer: "/a" }],
    ['[[1],[{"x/y~z":1e999}]]', { code: "number", offset: 15, pointer: "/1/0/x~1y~0z" }],
    ['{"a":{"__proto__":1}}', { code: "forbidden-key", offset: 6, pointer: "/a/__proto__" }],
    ['{"a":[0,"x\\"],{"x]}', { code: "syntax", pointer: "/a/1" }],
    ["[1, 2 ", { code: "syntax", offset: 6, pointer: "/1" }],
    ['{"a":1} x', { code: "syntax", offset: 8, pointer: "" }],
    ['{"":{"b":[]},"c":-}', { code: "syntax", offset: 18, pointer: "/c" }],
  ])("%j", (text, place) => expect(refusal(text)).toMatchObject(place));

  it("and its pointer leads to the value, whatever stands before it", () => {
    fc.assert(
      fc.property(anyJson, anyJson, (before, beside) => {
        const text = JSON.stringify([{ before, beside, bad: { in: ["x", "BAD"] } }]).replace('"BAD"', "-");
        fc.pre(text.split("-]").length === 2);
        expect(refusal(text, wide).pointer).toBe("/0/bad/in/1");
      }),
    );
  });

  // Attack: a key that clears the terminal, or hides itself, when the message is shown.
  it("without showing control, bidi or invisible characters, and no more than 80 of a key", () => {
    const message = refusal(`{"\\u001b[2J\\u202e\\u200b\\n":1,"\\u001b[2J\\u202e\\u200b\\n":2}`).message;
    expect(message).toBe("has a key `\\u{1b}[2J\\u{202e}\\u{200b}\\n` that occurs twice");
    expect(refusal(`{"${"k".repeat(300)}":1}`).message.length).toBeLessThan(140);
    expect(quote("a`b\\c\u00a0\u{e0041}")).toBe("`a\\u{60}b\\\\c\\u{a0}\\u{e0041}`");
  });
});
