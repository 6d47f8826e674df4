import type { PreToolUse } from "hookwarden/hook";
import { decide, type Finding, short, softened, tooLarge } from "../lib/findings.ts";
import { resolvePath } from "../lib/paths.ts";
import { downloadedBy } from "../lib/downloads.ts";
import { TAINTED, UNKNOWN } from "../lib/marks.ts";
import { type Invocation, invocationsOf } from "../lib/commands.ts";
import { encrypted } from "./encryption.ts";
import { foreignCode } from "./foreign-code.ts";
import { lossesByProgram, lossOf } from "../lib/losses.ts";
import { losses } from "./losses.ts";
import { remoteShells } from "./remote-shells.ts";
import { asIfRemoving, byName, deletions, redirected } from "./rules.ts";
import { stoppedServices } from "./services.ts";

interface Config {
  readonly unreadable?: "ask" | "deny" | "continue";
}

const lossRows = lossesByProgram(losses);

/** A dangerous program where a command can stand. */
const dangerous =
  /(?:^|[;&|({`!]|\b(?:sudo|then|do|else|exec|env|xargs|command|nohup)\s)\s{0,16}(?:[^\s;&|]{0,64}\/)?(?:rm|mkfs[.a-z0-9]{0,16}|dd|chmod|chown|curl|wget|eval|shred|find\b[^;&|]{0,400}-(?:delete|exec|ok)|sh|bash|mv|base64)\b/m;

/** More is beyond the limits of the facts, and asked about for that. */
const longestRead = 65_536;

/** A function whose body starts something beside itself, as a fork bomb does. */
const forkBomb = /[\w:.]\s{0,8}\(\)\s{0,8}\{[^}|&]{0,200}[|&]/;

const hook: PreToolUse<unknown, Config | undefined> = (event, ctx) => {
  const { tool, shell, paths, hosts } = event.facts;
  const text = tool.ok ? tool.commands.join("\n") : "";
  if (text === "") return undefined;
  const workspace = event.cwd?.startsWith("/") ? resolvePath(event.cwd, "/") : ".";
  const invocations = invocationsOf(shell);
  const findings = findingsOf(invocations, workspace);
  findings.push(...deletions(paths.ok ? paths.paths : [], invocations, workspace));
  findings.push(...encrypted(paths.ok ? paths.paths : [], invocations, workspace));
  findings.push(...remoteShells(hosts, invocations));
  findings.push(...stoppedServices(invocations));
  if (shell.ok && shell.recursion !== null) {
    findings.push({
      verdict: "deny",
      reason: `${short(shell.recursion)} starts itself again and again: a fork bomb`,
    });
  }
  const unreadable = ctx.config?.unreadable ?? "ask";
  const whole = shell.ok && shell.valid;
  if (!whole && unreadable !== "continue" && isSuspicious(text.slice(0, longestRead))) {
    findings.push({
      verdict: unreadable,
      reason: "the command line cannot be read as shell, and names a dangerous program",
    });
  }
  if (unreadable !== "continue")
    findings.push(...tooLarge(shell).map((finding) => ({ ...finding, verdict: unreadable })));
  return decide(findings);
};

export default hook;

function findingsOf(invocations: readonly Invocation[], workspace: string): Finding[] {
  const findings: Finding[] = [];
  const downloads = new Set<string>();
  for (const invocation of invocations) {
    const checks = [
      foreignCode(invocation, downloads),
      byName(invocation, workspace) ?? lossOf(invocation, lossRows),
      invocation.name.includes(UNKNOWN) || invocation.name.includes(TAINTED)
        ? asIfRemoving(invocation, workspace)
        : undefined,
      redirected(invocation, workspace),
      unknownShell(invocation),
    ];
    for (const finding of checks) if (finding !== undefined) findings.push(softened(finding, invocation));
    for (const file of downloadedBy(invocation)) downloads.add(file);
  }
  return findings;
}

/** Whether a text that is no valid shell names a dangerous program where a command may stand. */
function isSuspicious(text: string): boolean {
  return dangerous.test(text.replace(/["'\\]/g, "")) || text.includes("$'") || forkBomb.test(text);
}

/** `$SHELL -c …`: a program that is not known, with what would be the text of a shell. */
function unknownShell({ name, args }: Invocation): Finding | undefined {
  const at = args.indexOf("-c");
  if (!name.includes(UNKNOWN) || at < 0 || !isSuspicious(args[at + 1] ?? "")) return undefined;
  return {
    verdict: "ask",
    reason: `if the program turns out to be a shell, it runs ${short(args[at + 1] ?? "")}`,
  };
}
