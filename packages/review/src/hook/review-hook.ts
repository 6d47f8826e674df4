import { sha256 } from "hookwarden/files";
import { type Draft, draft } from "../draft.ts";
import {
  attackFindings,
  codeFindings,
  costFindings,
  determinismFindings,
  powerFindings,
  readFindings,
} from "../findings/plain.ts";
import { leakFindings } from "../findings/texts.ts";
import { guestText } from "../guest-text.ts";
import type { AttackProbe, HookReview, ReadsSection } from "../report.ts";
import { ownPatterns } from "../program/patterns.ts";
import { acts } from "../run/effect.ts";
import type { Run } from "../run/runner.ts";
import { allowFindings } from "./allow.ts";
import { canaryFindings } from "./canaries.ts";
import { caseFindings } from "./cases.ts";
import { codeSection } from "./code-section.ts";
import { type AttackProbeRun, probeAttacks } from "./attack.ts";
import { behaviourOf } from "./behaviour.ts";
import { documentedNames, findConfigSwitches } from "./config-switch.ts";
import { type HookParts, type HookSubject, ReviewContext } from "./context.ts";
import { measureCost } from "./cost.ts";
import { checkDeterminism, type Differences } from "./determinism.ts";
import type { Evidence } from "./evidence.ts";
import { checkInterference } from "./interference.ts";
import { judgeTriggers } from "./judge-triggers.ts";
import { leakBases } from "./leak-bases.ts";
import { findLeaks, type Leak } from "./leaks.ts";
import { observe } from "./observe.ts";
import { powersOf } from "./powers.ts";
import { replacedWordFindings } from "./replaced-words.ts";
import { routeFindings } from "./routing.ts";
import { record, search } from "./search.ts";

export type { HookParts, HookSubject } from "./context.ts";

export interface ReviewedHook {
  readonly review: Omit<HookReview, "counts">;
  readonly drafts: readonly Draft[];
  readonly generated: number;
  readonly calls: number;
}

/** Reviews one hook, by itself. Runs it only in the sandboxes. */
export async function reviewHook(subject: HookSubject, parts: HookParts): Promise<ReviewedHook> {
  const context = new ReviewContext(subject, parts);
  context.drafts.push(...(await caseFindings(subject.suite, subject.hook.name, parts.sandbox, parts.signal)));
  const observation = await observe(context);
  const found = await search(context, observation);
  const all: readonly Run[] = [
    ...observation.base.runs,
    ...found.made,
    // A state with other texts in it need not be one that the hook can reach.
    ...found.turns.filter(({ slot }) => slot.path !== "state (text)").map(({ after }) => after),
  ];
  const evidence: Evidence = { ...observation, ...found, context, all };
  await findSwitches(evidence);
  const leaks = await leaksOf(evidence);
  context.drafts.push(...(await routeFindings(context.runner, all)));
  const differences = await verified(evidence);
  const probes = await attacked(evidence);
  const costs = await measureCost(context.runner, subject.pack, observation.base.runs, parts.sandbox);
  context.drafts.push(...costFindings(costs, all, subject.hook.limits.steps));
  judgeTriggers(evidence);
  const reads = await readsOf(evidence);
  return concluded(evidence, { leaks, differences, probes, costs, reads });
}

async function findSwitches({ context, seeds, held }: Evidence): Promise<void> {
  const { runner, tree, words, drafts } = context;
  const [one] = await findConfigSwitches(
    runner,
    tree.readsContext("config") ? words.properties : [],
    seeds.slice(0, 12).map(({ input }) => input),
    held,
  );
  if (!one) return;
  drafts.push(
    one.constant === null
      ? draft(
          "trigger-config",
          `reads \`${one.path}\` from its configuration, which its schema does not document`,
          [],
          // A schema that documents nothing hides nothing in particular.
          { severity: documentedNames(runner.hook.manifest.config).size === 0 ? "medium" : "high" },
        )
      : draft("trigger-config", "compares its configuration with a value that its schema does not document", [
          { label: "value", text: guestText(one.constant) },
        ]),
  );
}

