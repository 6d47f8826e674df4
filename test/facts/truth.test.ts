import { expect, test } from "vitest";
import { commandLine } from "./command-lines.ts";
import { random } from "./conditions.ts";
import { judge, startedBy } from "./truth.ts";

test("a command that the fact lacks is noticed, and so is one that was not started", () => {
  expect(judge("p1 a", [["p1", "b"]])).toMatchObject({
    missing: [["p1", "b"]],
    extra: [{ argv: ["p1", "a"] }],
  });
  expect(judge('p1 $x "$x"', [["p1", "a", "b"]])).toMatchObject({ missing: [], extra: [] });
});

// `npm run measure:facts` does the same with ten thousand.
test("facts.shell lists what real bash starts, or says that it does not know", ({ skip }) => {
  const lines = Array.from({ length: 40 }, (_, seed) => commandLine(random(seed)));
  const started = startedBy(lines);
  if (started === null) return skip("no namespace can be made here");
  expect(started.flat().length).toBeGreaterThan(lines.length);
  const verdicts = lines.map((line, index) => ({ line, ...judge(line, started[index] ?? []) }));
  expect(verdicts.filter(({ missing, extra }) => missing.length + extra.length > 0)).toEqual([]);
  // A fact that never knew anything would pass.
  expect(verdicts.filter(({ complete }) => complete).length).toBeGreaterThan(lines.length / 2);
});
