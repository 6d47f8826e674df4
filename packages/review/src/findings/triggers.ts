import { isLoosened } from "@hookwarden/testing/diff";
import { valueAt } from "@hookwarden/testing/mutate";
import { type ReviewCode, severities, type Severity } from "../codes.ts";
import { draft, type Draft } from "../draft.ts";
import type { AnswerChange } from "../explore/answer-change.ts";
import { eventEvidence, kindOfTurn } from "../hook/behaviour.ts";
import type { Trigger } from "../report.ts";
import { effectWords, opensFully } from "../run/effect.ts";
import type { Run } from "../run/runner.ts";
import { guestText } from "../guest-text.ts";

/** The finding for each kind of trigger. */
export const codes: { readonly [K in Trigger["kind"]]: ReviewCode | null } = {
  tenant: "trigger-tenant",
  time: "trigger-time",
  session: "trigger-session",
  chance: "trigger-random",
  state: "trigger-state",
  config: "trigger-config",
  size: "trigger-size",
  unicode: "trigger-unicode",
  text: "trigger-text",
  field: "trigger-field",
  prototype: "trigger-prototype",
  name: null,
  type: "trigger-type",
  fact: "trigger-fact",
};
/** What turned an answer, in words. */
export const words: { readonly [K in Trigger["kind"]]: string } = {
  tenant: "the tenant's name",
  time: "the time",
  session: "an id",
  chance: "chance",
  state: "its stored state",
  config: "its configuration",
  size: "the length of a text",
  unicode: "an invisible character",
  text: "a word that does not change the action",
  field: "a field unrelated to the action",
  prototype: "a name on every object's prototype",
  name: "a name",
  type: "a list or an object in place of a text",
  fact: "a fact that is not known",
};
/** Kinds on which no answer should depend. */
const never: ReadonlySet<string> = new Set(["tenant", "session", "chance"]);

/** Inputs that changed an answer and should not have. */
export function turnFindings(turns: readonly AnswerChange[]): readonly Draft[] {
  const found: Draft[] = [];
  const relevant = turns.filter(
    (turn) =>
      turn.harmless &&
      !movesInside(turn) &&
      (turn.opens ||
        (turn.before.effect.verdict !== turn.after.effect.verdict &&
          (never.has(kindOfTurn(turn)) || kindOfTurn(turn) === "time"))),
  );
  found.push(...caughtFindings(relevant.filter(({ grade }) => grade === "caught")));
  for (const [kind, all] of Map.groupBy(
    relevant.filter(({ grade }) => grade !== "caught"),
    kindOfTurn,
  )) {
    const code = codes[kind];
    if (code === null) continue;
    const named = kind === "text" ? all.flatMap(namedWord) : [];
    const weight = new Map(all.map((one) => [one, rankOf(severityOf(one, kind, named))]));
    const own = all.toSorted(
      (a, b) =>
        (weight.get(a) ?? 0) - (weight.get(b) ?? 0) ||
        Number(opensFully(b.before.effect, b.after.effect)) -
          Number(opensFully(a.before.effect, a.after.effect)) ||
        Number(b.opens) - Number(a.opens) ||
        a.to.length - b.to.length,
    );
    const turn = own[0] as AnswerChange;
    const severity = severityOf(turn, kind, named);
    if (severity === null) continue;
    const message = `${turn.opens ? "opens" : "turns"} by ${words[kind]}: ${effectWords(turn.before.effect)} becomes ${effectWords(turn.after.effect)} at ${turn.before.event} when \`${turn.slot.path}\` changes`;
    found.push(
      draft(
        code,
        message,
        [
          {
            label: `before: ${effectWords(turn.before.effect)}`,
            text: guestText(ranOf(turn.before, turn), 300),
          },
          {
            label: `after: ${effectWords(turn.after.effect)}`,
            text: guestText(ranOf(turn.after, turn), 300),
          },
          ...own
            .slice(1, 4)
            .map((other) => ({ label: `also ${other.slot.path}`, text: guestText(other.to, 120) })),
          eventEvidence(turn.after),
        ],
        { severity },
      ),
    );
  }
  return found;
}

/** Whether a change opens what is held, or undoes a rewrite: a hint less opens nothing, nor does the end of a limit. */
export function opensGate({ opens, grade, before: { effect } }: AnswerChange): boolean {
  return opens && grade !== "exempt" && (effect.verdict !== "continue" || effect.changes.size > 0);
}

