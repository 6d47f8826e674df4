import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sanitizeText, sanitizeVisibleText } from "../../src/text/sanitize-text.ts";
import { propertyRuns } from "../support/property-runs.ts";

// Written out apart from the implementation: what no terminal, log or page may get from a stranger.
// oxlint-disable-next-line no-control-regex
const forbidden =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]/u;

/** Characters whose rules look at their neighbours, close together. */
const tricky = fc
  .array(
    fc.constantFrom(
      ..."aé中ك्1❤👩",
      "\u200d",
      "\u200c",
      "\ufe0f",
      "\ufe0e",
      "\u0301",
      "\u202e",
      "\r",
      "\n",
      "\ud83d",
      "\udc69",
      "\u00ad",
      "\u3164",
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(""));

describe("a text for people", () => {
  test.each([
    ["plain text with\ttabs and\nlines", "plain text with\ttabs and\nlines"],
    // A screen cleared, a line forged.
    ["no\u001b[2J\u001b[H\u001b[32mAllowed", "no[2J[H[32mAllowed"],
    // The 8-bit forms of the same.
    ["a\u009b31mb\u009dx", "a31mbx"],
    ["one\r\ntwo\rthree\u2028four\u2029five\u0085six\u000bseven", "one\ntwothree\nfour\nfivesixseven"],
    ["a\u202eevil\u202c b\u2066c\u2069\u200f\u061c", "aevil bc"],
    ["ok\u200b\u200c\u200d\u2060\ufeff\u00ad\ufe0f", "ok"],
    [`ok${[..."hidden"].map((c) => String.fromCodePoint(0xe0000 + c.charCodeAt(0))).join("")}`, "ok"],
    ["bad \ud800 and \udfff", "bad \ufffd and \ufffd"],
    ["a\u{e0100}\ufe00\u034f\u180eb", "ab"],
    ["x\u0000y", "xy"],
  ])("%j", (text, safe) => {
    expect(sanitizeText(text)).toBe(safe);
  });

  test.each([
    "Grüße, naïve café",
    "Tiếng Việt",
    "日本語、中文、한국어",
    "می‌خواهم", // A joiner that Persian spelling needs.
    "क्‍ष ഈശ്വരൻ",
    "👩‍👩‍👧 🏳️‍🌈 👍🏽 ❤️ 1️⃣",
    "שלום עולם",
    "สวัสดี",
    "e\u0301\u0323",
    "∀x∈ℝ: ⌈x⌉ = −⌊−x⌋",
  ])("keeps what is written in many scripts: %s", (text) => {
    expect(sanitizeText(text)).toBe(text);
  });

  test("caps combining marks on one character", () => {
    const flood = sanitizeText(`Z${"\u0301\u0336\u035f".repeat(33_333)}x`);
    expect(flood).toMatch(/^Z\p{M}{8}x$/u);
  });

  test("lets joiners and selectors hide no bits", () => {
    expect(sanitizeText("a\u200db\u200cc")).toBe("abc");
    expect(sanitizeText("中\u200d文")).toBe("中文");
    expect(sanitizeText(`❤${"\ufe0f".repeat(50)}`)).toBe("❤\ufe0f");
    expect(sanitizeText("a\ufe0fb\ufe0ec")).toBe("abc");
  });

  test("holds nothing forbidden, whatever comes in, and is stable", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary", maxLength: 60 }), tricky), (text) => {
        const safe = sanitizeText(text);
        expect(safe).not.toMatch(forbidden);
        expect(safe.isWellFormed()).toBe(true);
        expect(sanitizeText(safe)).toBe(safe);
      }),
      { numRuns: propertyRuns(400) },
    );
  });

  test("of half a million hostile characters takes no more than a moment", () => {
    for (const unit of ["\u200d", "\u0301", "❤\ufe0f", "a\u200d", "\u202e", "\ud800"]) {
      const started = performance.now();
      sanitizeText(unit.repeat(500_000 / unit.length));
      // Quadratic time would be minutes.
      expect(performance.now() - started).toBeLessThan(5_000);
    }
  });
});

test.each(["", " ", "\u3164", "\u2800\u00a0\u115f\u1160\uffa0", "\u200b\u200d", "\u0301", "\n\t"])(
  "%j shows nothing",
  (text) => {
    expect(sanitizeVisibleText(text, "(nothing)")).toBe("(nothing)");
  },
);

test.each(["a", " . ", "中", "👍", "\u2800x"])("%j shows something", (text) => {
  expect(sanitizeVisibleText(text, "(nothing)")).toBe(text);
});
