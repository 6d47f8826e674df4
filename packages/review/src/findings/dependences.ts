import type { Severity } from "../codes.ts";
import { draft, type Draft } from "../draft.ts";
import type { Dependence } from "../explore/explore.ts";
import { guestText } from "../guest-text.ts";
import type { InstrumentedProgram } from "../instrumented/instrument.ts";
import type { Comparison, Operand } from "../instrumented/recording.ts";
import type { ProgramText } from "../program/text.ts";
import type { Evidence } from "../report.ts";
import { codes, words } from "./triggers.ts";

/**
 * Conditions in the code that depend on what says nothing of the action, whether a run has met them or not.
 *
 * @param canHold whether the hook may stop or rewrite anything: hints may depend on the time.
 */
export function dependenceFindings(
  dependences: readonly Dependence[],
  program: InstrumentedProgram,
  text: ProgramText,
  canHold: boolean,
): readonly Draft[] {
  const found: Draft[] = [];
  const byKind = Map.groupBy(dependences, ({ slot }) => slot.kind);
  for (const [kind, all] of byKind) {
    const trigger =
      kind === "id"
        ? "session"
        : kind === "chance"
          ? "chance"
          : kind === "time"
            ? "time"
            : kind === "tenant"
              ? "tenant"
              : null;
    const code = trigger && codes[trigger];
    if (!trigger || !code) continue;
    const pairs = all.flatMap((one) =>
      one.pairs.map(({ before, after }) => ({ before, after, dependence: one })),
    );
    const relevant = pairs
      .map((one) => ({ ...one, constant: constantOf(one.before, one.after, one.dependence) }))
      .filter(({ constant, after }) => constant !== undefined || (after.op === "key" && kind === "tenant"));
    const branches = all.flatMap((one) => one.branches);
    const best = relevant.toSorted((a, b) => weight(b.constant) - weight(a.constant))[0];
    if (!best && branches.length === 0) continue;
    const offset = best
      ? placeOf(best.after, program)
      : (program.branches[branches[0] as number]?.start ?? 0);
    // Limits of calls compare the time with what they have kept.
    const isKept = all.every(({ input }) => input.state !== null);
    const severity: Severity =
      trigger === "time" && best && (!canHold || isKept || !isAbsolute(best.constant)) ? "medium" : "high";
    const evidence: Evidence[] = relevant.slice(0, 4).map(({ after }) => ({
      label: "compares",
      text: guestText(`${show(after.a)} ${after.op} ${show(after.b)}`, 200),
    }));
    const site = best && program.sites[best.after.site];
    if (site && best.after.site > 0)
      evidence.unshift({
        label: "code",
        text: guestText(text.slice(site.start, Math.min(site.end, site.start + 200)), 200),
      });
    found.push(
      draft(code, `a condition depends on ${words[trigger]}`, evidence, {
        severity,
        place: text.place(offset),
      }),
    );
  }
  return found;
}

function placeOf(pair: Comparison, { sites, branches }: InstrumentedProgram): number {
  return pair.site > 0 ? (sites[pair.site]?.start ?? 0) : (branches[pair.branch]?.start ?? 0);
}

function show(operand: Operand): string {
  return JSON.stringify(operand);
}

/** The operand that stayed as it was, where it is none that came with the event; `undefined` where there is none such. */
function constantOf(
  before: Comparison | null,
  after: Comparison,
  { input }: Dependence,
): Operand | undefined {
  if (after.op === "key") return undefined;
  const stays =
    before === null
      ? [after.b, after.a]
      : [before.b === after.b ? after.b : undefined, before.a === after.a ? after.a : undefined];
  const event = JSON.stringify(input.event);
  for (const operand of stays) {
    if (operand === undefined || operand === null || operand === "") continue;
    const kept = input.state ?? "";
    if (typeof operand === "string" && (event.includes(operand) || kept.includes(operand))) continue;
    if (typeof operand === "number" && kept.includes(String(operand)) && operand > 9) continue;
    // A number of the event, such as the year of a date in a text.
    if (typeof operand === "number" && operand > 99 && new RegExp(`\\b${operand}\\b`).test(event)) continue;
    return operand;
  }
  return undefined;
}

function weight(operand: Operand | undefined): number {
  if (typeof operand === "string") return 10 + operand.length;
  return typeof operand === "number" ? Math.min(9, Math.abs(operand)) : 0;
}

/** Whether a constant can only mean a point of the calendar or the clock, and no span. */
function isAbsolute(operand: Operand | undefined): boolean {
  if (typeof operand === "string")
    return /\d|mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec/i.test(operand);
  return (
    typeof operand === "number" &&
    (operand > 1e9 ||
      (Number.isInteger(operand) && operand >= 0 && operand <= 9_999 && ![1_000, 5_000].includes(operand)))
  );
}
