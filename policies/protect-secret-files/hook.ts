import type { PreToolUse } from "hookwarden/hook";
import { decide, type Finding, short, tooLarge } from "../lib/findings.ts";
import { resolvePath } from "../lib/paths.ts";
import { clean } from "../lib/marks.ts";
import { type Invocation, invocationsOf, textOf } from "../lib/commands.ts";
import { isSecret } from "../lib/secret-paths.ts";

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
  const { tool, shell, paths } = event.facts;
  const cwd = event.cwd ?? ".";
  const { more = [], except = [], action = "deny" } = ctx.config ?? {};
  const isKept = (path: string): boolean => isSecret(path, more, except);
  const findings: Finding[] = [];
  const note = (path: string): void =>
    void findings.push({
      verdict: action,
      reason: `${short(path)} holds secrets`,
    });

  for (const file of tool.ok ? tool.files : []) {
    const path = clean(file.path)
      .replaceAll("\\", "/")
      .replace(/^file:\/\//, "");
    if (isKept(resolvePath(path, cwd))) note(path);
  }
  findings.push(...tooLarge(shell));
  const invocations = invocationsOf(shell);
  for (const invocation of invocations) {
    const path = pathsOf(invocation).find((text) => isKept(resolvePath(text, invocation.cwd)));
    if (path !== undefined) note(path);
  }
  // Options of programs, and what programs in other languages name.
  for (const { path, access, command } of findings.length === 0 && paths.ok ? paths.paths : []) {
    if (command === null || access === "list" || access === "delete") continue;
    if (!blind.has(invocations[command]?.name ?? "") && isKept(textOf(path))) note(textOf(path));
  }
  return decide(findings);
};

export default hook;

/** What of a command may be a path whose content matters. */
function pathsOf(invocation: Invocation): readonly string[] {
  const { name, redirects } = invocation;
  const targets = redirects.map(({ target }) => target);
  if (blind.has(name)) return targets;
  // A regular expression is no path, and `find -name '.*'` means every hidden file.
  const args = invocation.args.filter(
    (arg, at, all) =>
      !arg.startsWith("^") &&
      !(
        name === "find" &&
        /^-i?(?:name|path|wholename|regex)$/.test(all[at - 1] ?? "") &&
        /(?:^|\/)\.\*/.test(arg)
      ),
  );
  // Options and forms carry paths too: `--file=.env`, `-i~/.ssh/id_rsa`, `file=@.env`, `host:.env`, `HEAD:.env`.
  const parts = args.flatMap((arg) => [
    ...arg.split(/[=@:,<]/, 16),
    ...(/^-[A-Za-z]./.test(arg) ? [arg.slice(2)] : []),
  ]);
  return [...targets, ...new Set(parts)].filter(
    (part) => part !== "" && !part.startsWith("-") && !/\s/.test(part),
  );
}
