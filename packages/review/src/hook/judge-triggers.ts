import { actionRows } from "hookwarden/catalogue";
import { codedTextFindings, swallowFindings } from "../findings/code-paths.ts";
import { hashFindings, hiddenTextFindings } from "../findings/computed.ts";
import { cutFindings, digestFindings, explainedKinds, identityFindings } from "../findings/conditions.ts";
import { dependenceFindings } from "../findings/dependences.ts";
import { rewriteFindings } from "../findings/rewrites.ts";
import { textFindings } from "../findings/texts.ts";
import { opensGate, turnFindings } from "../findings/triggers.ts";
import { unmetFindings } from "../findings/unmet.ts";
import { writtenTextFindings } from "../findings/written-texts.ts";
import { has } from "../program/labels.ts";
import type { Trigger } from "../report.ts";
import type { Run } from "../run/runner.ts";
import { kindOfTurn, textsFor } from "./behaviour.ts";
import { documentedNames } from "./config-switch.ts";
import type { Evidence } from "./evidence.ts";

/** Findings about what answers depend on, from the code and from the runs. */
export function judgeTriggers({ context, turns, dependences, instrumented, all }: Evidence): void {
  const { analysis, coverage, runner, text, drafts } = context;
  const explained = explainedKinds(analysis);
  // A name that the code has and the configuration has not is documented by neither.
  for (const turn of turns.filter(({ slot }) => slot.kind === "tenant" || slot.kind === "id"))
    if (
      turn.opens &&
      text.source.includes(JSON.stringify(turn.to)) &&
      !runner.hook.configJson.includes(turn.to)
    )
      explained.delete(kindOfTurn(turn));
  const relevant = turns.filter((turn) => !explained.has(kindOfTurn(turn)) || kindOfTurn(turn) === "field");
  const opening = new Set<Trigger["kind"]>(relevant.filter(opensGate).map(kindOfTurn));
  const canHold = runner.hook.manifest.actions.some((action) => actionRows.get(action)?.kind !== "addition");
  const found = [
    ...turnFindings(relevant.filter((turn) => !(explained.has("field") && turn.slot.path === "cwd"))),
    ...identityFindings(analysis, coverage, opening),
    ...dependenceFindings(
      dependences.filter(
        ({ slot }) => !explained.has(slot.kind === "id" ? "session" : (slot.kind as Trigger["kind"])),
      ),
      runner.full,
      text,
      canHold,
    ),
    ...digestFindings(analysis, coverage),
    ...unmetFindings(analysis, coverage),
    ...cutFindings(analysis, coverage),
    ...swallowFindings(analysis),
    ...codedTextFindings(analysis),
    ...hashFindings(instrumented, runner.full, text),
    ...hiddenTextFindings(instrumented, emittedOf(all), runner.full, text),
    ...textFindings(all),
    ...rewriteFindings(all),
    ...writtenTextFindings(analysis, [
      ...emittedOf(all).map(({ text: written }) => written),
      ...rewritesOf(all),
    ]),
  ];
  // A calendar that the configuration documents is for a person to read, and so is a hint that has its time.
  const isConfigured =
    documentedNames(runner.hook.manifest.config).size > 0 &&
    analysis.predicates.some(({ mask }) => has(mask, "time") && has(mask, "config"));
  drafts.push(
    ...found.map((one) =>
      (isConfigured || !canHold) && one.code === "trigger-time" && one.severity === "high"
        ? { ...one, severity: "medium" as const }
        : one,
    ),
  );
}

/** What fields were rewritten to. */
function rewritesOf(runs: readonly Run[]): readonly string[] {
  return runs.flatMap(({ effect }) => [...effect.changes.values()]);
}

function emittedOf(
  runs: readonly Run[],
): readonly { readonly text: string; readonly args: readonly string[] }[] {
  return runs.flatMap((run) => textsFor(run).map(({ text }) => ({ text, args: run.args })));
}
