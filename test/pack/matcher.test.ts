import { describe, expect, it } from "vitest";
import { compileMatcher, matcherLimits } from "../../src/facts/index.ts";
import { errorOf, loadGuard } from "./packs.ts";

function matches(source: string, name: string): boolean {
  const result = compileMatcher(source);
  if (!result.ok) throw new Error(result.problem);
  return result.matcher === null || result.matcher.test(name);
}

function problem(source: string): string {
  const result = compileMatcher(source);
  if (result.ok) throw new Error(`\`${source}\` was accepted`);
  return result.problem;
}

describe("a matcher that is a name or a list", () => {
  it.each([
    ["Bash", "Bash"],
    ["Edit|Write", "Write"],
    ["Edit, Write", "Write"],
    [" Edit | Write ", "Edit"],
    ["mcp__files__read-all", "mcp__files__read-all"],
    ["two words", "two words"],
  ])("%j matches %j", (source, name) => expect(matches(source, name)).toBe(true));

  // Attack: a tool whose name looks like, contains or extends the guarded one is not the guarded one; and a guard that
  // were not anchored would also fire where it is not expected.
  it.each([
    "BashOutput",
    "mcp__x__Bash",
    "bash",
    "BASH",
    "Bash\n",
    " Bash",
    "Bash ",
    "Ваsh",
    "Ba\u200bsh",
    "Ｂａｓｈ",
    "Bash\0",
    "",
  ])("`Bash` does not match %j", (name) => {
    expect(matches("Bash", name)).toBe(false);
    expect(matches("Bash|Edit", name)).toBe(false);
    // The same as a regular expression.
    expect(matches("(?:Bash)", name)).toBe(false);
  });

  it("does not match what only the list as a whole spells", () => {
    expect(matches("Edit|Write", "Edit|Write")).toBe(false);
    expect(matches("Edit|Write", "EditWrite")).toBe(false);
  });

  it.each(["constructor", "__proto__", "toString"])("knows the name %s byte for byte only", (name) => {
    expect(matches(name, name)).toBe(true);
    expect(matches("Bash|Edit", name)).toBe(false);
  });
});

describe("a matcher that is a regular expression", () => {
  it.each<[string, string, boolean]>([
    ["mcp__.*", "mcp__github__push", true],
    ["mcp__.*", "xmcp__github", false],
    ["Bash.?", "BashX", true],
    ["Bash.?", "BashXY", false],
    ["^Bash$", "Bash", true],
    ["a.c", "abc", true],
    ["(Edit)|(Write)", "Write", true],
    ["(Edit)|(Write)", "WriteX", false],
    ["(?i)bash", "BASH", true],
  ])("%j on %j: %j", (source, name, expected) => expect(matches(source, name)).toBe(expected));

  // Attack: a line break in a name ends `.*` in most engines, so that a guard on `.*` does not see the tool.
  it("lets `.` match every character", () => {
    for (const name of ["a\nb", "a\rb", "a\u2028b", "\n", "😀"]) expect(matches("(.*)", name)).toBe(true);
    expect(matches("Bash.*", "Bash\nrm")).toBe(true);
  });

  it.each(["(", "[a", "a{2,1}", "(?=a)", "(?<!a)b", "(a)\\1", "*a", "\\"])(
    "%j is refused when it is read",
    (source) => {
      expect(problem(source)).toContain("does not compile");
    },
  );

  // Attack (man-015): a backtracking engine takes longer than the universe on this.
  it("runs in linear time on a pattern that explodes elsewhere", () => {
    const name = "a".repeat(60);
    const start = performance.now();
    for (const source of [
      "^(([a-z])+.)+[A-Z]([a-z])+$",
      "(a+)+!",
      "(a|a)*!",
      "(.*)(.*)(.*)(.*)(.*)!",
      "(a*)*!",
    ]) {
      expect(matches(source, name)).toBe(false);
      expect(matches(source, "a".repeat(10_000))).toBe(false);
    }
    expect(performance.now() - start).toBeLessThan(5_000);
  });

  // Attack: a flood of new names fills the memory of the one who remembers answers.
  it("gives right answers for more names than it remembers", () => {
    const result = compileMatcher("t[0-9]*5");
    if (!result.ok || !result.matcher) throw new Error("refused");
    for (let round = 0; round < 2; round++) {
      for (let n = 0; n < matcherLimits.remembered * 3; n++)
        expect(result.matcher.test(`t${n}`)).toBe(n % 10 === 5);
    }
  });
});

describe("matchers without a clear meaning (man-018)", () => {
  it("absent and `*` mean every name", () => {
    expect(compileMatcher(undefined)).toMatchObject({ ok: true, matcher: null });
    expect(compileMatcher("*")).toMatchObject({ ok: true, matcher: null });
  });

  it.each(["", " ", "  "])("%j is refused", (source) => expect(problem(source)).toContain("empty matcher"));
  it.each(["|", ",", "Bash|", "|Bash", "Bash||Edit", "Bash, ,Edit"])("%j has an empty name", (source) =>
    expect(problem(source)).toContain("empty name"),
  );

  it.each<[unknown]>([[null], [[]], [["Bash"]], [{}], [0], [true]])("%j is no matcher", async (matcher) => {
    const error = await errorOf(loadGuard({ on: [{ event: "PreToolUse", matcher }] }));
    expect(error).toMatchObject({ code: "pack-invalid", place: { pointer: "/on/0/matcher" } });
  });
});

describe("limits of matchers (man-016)", () => {
  it("the length", () => {
    expect(problem("a".repeat(513))).toContain("512 characters");
    expect(problem(`(${"a".repeat(1_048_576)})`)).toContain("512 characters");
    expect(matches("a".repeat(512), "a".repeat(512))).toBe(true);
  });

  // Attack: a short pattern that expands to a million states.
  it.each([
    "(a{1,1000}){1,1000}",
    "(a{1,30}){1,30}",
    "a{1000}",
    "(?:a{1,100}){1,10}",
    "((a{1,9}){1,9}){1,9}",
  ])("the size of %s when it is compiled", (source) => expect(problem(source)).toMatch(/too large/));

  it("the names of a list", () => {
    const names = Array.from({ length: 65 }, (_, index) => `t${index}`);
    expect(problem(names.join("|"))).toContain("64 names");
    expect(matches(names.slice(1).join("|"), "t64")).toBe(true);
  });

  it("a message that holds a pattern shows little of it, and nothing that moves the cursor", () => {
    expect(problem(`(\u001b[2J${"x".repeat(400)}`)).not.toContain("\u001b");
    expect(problem(`(${"x".repeat(400)}`).length).toBeLessThan(300);
  });
});
