/**
 * Writes cases for the mutants that no case notices: `node policies/scripts/cover-mutants.ts [--every N] [--offset N] [--of GROUP] POLICY…`.
 * The events are made from the rows of the policies' tables; what the policy answers today is what a case expects, so
 * read what is added. `--of lib` takes the mutants of what policies share.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { format } from "prettier";
import {
  answerOf,
  bundle,
  type Case,
  casesOf,
  configOf,
  type Expectation,
  type Got,
  load,
  manifestOf,
  policiesFolder,
} from "../test/harness.ts";
import { type Survivor, survivingMutants } from "../test/mutation.ts";
import { pools, type Sample } from "./case-pools.ts";

const { values, positionals } = parseArgs({
  options: {
    every: { type: "string", default: "1" },
    offset: { type: "string", default: "0" },
    of: { type: "string" },
  },
  allowPositionals: true,
});

const part = { every: Number(values.every), offset: Number(values.offset) };

type Answered = readonly [sample: Sample, answer: Got, text: string];

for (const policy of positionals) {
  const original = load(await bundle(policy));
  const [manifest, config] = [manifestOf(policy), configOf(policy)];
  const answers = (pools[policy]?.() ?? []).map((sample): Answered => {
    const answer = answerOf(original, manifest, sample, config);
    return [sample, answer, JSON.stringify(answer)];
  });
  // The list that mutants are put to: what is added counts from the next mutant on.
  const cases = casesOf(policy) as Case[];
  const before = cases.length;
  for await (const survivor of survivingMutants(values.of ?? policy, part)) {
    const differing = await firstDiffering(policy, survivor, answers);
    if (differing === undefined)
      console.log(`${survivor.path.slice(policiesFolder.length)} ${survivor.what}`);
    else cases.push(caseOf(differing, cases.length));
  }
  const file = join(policiesFolder, policy, "cases.json");
  const options = JSON.parse(readFileSync(join(policiesFolder, "../.prettierrc.json"), "utf8")) as object;
  writeFileSync(file, await format(JSON.stringify(cases), { parser: "json", ...options }));
  console.log(`${policy}: ${cases.length - before} cases added`);
}

/** The event that a mutant answers in another way; the search begins with the rows near its own. */
async function firstDiffering(
  policy: string,
  { path, text, position }: Survivor,
  answers: readonly Answered[],
): Promise<Answered | undefined> {
  const mutant = load(await bundle(policy, new Map([[path, text]])), 1_000);
  const [manifest, config] = [manifestOf(policy), configOf(policy)];
  const first = Math.max(0, Math.floor((position - 0.05) * answers.length));
  return [...answers.slice(first), ...answers.slice(0, first)].find(
    ([sample, , expected]) => answered(() => answerOf(mutant, manifest, sample, config)) !== expected,
  );
}

/** An answer as text; what a mutant throws is an answer too. */
function answered(answer: () => Got): string {
  try {
    return JSON.stringify(answer());
  } catch {
    return "";
  }
}

function caseOf([sample, answer]: Answered, index: number): Case {
  const { event, state } = sample;
  const text = JSON.stringify(event["tool_input"] ?? event["tool_response"]).slice(0, 60);
  const name = `sample ${index}: ${String(event["tool_name"])} ${text}`;
  const expect = expectationOf(answer);
  return state === undefined && answer.state === null
    ? { name, event, expect }
    : { name, event, state: state ?? null, expect: { ...expect, state: answer.state } };
}

function expectationOf({ verdict, reason, changes, additions }: Got): Expectation {
  return {
    verdict,
    ...(reason === null ? {} : { reason: { equals: reason } }),
    ...(Object.keys(changes).length === 0 ? {} : { changes }),
    additions: { augment: additions.augment === null ? null : findingsOf(additions.augment) },
  };
}

/** What a warning says was found, without the sentences around it. */
function findingsOf(augment: string): string {
  return /^Warning: the result above (.*?\(score \d+\))/s.exec(augment)?.[1] ?? augment;
}
