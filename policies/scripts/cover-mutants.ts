/**
 * Writes cases for the mutants that no case notices: `node policies/scripts/cover-mutants.ts [--every N] POLICY…`.
 * Inputs are samples of the patterns in the policy's tables; what the policy answers today is what a case expects.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { format } from "prettier";
import { losses as destructions } from "../deny-destructive-shell/losses.ts";
import { foreignSigns } from "../flag-prompt-injection/languages.ts";
import { signs } from "../flag-prompt-injection/signs.ts";
import type { Loss } from "../lib/losses.ts";
import { losses } from "../protect-infrastructure/commands.ts";
import { answerOf, bundle, casesOf, configOf, load, manifestOf, policiesFolder } from "../test/harness.ts";
import { survivingMutants } from "../test/mutation.ts";
import { samplesOf } from "./sample-regex.ts";

const { values, positionals } = parseArgs({
  options: { every: { type: "string", default: "1" } },
  allowPositionals: true,
});

type Json = Record<string, unknown>;

const shell = (command: string): Json => ({
  hook_event_name: "PreToolUse",
  tool_name: "Bash",
  cwd: "/workspace",
  tool_input: { command },
});
const result = (text: string): Json => ({
  hook_event_name: "PostToolUse",
  tool_name: "WebFetch",
  tool_response: text,
});

const commandsOf = (rows: readonly Loss[]): readonly string[] =>
  rows.flatMap(({ programs, test }) => {
    const [first = ""] = programs;
    return [
      ...samplesOf(test).map((sample) => `${first} ${sample.trim() || "x"}`),
      ...programs.flatMap((program) =>
        samplesOf(test)
          .slice(0, 2)
          .map((sample) => `${program} ${sample.trim() || "x"}`),
      ),
    ];
  });

/** The events that are tried for a policy. */
const pools: { readonly [policy: string]: () => readonly Json[] } = {
  "flag-prompt-injection": () =>
    [...signs, ...foreignSigns].flatMap(({ starts, pattern }) =>
      samplesOf(pattern).flatMap((sample) => [
        result(`${sample} you`),
        result(`${sample}: you must`),
        ...starts.map((start) =>
          result(`${start}${sample.replace(/^[a-zà-ÿ'-]+/, "").replace(/^(?! )/, " ")} you`),
        ),
      ]),
    ),
  "deny-destructive-shell": () => commandsOf(destructions).map((command) => shell(command)),
  "protect-infrastructure": () => commandsOf(losses).map((command) => shell(command)),
};

for (const policy of positionals) {
  const pool = pools[policy]?.() ?? [];
  const config = configOf(policy);
  const manifest = manifestOf(policy);
  const original = load(await bundle(policy));
  const answers = pool.map((event) => [event, answerOf(original, manifest, event, config)] as const);
  const flagged = answers.filter(
    ([, answer]) => answer.verdict !== "continue" || answer.additions.augment !== null,
  );
  const cases: unknown[] = [...casesOf(policy)];
  const added = new Map<string, Json>();
  for (const { path, text } of await survivingMutants(policy, Number(values.every))) {
    const mutant = load(await bundle(policy, new Map([[path, text]])), 1_000);
    const differing = flagged.find(
      ([event, answer]) =>
        JSON.stringify(answerOf(mutant, manifest, event, config)) !== JSON.stringify(answer),
    );
    if (differing === undefined) continue;
    const [event, answer] = differing;
    added.set(JSON.stringify(event), caseOf(event, answer, cases.length + added.size));
  }
  cases.push(...added.values());
  const file = join(policiesFolder, policy, "cases.json");
  writeFileSync(
    file,
    await format(JSON.stringify(cases), {
      parser: "json",
      ...JSON.parse(readFileSync(join(policiesFolder, "../.prettierrc.json"), "utf8")),
    }),
  );
  console.log(`${policy}: ${added.size} cases added`);
}

function caseOf(event: Json, answer: ReturnType<typeof answerOf>, index: number): Json {
  const text = JSON.stringify(event["tool_input"] ?? event["tool_response"]).slice(0, 60);
  const expected: Json = { verdict: answer.verdict };
  if (answer.reason !== null) expected["reason"] = { equals: answer.reason };
  if (answer.additions.augment !== null)
    expected["additions"] = { augment: { equals: answer.additions.augment } };
  return { name: `sample ${index}: ${text}`, event, expect: expected };
}
