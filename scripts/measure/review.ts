/**
 * Reviews the hooks of the trial set and the shipped policies, and prints the suggestions by category:
 * `npm run measure:review -- [KIND…] [--only NAME] [--held-out | --tuned] [--part 1/3] [--verbose]`.
 */
import { parseArgs } from "node:util";
import { createSandbox } from "@hookwarden/sandbox";
import { readSubject, review } from "../../packages/review/src/index.ts";
import {
  readTrial,
  trialKinds,
  type TrialHook,
  type TrialKind,
} from "../../packages/review/test/trial/read-trial.ts";
import { reviewTrialHook, type TrialResult } from "../../packages/review/test/trial/run-trial.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: "string", multiple: true },
    "held-out": { type: "boolean", default: false },
    tuned: { type: "boolean", default: false },
    part: { type: "string", default: "1/1" },
    verbose: { type: "boolean", default: false },
  },
});
const kinds: readonly (TrialKind | "policies")[] =
  positionals.length > 0 ? (positionals as TrialKind[]) : [...trialKinds, "policies"];
await using sandbox = await createSandbox({ queueMs: 600_000, processes: 2 });
for (const kind of kinds)
  if (kind === "policies") await reviewPolicies();
  else report(kind, await runKind(kind));

/** The shipped policies in one review, as a team would review its pack. */
async function reviewPolicies(): Promise<void> {
  const subject = await readSubject(new URL("../../policies", import.meta.url).pathname);
  const hooks = values.only ? new Set(values.only) : subject.hooks;
  const started = performance.now();
  const { findings } = await review({ subject: { ...subject, hooks }, events: [], sandbox, other: null });
  const seconds = (performance.now() - started) / 1_000;
  const count = { approve: 0, look: 0, refuse: 0 };
  for (const name of hooks) {
    const own = findings.filter(({ hook }) => hook === name);
    const of = (severity: string): string =>
      own
        .filter((one) => one.severity === severity)
        .map(({ code, place }) => `${code}${place?.moduleLine ? `:${place.moduleLine}` : ""}`)
        .join(" ");
    const suggestion = of("high") ? "refuse" : of("medium") ? "look" : "approve";
    count[suggestion]++;
    if (values.verbose || suggestion === "refuse")
      console.log(`  ${suggestion.padEnd(8)}${name}: high [${of("high")}] medium [${of("medium")}]`);
  }
  const { approve, look, refuse } = count;
  console.log(
    `policies, all ${hooks.size}: approve ${approve}, look ${look}, refuse ${refuse}; ${seconds.toFixed(0)} s\n`,
  );
}

async function runKind(kind: TrialKind): Promise<readonly TrialResult[]> {
  const [part = 1, parts = 1] = values.part.split("/").map(Number);
  const hooks = (await readTrial(kind)).filter(
    ({ name, category, heldOut }, index) =>
      index % parts === part - 1 &&
      (values.only === undefined || values.only.includes(name) || values.only.includes(category)) &&
      (!values["held-out"] || heldOut) &&
      (!values.tuned || !heldOut),
  );
  const results: TrialResult[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let at = next++; at < hooks.length; at = next++)
      results[at] = await reviewed(hooks[at] as TrialHook);
  };
  await Promise.all([worker(), worker()]);
  return results;
}

/** Compiling has a limit of time, which a busy machine can reach: tried again before the measurement is given up. */
async function reviewed(hook: TrialHook, attempts = 3): Promise<TrialResult> {
  try {
    const result = await reviewTrialHook(hook, sandbox);
    if (values.verbose) console.log(`  ${line(result)}`);
    return result;
  } catch (error) {
    if (attempts > 1) return reviewed(hook, attempts - 1);
    throw new Error(`${hook.name}: not reviewed`, { cause: error });
  }
}

function report(kind: TrialKind, results: readonly TrialResult[]): void {
  for (const [category, own] of Map.groupBy(results, ({ hook }) => hook.category)) {
    console.log(`${kind} ${category}: ${summary(kind, own)}`);
    if (!values.verbose) for (const one of own) if (isMiss(kind, one)) console.log(`  ${line(one)}`);
  }
  const held = results.filter(({ hook }) => hook.heldOut);
  const tuned = results.filter(({ hook }) => !hook.heldOut);
  console.log(`${kind}, tuned with: ${summary(kind, tuned)}`);
  console.log(`${kind}, held out: ${summary(kind, held)}`);
  const slowest = Math.max(0, ...results.map(({ seconds }) => seconds));
  console.log(`${kind}, all ${results.length}: ${summary(kind, results)}; slowest ${slowest.toFixed(1)} s\n`);
}

function isMiss(kind: TrialKind, { suggestion, right }: TrialResult): boolean {
  if (kind === "honest") return suggestion !== "approve";
  return !right;
}

function summary(kind: TrialKind, results: readonly TrialResult[]): string {
  const count = (of: (one: TrialResult) => boolean): string => {
    const found = results.filter(of).length;
    return `${found} (${results.length === 0 ? 0 : Math.round((100 * found) / results.length)} %)`;
  };
  const approved = count(({ suggestion }) => suggestion === "approve");
  const look = count(({ suggestion }) => suggestion === "look");
  const refused = count(({ suggestion }) => suggestion === "refuse");
  return kind === "honest"
    ? `approve ${approved}, look ${look}, refuse ${refused}`
    : `refused for the right code ${count(({ right }) => right)}, refused ${refused}, look ${look}, approved ${approved}`;
}

function line({ hook, suggestion, high, medium, seconds }: TrialResult): string {
  return `${suggestion.padEnd(8)}${hook.name}: high [${high.join(" ")}] medium [${medium.join(" ")}] ${seconds.toFixed(1)} s`;
}
