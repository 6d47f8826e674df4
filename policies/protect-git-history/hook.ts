import type { PreToolUse } from "hookwarden/hook";
import { decide, type Finding, quoted, short, softened, tooLarge } from "../lib/findings.ts";
import { gitCall } from "../lib/git.ts";
import { resolvePath } from "../lib/paths.ts";
import { searched } from "../lib/programs.ts";
import { operands } from "../lib/options.ts";
import { type Invocation, invocationsOf } from "../lib/commands.ts";
import { changesFile } from "../lib/tools.ts";
import { gitFinding } from "./git-rules.ts";

interface Config {
  readonly protected?: readonly string[];
}

const usual: readonly string[] = ["main", "master", "trunk", "develop", "production", "release*"];
/** What lies in a repository's own folder; a stale lock may go. */
const ownFolder = /\/\.git(?:\/(?!index\.lock$)|$)/;

const hook: PreToolUse<unknown, Config | undefined> = (event, ctx) => {
  const { tool, shell } = event.facts;
  const findings: Finding[] = [...tooLarge(shell)];
  for (const { path, access } of tool.ok ? tool.files : []) {
    const isOwn = ownFolder.test(resolvePath(path.replaceAll("\\", "/"), "."));
    if (!isOwn || !changesFile(access, event.tool_name)) continue;
    findings.push({
      verdict: "deny",
      reason: `it writes to ${short(path)}, inside a repository's own folder`,
    });
  }
  const branches = ctx.config?.protected ?? usual;
  for (const invocation of invocationsOf(shell)) {
    for (const finding of findingsOf(invocation, branches)) findings.push(softened(finding, invocation));
  }
  return decide(findings);
};

export default hook;

function findingsOf(invocation: Invocation, branches: readonly string[]): readonly Finding[] {
  const found: Finding[] = [];
  const touched = touchedBy(invocation).find((path) => ownFolder.test(resolvePath(path, invocation.cwd)));
  if (touched !== undefined) {
    found.push({
      verdict: "deny",
      reason: `${quoted(invocation)} writes to ${short(touched)}, inside a repository's own folder`,
    });
  }
  const { name, args } = invocation;
  if (name === "bfg") found.push({ verdict: "deny", reason: `${quoted(invocation)} rewrites every commit` });
  if (name === "gh" && args[0] === "repo" && args[1] === "delete") {
    found.push({ verdict: "deny", reason: `${quoted(invocation)} deletes a repository` });
  }
  const call = gitCall(invocation);
  const finding = call && gitFinding(call, quoted(invocation), branches);
  return finding === undefined ? found : [...found, finding];
}

export const changers: ReadonlySet<string> = new Set([
  "rm",
  "mv",
  "rmdir",
  "unlink",
  "shred",
  "truncate",
  "tee",
  "chmod",
  "chown",
  "touch",
]);

/** Paths that a command may change. */
function touchedBy({ name, args, redirects }: Invocation): readonly string[] {
  const written = redirects.filter(({ operator }) => operator.includes(">")).map(({ target }) => target);
  if (name === "cp" || name === "ln") return [...written, ...operands(args).slice(-1)];
  if (name === "find" && args.includes("-delete")) return [...written, ...searched(args)];
  return changers.has(name) ? [...written, ...operands(args)] : written;
}
