import type { Branch } from "../instrumented/instrument.ts";
import type { UncoveredBranch } from "../report.ts";
import { guestText } from "../guest-text.ts";
import type { ProgramText } from "./text.ts";

/** Most branches that are listed. */
const maxBranches = 80;
const words =
  /\b(?:return|deny|allow|block|halt|skip|ask|continue_?|setState|modifyInput|notify|throw)\b|action\s*:/;

/**
 * The branches that no run has taken, those first that deserve a look first: of the hook's own code, with an answer in
 * them, whose condition depends on what says nothing of the action. What stands inside of another one is left out.
 *
 * @param depends what the branches around were seen to depend on.
 */
export function uncoveredBranches(
  text: ProgramText,
  branches: readonly Branch[],
  covered: ReadonlySet<number>,
  depends: ReadonlyMap<number, ReadonlySet<string>>,
): readonly UncoveredBranch[] {
  const found: UncoveredBranch[] = [];
  for (const [index, branch] of branches.entries()) {
    if (covered.has(index) || branch.end <= branch.start) continue;
    // Where the code around it never ran, that is what to look at.
    if (branch.parent !== null && !covered.has(branch.parent)) continue;
    const own = text.isOwn(branch.start);
    const code = text.slice(branch.start, Math.min(branch.end, branch.start + 1_200));
    const dependsOn = [...(depends.get(branch.parent ?? -1) ?? [])];
    const weight = Math.min(
      100,
      (own ? 40 : 0) +
        (words.test(code) ? 25 : 0) +
        (dependsOn.length > 0 ? 25 : 0) +
        (branch.kind === "function" ? -15 : 0) +
        10,
    );
    found.push({
      place: text.place(branch.start),
      endLine: text.line(branch.end),
      kind: branch.kind,
      condition: guestText(branch.condition ? text.slice(...branch.condition) : "", 240),
      code: guestText(code, 600),
      dependsOn,
      own,
      weight,
    });
  }
  return found.sort((a, b) => b.weight - a.weight || a.place.line - b.place.line).slice(0, maxBranches);
}

/** How many branches were taken of the hook's own, and of others. */
export function coverageOf(
  text: ProgramText,
  branches: readonly Branch[],
  covered: ReadonlySet<number>,
): { readonly own: { taken: number; all: number }; readonly packages: { taken: number; all: number } } {
  const own = { taken: 0, all: 0 };
  const packages = { taken: 0, all: 0 };
  for (const [index, { start }] of branches.entries()) {
    const side = text.isOwn(start) ? own : packages;
    side.all++;
    if (covered.has(index)) side.taken++;
  }
  return { own, packages };
}
