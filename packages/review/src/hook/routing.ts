import { withValue, wordsOf } from "@hookwarden/testing/mutate";
import { type Condition, conditionText, type ConditionTest } from "hookwarden/facts";
import { type Draft, draft } from "../draft.ts";
import { isAside } from "../explore/slots.ts";
import { guestText } from "../guest-text.ts";
import { acts } from "../run/effect.ts";
import { type Input, validEvent } from "../run/input.ts";
import type { Run, Runner } from "../run/runner.ts";
import { neutralWord } from "../explore/slots.ts";

const max = { bases: 4, values: 12 } as const;

/** A pair of events: the hook is called for the first only, and would stop both. */
interface Passed {
  readonly path: string | null;
  readonly before: Run | null;
  readonly after: Run;
}

/**
 * Treats `when` as a branch that lets events past: looks for events that the hook would stop if it were called, among those
 * that were run and by setting the fields that the condition tests.
 */
export async function routeFindings(runner: Runner, runs: readonly Run[]): Promise<readonly Draft[]> {
  const conditions = runner.hook.on.flatMap(({ when }) => (when ? [when.condition] : []));
  if (conditions.length === 0) return [];
  const text = conditions.map(conditionText).join("; ");
  const condition = { label: "when", text: guestText(text, 400) };
  const routed = runs.filter(({ input }) => runner.isRouted(input));
  const stopped = runs.filter(({ answer, effect }) => answer.ok && acts(effect));
  const passed = await passedBy(runner, conditions, stopped);
  if (passed !== null) {
    const { before, after, path } = passed;
    return [
      draft(
        "when-opens",
        path === null
          ? "the condition of a subscription lets past an event that the hook would stop"
          : `the condition of a subscription lets past what the hook stops when \`${path}\` changes`,
        [
          condition,
          ...(before ? [{ label: "called", text: guestText(before.args[0], 400) }] : []),
          { label: "not called", text: guestText(JSON.stringify(after.input.event), 400) },
        ],
        { severity: path !== null && isAside(path) ? "high" : "medium" },
      ),
    ];
  }
  if (routed.length > 0 && routed.length < runs.length) return [];
  const what = routed.length === 0 ? "meets" : "does not meet";
  return [
    draft("when-opens", `no event of the review ${what} the condition of a subscription`, [condition], {
      severity: "medium",
    }),
  ];
}

async function passedBy(
  runner: Runner,
  conditions: readonly Condition[],
  stopped: readonly Run[],
): Promise<Passed | null> {
  const called = stopped.filter(({ input }) => runner.isRouted(input));
  for (const before of called.slice(0, max.bases))
    for (const test of conditions.flatMap(testsOf))
      for (const value of valuesOf(test).slice(0, max.values)) {
        const input = withField(before.input, test.path, value);
        if (input === null || runner.isRouted(input)) continue;
        const after = await runner.run(input);
        if (after?.answer.ok && acts(after.effect)) return { path: test.path, before, after };
      }
  const after = stopped.find(({ input }) => !runner.isRouted(input));
  return after ? { path: null, before: null, after } : null;
}

function testsOf(condition: Condition): readonly ConditionTest[] {
  if ("not" in condition) return testsOf(condition.not);
  if ("all" in condition) return condition.all.flatMap(testsOf);
  if ("any" in condition) return condition.any.flatMap(testsOf);
  return "option" in condition ? [] : [condition];
}

/** Values that meet a test, and some that do not. */
function valuesOf({ equals, in: list = [], prefix, pattern }: ConditionTest): readonly unknown[] {
  return [
    ...(equals === undefined ? [] : [equals]),
    ...("option" in list ? [] : list),
    ...(prefix === undefined ? [] : [`${prefix}x`, prefix]),
    ...(pattern === undefined ? [] : wordsOf(pattern, "")),
    neutralWord,
    true,
    false,
    undefined,
  ];
}

/** The input with a field of its event set; `null` for facts, which follow from fields, and for elements of lists. */
function withField(input: Input, path: string, value: unknown): Input | null {
  const names = path.split(".");
  if (names[0] === "facts" || names.includes("*")) return null;
  const event = validEvent(withValue(input.event, names, value));
  return event && { ...input, origin: "made", label: `${input.label}; another ${path}`, event };
}
