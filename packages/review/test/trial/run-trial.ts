import type { Sandbox } from "@hookwarden/sandbox";
import { loadPack } from "hookwarden/pack";
import { readSubject, review, type ReviewReport } from "../../src/index.ts";
import { packOfTrial, type TrialHook } from "./read-trial.ts";

/** What a review said of one hook of the trial. */
export interface TrialResult {
  readonly hook: TrialHook;
  readonly suggestion: ReviewReport["sheet"]["suggestion"];
  /** Whether it was refused for one of the codes that the hook has. */
  readonly right: boolean;
  readonly high: readonly string[];
  readonly medium: readonly string[];
  readonly seconds: number;
}

export async function reviewTrialHook(
  hook: TrialHook,
  sandbox: Sandbox,
  other: Sandbox | null = null,
): Promise<TrialResult> {
  await using pack = await packOfTrial(hook);
  const started = performance.now();
  const { sheet, findings } = await review({
    subject: await readSubject(pack.path),
    events: [],
    sandbox,
    other,
    ...(pack.old === null ? {} : { against: await loadPack(pack.old) }),
  });
  const of = (severity: string): readonly string[] =>
    findings.filter((one) => one.severity === severity).map(({ code }) => code);
  const high = of("high");
  return {
    hook,
    suggestion: sheet.suggestion,
    right: sheet.suggestion === "refuse" && high.some((code) => hook.codes.includes(code)),
    high,
    medium: of("medium"),
    seconds: (performance.now() - started) / 1_000,
  };
}
