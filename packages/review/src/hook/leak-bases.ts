import { leavesOf } from "@hookwarden/testing/mutate";
import type { Run } from "../run/runner.ts";

/** Runs that say something: the shortest of each kind, and then one for each other set of fields with texts. */
export function leakBases(runs: readonly Run[], reads: readonly string[]): readonly Run[] {
  const speaking = runs.filter(
    ({ answer }) =>
      answer.ok && answer.actions.length > 0 && answer.actions.some(({ action }) => action !== "continue"),
  );
  const shortest = (own: readonly Run[]): Run =>
    own.reduce((a, b) => (b.args[0].length < a.args[0].length ? b : a));
  const kinds = Map.groupBy(
    speaking,
    (run) =>
      `${run.event} ${run.answer.ok ? run.answer.actions.map(({ action }) => action).join() : ""} ${String(run.input.event["tool_name"] ?? "")}`,
  );
  const bases = [...kinds.values()].map(shortest);
  const shapeOf = ({ input: { event } }: Run): string =>
    leavesOf(event, reads)
      .filter(({ value }) => typeof value === "string")
      .map(({ path }) => path.map((step) => (/^\d+$/.test(step) ? "*" : step)).join("."))
      .join(" ");
  const known = new Set(bases.map(shapeOf));
  const others = [...Map.groupBy(speaking, shapeOf)].filter(([shape]) => !known.has(shape));
  return [...bases, ...others.map(([, own]) => shortest(own))];
}
