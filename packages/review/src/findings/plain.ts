import { eventRows } from "hookwarden/catalogue";
import { draft, type Draft } from "../draft.ts";
import type { AttackProbeRun } from "../hook/attack.ts";
import { eventEvidence } from "../hook/behaviour.ts";
import type { Differences } from "../hook/determinism.ts";
import type { ReadTree } from "../hook/read-tree.ts";
import type { BaselineRun } from "../hook/baseline.ts";
import type { CodeSection, EventCost, Interference, PowersSection, ReadsSection } from "../report.ts";
import type { Run } from "../run/runner.ts";
import { guestText, guestJson } from "../guest-text.ts";

/** Events below this are small: an honest hook does not run into a limit on them. */
const smallBytes = 16_384;
/** Steps above this are much for a small event, and so many times those of the middle one. */
const burst = { steps: 400_000, times: 25 } as const;
/** Share of a limit that is much for every call. */
const muchOfLimit = 0.2;
/** Share of it for one small event from which on the event was made for that. */
const worstOfLimit = 0.4;

export function readFindings(
  reads: ReadsSection,
  tree: ReadTree,
  interference: Interference,
): readonly Draft[] {
  const found: Draft[] = [];
  if (interference.leaks.length > 0) {
    found.push(
      draft(
        "read-hidden",
        `the answer depends on \`${interference.leaks[0]?.path}\`, without a recorded read`,
        interference.leaks.slice(0, 3).map(({ path, event }) => ({ label: path, text: event })),
      ),
    );
  }
  const needless = reads.unused.length > 0 || (reads.declared.includes("*") && !reads.smallest.includes("*"));
  if (reads.recorded > 0 && needless)
    found.push(
      draft(
        "reads-too-much",
        `declares \`${reads.declared.join("`, `")}\`, and \`${reads.smallest.join("`, `") || "nothing"}\` is enough`,
      ),
    );
  const who = [
    ...["tenant", "time", "(clock)", "(chance)"].filter((name) => tree.readsContext(name)),
    ...["session_id", "agent_id", "tool_use_id"].filter((name) => tree.readsField(name)),
  ];
  if (who.length > 0) found.push(draft("reads-identity", `reads ${who.join(", ")}`));
  return found;
}

export function determinismFindings(
  { determinism, repeated, engines }: Differences,
  watched: readonly BaselineRun[],
): readonly Draft[] {
  const found: Draft[] = [];
  if (repeated[0])
    found.push(
      draft(
        "not-deterministic",
        `${determinism.repeated.different + determinism.shuffled.different} calls gave a different answer when repeated`,
        [eventEvidence(repeated[0])],
      ),
    );
  const [first] = watched;
  if (first) {
    found.push(
      draft(
        "watched-differs",
        `${watched.length} calls gave a different answer while their reads were recorded`,
        [
          { label: "alone", text: guestText(first.output ?? first.fault ?? "(nothing)") },
          {
            label: "watched",
            text: guestText(first.instrumented?.output ?? first.instrumented?.fault ?? "(nothing)"),
          },
          eventEvidence(first),
        ],
      ),
    );
  }
  const [other] = engines;
  if (other) {
    const verdicts = engines.find(({ here, there }) => here.effect.verdict !== there.effect.verdict);
    const { here, there } = verdicts ?? other;
    found.push(
      draft("engine-differs", `${engines.length} calls gave a different answer on the other engine`, [
        { label: "quickjs", text: guestText(here.output ?? here.fault ?? "(nothing)") },
        { label: "isolate", text: guestText(there.output ?? there.fault ?? "(nothing)") },
        eventEvidence(here),
      ]),
    );
  }
  return found;
}

