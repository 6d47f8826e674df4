import type { PreToolUse } from "hookwarden/hook";
import { decide, type Finding, quoted, short, softened } from "../lib/findings.ts";
import { gitCall } from "../lib/git.ts";
import { resolvePath } from "../lib/paths.ts";
import { searched } from "../lib/shell/inner.ts";
import { operands } from "../lib/shell/options.ts";
import { readShell } from "../lib/shell/read.ts";
import type { Invocation } from "../lib/shell/types.ts";
import { commandOf, fileOf } from "../lib/tools.ts";
import { gitFinding } from "./git-rules.ts";

interface Config {
  readonly protected?: readonly string[];
}

const usual: readonly string[] = ["main", "master", "trunk", "develop", "production", "release*"];
/** What lies in a repository's own folder; a stale lock may go. */
const ownFolder = /\/\.git(?:\/(?!index\.lock$)|$)/;

const hook: PreToolUse<unknown, Config | undefined> = (event, ctx) => {
  const file = fileOf(event.tool_input);
  const findings: Finding[] = [];
  if (file !== undefined && ownFolder.test(resolvePath(file.replaceAll("\\", "/"), "."))) {
    findings.push({
      verdict: "deny",
      reason: `it writes to ${short(file)}, inside a repository's own folder`,
    });
  }
  const command = commandOf(event.tool_input);
  const branches = ctx.config?.protected ?? usual;
  if (command !== undefined) {
    for (const invocation of readShell(command, event.cwd).invocations) {
      for (const finding of findingsOf(invocation, branches)) findings.push(softened(finding, invocation));
    }
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

const changers: ReadonlySet<string> = new Set([
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
