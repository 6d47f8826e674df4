import type { PreToolUse } from "hookwarden/hook";
import { decide, type Finding, short } from "../lib/findings.ts";
import { resolvePath } from "../lib/paths.ts";
import { clean } from "../lib/shell/marks.ts";
import { readShell } from "../lib/shell/read.ts";
import type { Invocation } from "../lib/shell/types.ts";
import { commandOf } from "../lib/tools.ts";
import { isSecret } from "./secret-paths.ts";

interface Config {
  readonly more?: readonly string[];
  readonly except?: readonly string[];
  readonly action?: Finding["verdict"];
}

/** Programs that look at names and dates and not at contents, or that only print their arguments. */
const blind: ReadonlySet<string> = new Set([
  "ls",
  "stat",
  "test",
  "[",
  "echo",
  "printf",
  "cd",
  "mkdir",
  "which",
  "dirname",
  "basename",
  "realpath",
]);

const hook: PreToolUse<unknown, Config | undefined> = (event, ctx) => {
  const input = event.tool_input ?? {};
  const cwd = event.cwd ?? ".";
  const { more = [], except = [], action = "deny" } = ctx.config ?? {};
  const isKept = (path: string): boolean => isSecret(path, more, except);
  const findings: Finding[] = [];
  const note = (path: string): void =>
    void findings.push({ verdict: action, reason: `${short(path)} holds secrets` });

  const named = [
    input["file_path"],
    input["notebook_path"],
    input["path"],
    input["source"],
    input["destination"],
    input["paths"],
  ].flat();
  for (const file of named) {
    if (typeof file !== "string") continue;
    const path = clean(file)
      .replaceAll("\\", "/")
      .replace(/^file:\/\//, "");
    if (isKept(resolvePath(path, cwd))) note(path);
  }
  const command = commandOf(input);
  if (command !== undefined) {
    for (const invocation of readShell(command, event.cwd).invocations) {
      const path = pathsOf(invocation).find((text) => isKept(resolvePath(text, invocation.cwd)));
      if (path !== undefined) note(path);
    }
  }
  return decide(findings);
};

export default hook;

/** What of a command may be a path whose content matters. */
function pathsOf({ name, args, redirects }: Invocation): readonly string[] {
  const targets = redirects.map(({ target }) => target);
  if (blind.has(name)) return targets;
  // Options and forms carry paths too: `--file=.env`, `-i~/.ssh/id_rsa`, `file=@.env`, `host:.env`, `HEAD:.env`.
  const parts = args.flatMap((arg) => [
    ...arg.split(/[=@:,<]/, 16),
    ...(/^-[A-Za-z]./.test(arg) ? [arg.slice(2)] : []),
  ]);
  return [...targets, ...new Set(parts)].filter(
    (part) => part !== "" && !part.startsWith("-") && !/\s/.test(part),
  );
}
