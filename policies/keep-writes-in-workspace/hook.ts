import type { PreToolUse } from "hookwarden/hook";
import { decide, type Finding, short, tooLarge } from "../lib/findings.ts";
import { homeOf, isFloating, isStream, isWithin, resolvePath } from "../lib/paths.ts";
import { clean } from "../lib/marks.ts";
import { invocationsOf, textOf } from "../lib/commands.ts";
import { changesFile } from "../lib/tools.ts";
import { linksOf } from "./links.ts";

interface Config {
  readonly roots?: readonly string[];
  readonly outside?: Finding["verdict"];
  readonly unknown?: Finding["verdict"] | "continue";
}

const temporary: readonly string[] = ["/tmp", "/var/tmp", "/private/tmp"];

const hook: PreToolUse<unknown, Config | undefined> = (event, ctx) => {
  const { tool, shell, paths } = event.facts;
  const workspace = event.cwd === undefined ? "." : resolvePath(unixForm(event.cwd, "."), ".");
  const judge = (path: string, verb: string): Finding | undefined =>
    judged(path, verb, workspace, ctx.config ?? {});
  const findings: Finding[] = [...tooLarge(shell)];
  const note = (finding: Finding | undefined): void => void (finding && findings.push(finding));

  for (const { path, access } of tool.ok ? tool.files : []) {
    if (!changesFile(access, event.tool_name)) continue;
    note(judge(resolvePath(unixForm(path, workspace), workspace), "it writes to"));
  }
  for (const invocation of invocationsOf(shell)) {
    for (const path of linksOf(invocation)) {
      const finding = judge(path, "it makes a link to");
      if (finding !== undefined) note({ ...finding, verdict: "ask" });
    }
  }
  for (const { path, access, command } of paths.ok ? paths.paths : []) {
    if (command === null || (access !== "write" && access !== "delete")) continue;
    const finding = judge(textOf(path), "it writes to");
    if (finding !== undefined)
      note(shell.ok && shell.commands[command]?.guess ? { ...finding, verdict: "ask" } : finding);
  }
  return decide(findings);
};

export default hook;

function judged(path: string, verb: string, workspace: string, config: Config): Finding | undefined {
  if (isFloating(path)) {
    const verdict = config.unknown ?? "ask";
    return verdict === "continue"
      ? undefined
      : {
          verdict,
          reason: `${verb} ${short(path)}, a place that is not known before it runs`,
        };
  }
  if (isStream(path) || isWithin(path, workspace)) return undefined;
  if ((config.roots ?? temporary).some((root) => isWithin(path, resolvePath(root, "/")))) return undefined;
  return {
    verdict: config.outside ?? "deny",
    reason: `${verb} ${short(path)}, outside the working directory ${short(workspace)}`,
  };
}

/** Brings Windows paths, `file:` addresses and `~` into a form with slashes. */
function unixForm(file: string, workspace: string): string {
  const path = clean(file).replace(/^file:\/\//, "");
  const slashed = /^(?:[A-Za-z]:|\\\\)/.test(path) ? `/${path.replaceAll("\\", "/").toLowerCase()}` : path;
  return slashed === "~" || slashed.startsWith("~/") ? homeOf(workspace) + slashed.slice(1) : slashed;
}
