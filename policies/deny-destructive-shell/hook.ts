import type { PreToolUse } from "hookwarden/hook";
import { decide, type Finding, softened } from "../lib/findings.ts";
import { resolvePath } from "../lib/paths.ts";
import { downloadedBy } from "../lib/shell/downloads.ts";
import { TAINTED, UNKNOWN } from "../lib/shell/marks.ts";
import { readShell } from "../lib/shell/read.ts";
import type { Reading } from "../lib/shell/types.ts";
import { commandOf } from "../lib/tools.ts";
import { foreignCode } from "./foreign-code.ts";
import { asIfRemoving, byName, redirected } from "./rules.ts";

interface Config {
  readonly unreadable?: "ask" | "deny" | "continue";
}

/** A dangerous program where a command can stand. */
const dangerous =
  /(?:^|[;&|({`!]|\b(?:sudo|then|do|else|exec|env|xargs|command|nohup)\s)\s{0,16}(?:[^\s;&|]{0,64}\/)?(?:rm|mkfs[.a-z0-9]{0,16}|dd|chmod|chown|curl|wget|eval|shred|find|sh|bash|mv|base64)\b/m;

const hook: PreToolUse<unknown, Config | undefined> = (event, ctx) => {
  const command = commandOf(event.tool_input);
  if (command === undefined) return undefined;
  const workspace = event.cwd?.startsWith("/") ? resolvePath(event.cwd, "/") : ".";
  const reading = readShell(command, event.cwd);
  const findings = findingsOf(reading, workspace);
  const unreadable = ctx.config?.unreadable ?? "ask";
  if (!reading.whole && unreadable !== "continue" && isSuspicious(reading.text)) {
    findings.push({
      verdict: unreadable,
      reason: "the command line cannot be read as shell, and names a dangerous program",
    });
  }
  return decide(findings);
};

export default hook;

function findingsOf(reading: Reading, workspace: string): Finding[] {
  const findings: Finding[] = [];
  const downloads = new Set<string>();
  for (const invocation of reading.invocations) {
    const checks = [
      foreignCode(invocation, downloads),
      byName(invocation, workspace),
      invocation.name.includes(UNKNOWN) || invocation.name.includes(TAINTED)
        ? asIfRemoving(invocation, workspace)
        : undefined,
      redirected(invocation, workspace),
    ];
    for (const finding of checks) if (finding !== undefined) findings.push(softened(finding, invocation));
    for (const file of downloadedBy(invocation)) downloads.add(file);
  }
  if (reading.forkBomb !== undefined) {
    findings.push({
      verdict: "deny",
      reason: `\`${reading.forkBomb}\` starts itself again and again: a fork bomb`,
    });
  }
  return findings;
}

/** Whether a text that is no valid shell names a dangerous program where a command may stand. */
function isSuspicious(text: string): boolean {
  return dangerous.test(text.replace(/["'\\]/g, "")) || text.includes("$'");
}