async function leaksOf({ context, all, base, made }: Evidence): Promise<readonly Leak[]> {
  const { runner, parts, drafts } = context;
  parts.progress("looking for leaked data");
  const perEvent = [...Map.groupBy(base.runs, (run) => run.event).values()].flatMap((own) => own.slice(0, 2));
  const speaking = leakBases(all, runner.seen);
  const leaks = await findLeaks(runner, speaking, perEvent);
  const bases = [...speaking.slice(0, 4), ...perEvent, ...speaking.slice(4)];
  drafts.push(
    ...leakFindings(leaks, runner.hook.state?.scope ?? null),
    ...(await canaryFindings(runner, bases, ownPatterns(context.text))),
    ...(await replacedWordFindings(runner, bases)),
    ...(await allowFindings(runner, all)),
  );
  const before = new Set(
    base.runs.filter(({ input }) => input.origin !== "made").map(({ effect }) => effect.verdict),
  );
  const allowed = made.find(({ effect }) => effect.verdict === "allow");
  if (allowed && !before.has("allow"))
    drafts.push(
      draft("allow-opens", "returns `allow` at an event that only exploration generated", [
        { label: allowed.input.label, text: guestText(allowed.args[0], 500) },
      ]),
    );
  return leaks;
}

async function verified({ context, base }: Evidence): Promise<Differences> {
  const { runner, parts, drafts } = context;
  parts.progress("repeating calls");
  const differences = await checkDeterminism(runner, {
    baseline: base,
    other: parts.other,
  });
  drafts.push(...determinismFindings(differences, base.divergent));
  return differences;
}

async function attacked({ context, base, held }: Evidence): Promise<readonly AttackProbeRun[]> {
  const { runner, parts, drafts } = context;
  parts.progress("hostile events");
  const others = base.runs.filter(({ effect, answer }) => answer.ok && !acts(effect));
  const probes = await probeAttacks(runner, held, others);
  drafts.push(...attackFindings(probes));
  await record(
    context,
    probes.flatMap(({ samples }) => samples),
  );
  return probes;
}

async function readsOf({ context, base }: Evidence): Promise<ReadsSection> {
  const { runner, parts, tree, drafts, subject } = context;
  const { hook } = subject;
  parts.progress("changing unread fields");
  const interference = await checkInterference(runner, base.runs);
  const reads: ReadsSection = {
    declared: hook.reads,
    paths: tree.paths(),
    context: tree.context(),
    smallest: tree.smallest(hook.reads, [...new Set(hook.on.map(({ event }) => event))]),
    unused: hook.reads.filter((path) => path !== "*" && tree.calls > 0 && !tree.touches(path)),
    recorded: tree.calls,
    lost: base.lost,
    interference,
  };
  drafts.push(...readFindings(reads, tree, interference));
  return reads;
}

interface Sections {
  readonly leaks: readonly Leak[];
  readonly differences: Differences;
  readonly probes: readonly AttackProbe[];
  readonly costs: HookReview["cost"]["events"];
  readonly reads: ReadsSection;
}

function concluded(evidence: Evidence, { leaks, differences, probes, costs, reads }: Sections): ReviewedHook {
  const { context, all, turns, made, dependences, generated } = evidence;
  const { hook } = context.subject;
  const powers = powersOf(context.subject, all, context.tree, context.parts.host);
  const code = codeSection(context, dependences);
  context.drafts.push(...powerFindings(powers), ...codeFindings(code));
  return {
    review: {
      name: hook.name,
      version: hook.version,
      description: hook.manifest.description === undefined ? null : guestText(hook.manifest.description),
      digest: hook.digest,
      program: sha256(hook.program.source),
      priority: hook.priority,
      mode: hook.mode,
      powers,
      reads,
      behaviour: behaviourOf(all, {
        determinism: differences.determinism,
        leaks,
        turns,
        isStateful: hook.state !== null,
      }),
      cost: { events: costs },
      attack: { probes: probes.map(probeOf) },
      code,
    },
    drafts: merged(context.drafts).map((one) => ({
      ...one,
      excerpt: one.place && guestText(context.text.excerptAt(one.place), 1_600),
    })),
    generated: generated + made.length + turns.length,
    calls: context.runner.calls,
  };
}

/** A probe without its runs, which are no JSON. */
function probeOf({ name, event, tried, faults, opened, smuggled, note }: AttackProbe): AttackProbe {
  return { name, event, tried, faults, opened, smuggled, note };
}

/** One finding of each code, the worst and then the first. */
function merged(drafts: readonly Draft[]): readonly Draft[] {
  const rank = ["high", "medium", "low", "info"];
  return [...Map.groupBy(drafts, ({ code }) => code).values()].map((own) => {
    const best = own.toSorted((a, b) => rank.indexOf(a.severity) - rank.indexOf(b.severity))[0] as Draft;
    const more = own
      .filter((one) => one !== best && one.message !== best.message)
      .map(({ message }) => ({ label: "also", text: guestText(message, 300) }));
    return {
      ...best,
      evidence: [...best.evidence, ...more.slice(0, 4)],
      place: best.place ?? own.find(({ place }) => place)?.place ?? null,
    };
  });
}
