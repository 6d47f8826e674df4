import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readShell } from "../lib/shell/read.ts";
import { propertyRuns } from "../../test/support/property-runs.ts";

const started = (command: string): readonly string[] =>
  readShell(command, "/workspace").invocations.map(({ name, args }) => [name, ...args].join(" "));

describe("what a command line starts", () => {
  test.each([
    ["a; b && c || d | e &", ["a", "b", "c", "d", "e"]],
    ["sudo -u root env A=b nice -n 5 a x", ["a x"]],
    ["bash -c 'a; b'", ["bash -c a; b", "a", "b"]],
    ["find x -exec a {} \\;", ["find x -exec a {} ;", "a x/\u0001"]],
    ["echo 'a b' | xargs c", ["echo a b", "c a b"]],
    ["X='a b'; c $X \"$X\"", ["c a b a b"]],
    ["a{b,c} /{x,y}", ["ab ac /x /y"]],
    ["for i in 1 2; do a $i; done", ["a 1 2"]],
    ["cat <<E\n$(a)\nE", ["a", "cat"]],
  ])("%s", (command, expected) => expect(started(command)).toEqual(expected));

  test("a working directory is followed, and left with its subshell", () => {
    const places = readShell("a; (cd /x; b); cd ../y; c; cd; d", "/home/ann/z").invocations;
    expect(Object.fromEntries(places.map(({ name, cwd }) => [name, cwd]))).toMatchObject({
      a: "/home/ann/z",
      b: "/x",
      c: "/home/ann/y",
      d: "/home/ann",
    });
  });
});

describe("any text at all", () => {
  const words = [
    "rm",
    "-rf",
    "/",
    "$X",
    "${X:-a}",
    "$(",
    ")",
    "`",
    "'",
    '"',
    "\\",
    "{a,b}",
    "{",
    "}",
    "|",
    "&&",
    ";",
    "\n",
    "<<E\n",
    "E\n",
  ];
  const more = [
    "(",
    "if",
    "then",
    "fi",
    "for",
    "in",
    "do",
    "done",
    "case",
    "esac",
    "f(){",
    "~",
    "*",
    "sh -c",
    "eval",
    "xargs",
    "X=",
    "#",
    "[[",
    "]]",
    "$((",
    "))",
    "\u0001",
    "é",
    " ",
  ];
  const noise = fc
    .array(fc.constantFrom(...words, ...more), { maxLength: 60 })
    .map((parts) => parts.join(" "));

  test("is read without an exception, within the limits, and twice the same", () => {
    fc.assert(
      fc.property(fc.oneof(noise, fc.string({ maxLength: 300 })), (command) => {
        const reading = readShell(command, "/workspace");
        expect(reading.invocations.length).toBeLessThanOrEqual(2_000);
        expect(readShell(command, "/workspace")).toEqual(reading);
      }),
      { numRuns: propertyRuns(300), seed: 7 },
    );
  });

  test.each([
    ["$("],
    ["`"],
    ["("],
    ["{a,"],
    ["${a:-"],
    ["'"],
    ["<<a "],
    ["f(){ "],
    ["if "],
    ["a|"],
    ["eval "],
    ["sudo "],
    ["X=a$X;"],
    ["{a,b}"],
  ])("repeated %s ends", (piece) => {
    expect(readShell(piece.repeat(5_000), "/workspace").invocations.length).toBeLessThanOrEqual(2_000);
  });
});
