import type { Branch } from "../instrumented/branches.ts";
import type { UncoveredBranch } from "../report.ts";
import { guestText } from "../guest-text.ts";
import type { Openings } from "./openings.ts";
import type { ProgramText } from "./text.ts";

/** Most branches that are listed. */
const maxBranches = 80;
export interface UncoveredOptions {
  readonly text: ProgramText;
  readonly branches: readonly Branch[];
  readonly covered: ReadonlySet<number>;
  /** What the branches around were seen to depend on. */
  readonly depends: ReadonlyMap<number, ReadonlySet<string>>;
  readonly openings: Openings;
}

/** A default that has nothing in it. */
const isEmpty = /^(?:\{\s*\}|\[\s*\]|""|''|``|0|null)$/;

/**
 * The branches that no run has taken, those first that deserve a look first: of the hook's own code, that may let a step go,
 * whose condition depends on what says nothing of the action. What is inside of another one is left out.
 */
export function uncoveredBranches({
  text,
  branches,
  covered,
  depends,
  openings,
}: UncoveredOptions): readonly UncoveredBranch[] {
  const found: UncoveredBranch[] = [];
  for (const [index, given] of branches.entries()) {
    if (covered.has(index)) continue;
    const branch = given.end > given.start ? given : behind(given, openings);
    if (branch === null) continue;
    // Where the code around it never ran, that is what to look at.
    if (branch.parent !== null && !covered.has(branch.parent)) continue;
    const own = text.isOwn(branch.start);
    const code = text.slice(branch.start, Math.min(branch.end, branch.start + 1_200));
    const dependsOn = [...(depends.get(branch.parent ?? -1) ?? [])];
    // The right side of a condition is judged by what the condition guards; defaults decide nothing.
    const guarded =
      branch.kind === "nullish" ||
      (branch.kind === "or" && isEmpty.test(code.trim())) ||
      ((branch.kind === "and" || branch.kind === "or") && isCondition(branch, branches));
    const opens = own && !guarded && openings.ofBranch(branch) === "opens";
    const weight = Math.min(
      100,
      (own ? 40 : 0) +
        (opens ? 25 : 0) +
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
      opens,
      weight,
    });
  }
  return found.sort((a, b) => b.weight - a.weight || a.place.line - b.place.line).slice(0, maxBranches);
}

/** The code behind an `if` without `else`: where its condition was always true and it left, that never ran. */
function behind(branch: Branch, openings: Openings): Branch | null {
  const rest = branch.kind === "else" ? openings.behind(branch.start) : null;
  return rest && { ...branch, start: rest[0], end: rest[1] };
}

/** Whether a branch is a part of the condition of another one. */
function isCondition({ start, end }: Branch, branches: readonly Branch[]): boolean {
  return branches.some(
    ({ condition, kind }) =>
      condition !== null &&
      kind !== "and" &&
      kind !== "or" &&
      kind !== "nullish" &&
      condition[0] <= start &&
      condition[1] >= end,
  );
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
