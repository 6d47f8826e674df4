import type { Sandbox } from "@hookwarden/sandbox";
import { runCase, SinglePacks, type StepFailure, type Suite } from "hookwarden/check";
import { HookwardenError } from "hookwarden/errors";
import { type Draft, draft } from "../draft.ts";
import { guestText } from "../guest-text.ts";
import { mapConcurrently } from "../run/runner.ts";

/** Cases of one hook that are run with their expectations, spread over all of them. */
const maxCases = 60;

/** The hook's own cases that fail: whatever else a review finds, the hook does not do what its author says. */
export async function caseFindings(
  suite: Suite | null,
  name: string,
  sandbox: Sandbox,
  signal: AbortSignal,
): Promise<readonly Draft[]> {
  const hook = suite?.hooks.find((one) => one.name === name);
  if (!suite || !hook || hook.cases.length === 0) return [];
  const packs = new SinglePacks(suite);
  const step = Math.max(1, hook.cases.length / maxCases);
  const indices = [...new Set(hook.cases.map((_, at) => Math.floor(at * step)))].filter(
    (index) => index < hook.cases.length,
  );
  const results = await mapConcurrently(
    indices,
    async (index): Promise<readonly [string, string] | null> => {
      const { name: title } = hook.cases[index] as (typeof hook.cases)[number];
      try {
        const { failures } = await runCase(hook, index, { packs, sandbox });
        return failures[0] ? [title, failureText(failures[0])] : null;
      } catch (error) {
        if (!(error instanceof HookwardenError)) throw error;
        return [title, error.message];
      }
    },
    signal,
  );
  const failed = results.filter((one) => one !== null && one !== undefined);
  if (failed.length === 0) return [];
  return [
    draft(
      "case-fails",
      `${failed.length === 1 ? "1 case" : `${failed.length} cases`} of the hook's own ${indices.length} that were run ${failed.length === 1 ? "fails" : "fail"}`,
      failed.slice(0, 4).map(([title, text]) => ({ label: `case “${title}”`, text: guestText(text, 300) })),
    ),
  ];
}

function failureText({ step, differences }: StepFailure): string {
  const all = differences.map(({ field, wanted, got }) => `${field}: expected ${wanted}, got ${got}`);
  return `event ${step + 1}: ${all.join("; ")}`;
}
