import type { Dependence } from "../explore/explore.ts";
import { guestText } from "../guest-text.ts";
import { findConstructs } from "../program/constructs.ts";
import { originsOf } from "../program/modules.ts";
import { coverageOf, uncoveredBranches } from "../program/uncovered.ts";
import type { CodeSection } from "../report.ts";
import type { ReviewContext } from "./context.ts";

const sourceShown = 262_144;

/** What the report says about the code: what no run reached, and what deserves a look. */
export function codeSection(context: ReviewContext, dependences: readonly Dependence[]): CodeSection {
  const { runner, text, coverage, analysis, subject } = context;
  const { branches } = runner.full;
  const depends = new Map<number, Set<string>>();
  for (const { slot, pairs } of dependences)
    for (const { after } of pairs) {
      const own = depends.get(after.branch) ?? new Set<string>();
      depends.set(after.branch, own.add(slot.path));
    }
  return {
    uncovered: uncoveredBranches({
      text,
      branches,
      covered: coverage.branches,
      depends,
      openings: analysis.openings,
    }),
    coverage: coverageOf(text, branches, coverage.branches),
    constructs: findConstructs(text),
    modules: originsOf(subject.modules, text),
    bytes: Buffer.byteLength(text.source),
    source: guestText(text.source, sourceShown),
  };
}
