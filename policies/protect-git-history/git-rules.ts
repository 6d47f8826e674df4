import type { Finding } from "../lib/findings.ts";
import { type GitCall, refspecs } from "../lib/git.ts";
import { globMatches } from "../lib/paths.ts";
import { isUnknown, TAINTED, UNKNOWN } from "../lib/marks.ts";
import { hasOption, operands } from "../lib/options.ts";

type Rule = (args: readonly string[], shown: string, branches: readonly string[]) => Finding | undefined;

const has = (args: readonly string[], ...options: readonly string[]): boolean =>
  args.some((arg) => options.includes(arg));

/** A rule that asks or denies where the arguments match. */
function when(verdict: Finding["verdict"], what: string, test: (args: readonly string[]) => boolean): Rule {
  return (args, shown) => (test(args) ? { verdict, reason: `${shown} ${what}` } : undefined);
}

const always = (): boolean => true;

const push: Rule = (args, shown, branches) => {
  if (args.includes("--mirror"))
    return { verdict: "deny", reason: `${shown} makes the remote forget every branch that is not here` };
  const forced = hasOption(args, "f", "force", 5);
  const leased = args.some((arg) => arg.startsWith("--force-with-lease") || arg === "--force-if-includes");
  let worst: Finding | undefined;
  for (const { target, force, remove } of refspecs(args)) {
    const isProtected = has(args, "--all", "--branches") || isOneOf(target, branches);
    if (!remove && !force && !forced && !leased) continue;
    const what = remove ? "deletes a branch of the remote" : "replaces commits on the remote";
    if (isProtected)
      return { verdict: "deny", reason: `${shown} ${what}, and the branch ${may(target)} protected` };
    // A leased push to a named branch of one's own is how a rebased branch is published.
    if (remove || force || forced || target === "") worst = { verdict: "ask", reason: `${shown} ${what}` };
  }
  return (
    worst ??
    (args.includes("--prune")
      ? { verdict: "ask", reason: `${shown} deletes branches of the remote` }
      : undefined)
  );
};

const branch: Rule = (args, shown, branches) => {
  const removes = hasOption(args, "dD", "delete", 4);
  const forces = hasOption(args, "DMCf", "force", 4);
  if (!removes && !forces) return undefined;
  if (operands(args).some((name) => isOneOf(name, branches))) {
    return { verdict: "deny", reason: `${shown} deletes or replaces a branch, and the branch is protected` };
  }
  return forces
    ? { verdict: "ask", reason: `${shown} may lose commits that are on no other branch` }
    : undefined;
};

const loses = "loses changes that are in no commit";

const rules: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ["push", push],
  ["branch", branch],
  ["filter-branch", when("deny", "rewrites every commit", always)],
  ["filter-repo", when("deny", "rewrites every commit", always)],
  ["reflog", when("deny", "forgets commits for good", (args) => has(args, "expire", "delete"))],
  ["gc", when("deny", "forgets commits for good", (args) => args.some((arg) => /^--prune(=|$)/.test(arg)))],
  ["prune", when("ask", "forgets commits for good", (args) => !hasOption(args, "n", "dry-run", 4))],
  ["update-ref", when("deny", "moves or deletes a branch without a check", always)],
  [
    "rebase",
    when(
      "ask",
      "replaces commits",
      (args) => !has(args, "--continue", "--abort", "--skip", "--quit", "--edit-todo"),
    ),
  ],
  ["replace", when("ask", "replaces commits", always)],
  [
    "tag",
    when(
      "ask",
      "deletes or replaces a tag",
      (args) => hasOption(args, "df", "delete", 4) || hasOption(args, "", "force", 4),
    ),
  ],
  ["reset", when("ask", loses, (args) => hasOption(args, "", "hard", 4) || hasOption(args, "", "merge", 4))],
  [
    "clean",
    when(
      "ask",
      "deletes files that are in no commit",
      (args) => hasOption(args, "f", "force", 3) && !hasOption(args, "n", "dry-run", 4),
    ),
  ],
  [
    "checkout",
    when(
      "ask",
      loses,
      (args) =>
        hasOption(args, "f", "force", 4) ||
        args.includes("--") ||
        operands(args).some((path) => /^[.:]/.test(path)),
    ),
  ],
  [
    "restore",
    when("ask", loses, (args) => !hasOption(args, "S", "staged", 4) || hasOption(args, "W", "worktree", 4)),
  ],
  [
    "switch",
    when(
      "ask",
      loses,
      (args) => hasOption(args, "fC", "force", 4) || hasOption(args, "", "discard-changes", 4),
    ),
  ],
  ["stash", when("ask", "loses stashed changes", (args) => has(args, "drop", "clear"))],
  ["worktree", when("ask", loses, (args) => args.includes("remove") && hasOption(args, "f", "force", 3))],
]);

/** What a call of git has against it. */
export function gitFinding(
  { command, args }: GitCall,
  shown: string,
  branches: readonly string[],
): Finding | undefined {
  return rules.get(command)?.(args, shown, branches);
}

const may = (target: string): string => (isUnknown(target) ? "may be" : "is");

/** Whether a branch is among the protected ones, or may be: of some names only the shell knows the end. */
function isOneOf(name: string, branches: readonly string[]): boolean {
  if (!isUnknown(name)) return branches.some((pattern) => globMatches(pattern, name));
  const known = name.slice(0, name.search(unknownPart));
  return branches.some((pattern) => {
    const fixed = pattern.replace(/[*?[].*$/, "");
    return fixed.startsWith(known) || (fixed !== pattern && known.startsWith(fixed));
  });
}

const unknownPart = new RegExp(`[${UNKNOWN}${TAINTED}]`);
