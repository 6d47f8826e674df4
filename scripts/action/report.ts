/** One command of the action. */
export interface Result {
  readonly title: string;
  readonly command: string;
  readonly passed: boolean;
  /** What it printed. It quotes scripts and manifests of the pull request, so it is untrusted. */
  readonly output: string;
}

/** Finds the comment of an earlier run, so that a pull request has one. */
export const marker = "<!-- hookwarden action -->";
/** GitHub refuses comments above 65,536 characters. */
const maxOutput = 18_000;

/** The Markdown of a comment or summary. Output cannot leave its fence, so that it can neither link nor mention. */
export function report(results: readonly Result[]): string {
  const failed = results.filter(({ passed }) => !passed).length;
  const head =
    failed === 0 ? "hookwarden: all checks passed" : `hookwarden: ${failed} of ${results.length} failed`;
  const sections = results.map(({ title, command, passed, output }) => {
    const text =
      output.length > maxOutput ? `${output.slice(0, maxOutput)}\n… (cut; see the job's log)` : output;
    const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
    const fence = "`".repeat(longest + 1);
    const body = `${fence}text\n$ ${command}\n${text.trimEnd()}\n${fence}`;
    return `<details${passed ? "" : " open"}><summary>${passed ? "✅" : "❌"} ${title}</summary>\n\n${body}\n\n</details>`;
  });
  return [marker, `### ${head}`, ...sections].join("\n\n").concat("\n");
}