export function costFindings(
  costs: readonly EventCost[],
  runs: readonly Run[],
  stepLimit: number,
): readonly Draft[] {
  const found: Draft[] = [];
  for (const [event, own] of Map.groupBy(runs, (run) => run.event)) {
    const small = own.filter(({ args }) => args[0].length < smallBytes);
    const median =
      small.map(({ outcome }) => outcome.steps ?? 0).sort((a, b) => a - b)[Math.floor(small.length / 2)] ?? 0;
    const worst = small.filter(
      ({ outcome }) =>
        (outcome.steps ?? 0) > Math.max(burst.steps, burst.times * median) ||
        (!outcome.ok &&
          ["steps-exceeded", "memory-exceeded", "stack-exceeded"].includes(outcome.fault.code)) ||
        (!outcome.ok && outcome.fault.code === "timeout" && (outcome.steps ?? 0) > burst.steps),
    );
    const [first] = worst.toSorted((a, b) => a.args[0].length - b.args[0].length);
    if (first)
      found.push(
        draft(
          "cost-burst",
          `an event of ${first.args[0].length} bytes at ${event} costs ${first.outcome.steps ?? "too many"} steps${first.fault ? ` and ends in ${first.fault}` : ""}; the median call costs ${median}`,
          [eventEvidence(first)],
          {
            severity:
              first.fault !== null || (first.outcome.steps ?? 0) > stepLimit * worstOfLimit
                ? "high"
                : "medium",
          },
        ),
      );
    if (median > stepLimit * muchOfLimit)
      found.push(draft("cost-always", `the median call at ${event} costs ${median} of ${stepLimit} steps`));
  }
  for (const { event, exponent, field, falls } of costs) {
    if (exponent !== null && exponent > 1.6)
      found.push(
        draft(
          "cost-growth",
          `at ${event} steps grow with the size of \`${field}\` to the power ${exponent}${falls ? `; \`${falls.limit}\` is reached at ${falls.inputBytes} bytes` : ""}`,
        ),
      );
  }
  return found.slice(0, 4);
}

export function attackFindings(probes: readonly AttackProbeRun[]): readonly Draft[] {
  const found: Draft[] = [];
  const opened = probes.find((probe) => probe.opened > 0);
  if (opened)
    found.push(
      draft(
        "fault-opens",
        `${opened.name} at ${opened.event} makes the hook fail, and the step that it stopped continues`,
        opened.worst ? [eventEvidence(opened.worst)] : [],
        { severity: eventRows.get(opened.event)?.closedAs ? "high" : "low" },
      ),
    );
  const failed = probes.filter(({ faults }) => Object.keys(faults).length > 0);
  if (failed.length > 0) {
    const codes = [...new Set(failed.flatMap(({ faults }) => Object.keys(faults)))];
    found.push(
      draft(
        "fault-provoked",
        `${failed.length === 1 ? "1 kind of hostile event makes" : `${failed.length} kinds of hostile events make`} the hook fail (${codes.join(", ")})`,
        [{ label: "kinds", text: guestJson([...new Set(failed.map(({ name }) => name))]) }],
      ),
    );
  }
  return found;
}

export function powerFindings(powers: PowersSection): readonly Draft[] {
  const found: Draft[] = [];
  if (powers.list.some(({ name, granted }) => name === "allow" && granted))
    found.push(draft("power-allow", "may approve actions on behalf of a person"));
  const unused = powers.unused.filter(({ name }) => !name.startsWith("read "));
  if (unused.length > 0)
    found.push(
      draft(
        "power-unused",
        `requests ${unused.map(({ name }) => `\`${name}\``).join(", ")}, which no run used`,
      ),
    );
  return found;
}

export function codeFindings(code: CodeSection): readonly Draft[] {
  const found: Draft[] = [];
  for (const [kind, own] of Map.groupBy(
    code.constructs.filter(({ severity }) => severity !== "info"),
    ({ code: one }) => one,
  )) {
    const [first] = own;
    if (!first) continue;
    found.push(
      draft(
        kind,
        own.length === 1 ? first.reason : `${first.reason}, and ${own.length - 1} more`,
        own.slice(0, 4).map(({ place, excerpt }) => ({ label: `line ${place.line}`, text: excerpt })),
        { severity: first.severity, place: first.place },
      ),
    );
  }
  const minified = code.modules.filter((module) => module.minified);
  if (minified.length > 0)
    found.push(
      draft(
        "unreadable-module",
        `\`${minified[0]?.path}\`${minified.length > 1 ? ` and ${minified.length - 1} more` : ""} is minified`,
      ),
    );
  const own = code.uncovered.filter((branch) => branch.own);
  const opening = own.filter(({ opens }) => opens);
  const top = opening[0] ?? own[0];
  if (top) {
    const severity = opening.length > 0 ? "medium" : "low";
    found.push(
      draft(
        "branch-uncovered",
        `${own.length === 1 ? "1 branch" : `${own.length} branches`} of the hook's own code ${own.length === 1 ? "was" : "were"} not executed`,
        own.slice(0, 3).map(({ place, condition, code: body }) => ({
          label: `line ${place.moduleLine ?? place.line}: ${condition.text.slice(0, 60)}`,
          text: body,
        })),
        { severity, place: top.place },
      ),
    );
  }
  return found;
}