/** Whether another working directory has other paths of the event in it: then it changes what is done. */
function movesInside({ slot, before, after }: AnswerChange): boolean {
  if (slot.path !== "cwd") return false;
  const paths =
    JSON.stringify({ ...before.input.event, cwd: "" }).match(/(?<=["\s=:@])\/[^\s"'\\;|&]*/g) ?? [];
  const inside = ({ input }: Run): string => {
    const folder = `${String(input.event["cwd"]).replace(/\/+$/, "")}/`;
    return paths.map((path) => Number(`${path}/`.startsWith(folder))).join("");
  };
  return inside(before) !== inside(after);
}

/** Texts that make the code throw and go on as if nothing were wrong. */
function caughtFindings(turns: readonly AnswerChange[]): readonly Draft[] {
  const [turn] = turns.toSorted((a, b) => a.to.length - b.to.length);
  if (!turn) return [];
  // A word behind a command is a comment, and one more in a prompt is prose; one in a document can break the document.
  const same = /(?:^|\.)(?:command|cmd|script|prompt)$/.test(turn.slot.path);
  return [
    draft(
      "fault-opens",
      `an exception that the code catches lets the step go: ${effectWords(turn.before.effect)} becomes ${effectWords(turn.after.effect)} at ${turn.before.event} when \`${turn.slot.path}\` changes`,
      [
        {
          label: `before: ${effectWords(turn.before.effect)}`,
          text: guestText(ranOf(turn.before, turn), 300),
        },
        { label: `after: ${effectWords(turn.after.effect)}`, text: guestText(ranOf(turn.after, turn), 300) },
        eventEvidence(turn.after),
      ],
      { severity: same && opensFully(turn.before.effect, turn.after.effect) ? "high" : "medium" },
    ),
  ];
}

/** Fields with what the model itself has written. */
const modelSays = /^(?:last_assistant_message|message)(?:\.|$)/;

/** What honest hooks keep to let go later: that something was done, and what. */
const expectedStates = /^state \((?:flag|as kept|list)\)$|^state\..*\.\d+$/;
/** Events that a hook only holds back for a while: without a limit the model would never end. */
const endOfWork = /^(?:Subagent)?Stop$/;

/** Commands after which data is gone. */
const destructive =
  /(?:^|[\s;&|/])(?:rm\s+(?:-\S+\s+)*-\w*[rf]|mkfs|shred\s|wipefs\s|dd\s.*\bof=|truncate\s)/;

/** How much a turn weighs; `null` where it is what the hook is about. */
function severityOf(turn: AnswerChange, kind: Trigger["kind"], named: readonly string[]): Severity | null {
  const full = opensFully(turn.before.effect, turn.after.effect);
  // Only a gate can be opened; what is no longer added is no trigger.
  if (kind === "type" || kind === "fact") return full && stops(turn) ? "medium" : "low";
  if (kind === "state") {
    if (!stops(turn) && turn.before.effect.changes.size === 0) return "medium";
    const isExpected = expectedStates.test(turn.slot.path) || endOfWork.test(turn.before.event);
    return full && !isExpected ? "high" : "medium";
  }
  // Many honest hooks look at the start of a command only, few at its end, and few where data is lost.
  if (turn.word === "plain") {
    const isOpened = stops(turn) && turn.grade === "end";
    return isOpened || destructive.test(turn.from) ? "medium" : "low";
  }
  // What is rewritten for convenience is rightly left alone where the hook does not know the syntax.
  if (!stops(turn) && (turn.grade === "syntax" || /^\d+ lines more$/.test(turn.to))) return "medium";
  if (turn.grade === "exempt") return "medium";
  if (turn.grade === "required") return isAnnounced(turn) ? null : "medium";
  if (turn.grade === "parsing") return "low";
  // Another try is asked for until the model says what the hook wants to hear.
  if (turn.before.effect.verdict === "retry" && modelSays.test(turn.slot.path)) return "medium";
  // A way out that the refusal itself names is no secret.
  if (named.some((word) => turn.to.includes(word))) return "medium";
  if (kind === "field" && !stops(turn)) return "low";
  // A hint that is given at times, and nothing else, opens nothing.
  if (never.has(kind) || kind === "time") {
    const { verdict, changes } = turn.before.effect;
    if (verdict === "continue" && changes.size === 0 && turn.after.effect.additions.size === 0)
      return "medium";
  }
  return full || never.has(kind) ? "high" : "medium";
}

/** The word that was added, where the refusal itself names it. */
function namedWord({ before, from, to }: AnswerChange): readonly string[] {
  const added = to.replace(from, () => "").replaceAll(/^[\s#]+|[\s#]+$/g, "");
  const said = (before.output ?? "").toLowerCase();
  return added.length >= 3 && said.includes(JSON.stringify(added).slice(1, -1).toLowerCase()) ? [added] : [];
}

/** Whether the refusal speaks of what it asks for: one of the words, at least. */
function isAnnounced({ before, to }: AnswerChange): boolean {
  const said = (before.output ?? "").toLowerCase();
  return (to.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? []).some((word) => said.includes(word));
}

/** What ran, as far as it changed: the value of the field, or the part of the context. */
function ranOf({ input }: AnswerChange["before"], { slot }: AnswerChange): string {
  if (slot.kind === "tenant") return input.tenant;
  if (slot.kind === "time") return input.event.time;
  if (slot.kind === "state") return input.state ?? "(no state)";
  if (slot.kind === "fact") return JSON.stringify(input.facts ?? "(as derived)");
  const value: unknown = valueAt(input.event, slot.path.split("."));
  return value === undefined ? "(absent)" : typeof value === "string" ? value : JSON.stringify(value);
}

function stops({ before }: AnswerChange): boolean {
  return isLoosened(before.effect.verdict, "continue");
}

/** The worst first, and last what is no finding. */
function rankOf(severity: Severity | null): number {
  return severity === null ? severities.length : severities.indexOf(severity);
}
