import type { PreToolUse } from "hookwarden/hook";
import { decide, type Finding, short, tooLarge } from "../lib/findings.ts";
import { isGlob, resolvePath } from "../lib/paths.ts";
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
  "du",
  "tree",
  "export",
  "declare",
  "typeset",
  "local",
  "readonly",
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
    const text = textOf(path);
    if (blind.has(invocations[command]?.name ?? "") || (access === "write" && hidden.test(text))) continue;
    if (isKept(text)) note(text);
  }
  return decide(findings);
};

export default hook;

/** Programs whose first operand is a pattern or a script, unless an option gives it. */
const scripted: ReadonlySet<string> = new Set("grep egrep fgrep rg ag sed gsed awk gawk mawk".split(" "));

/** Where a command has its pattern or script, in which wildcards stand for no names of files; -1 if nowhere. */
function scriptOf({ name, args }: Invocation): number {
  if (!scripted.has(name)) return -1;
  const isGiven = args.some((arg) => /^-[A-Za-z]*[ef]|^--(?:regexp|expression|file)\b/.test(arg));
  return isGiven ? -1 : args.findIndex((arg) => !arg.startsWith("-"));
}

/** What of a command may be a path whose content matters. */
function pathsOf(invocation: Invocation): readonly string[] {
  const { name, args, redirects } = invocation;
  const texts = new Set<string>();
  for (const { target } of redirects) texts.add(target);
  if (!blind.has(name)) {
    const script = scriptOf(invocation);
    for (const [at, arg] of args.entries()) {
      if (isPattern(name, args, at) || (at === script && isGlob(arg)) || address.test(arg)) continue;
      if (!divided.test(arg)) texts.add(arg);
      else for (const part of arg.replace(field, "").split(divided, 16)) texts.add(part);
      if (/^-[A-Za-z]./.test(arg)) texts.add(arg.slice(2));
    }
  }
  return [...texts].filter((text) => !noPath.test(text) && !hidden.test(text));
}

/** Options and forms carry paths too: `--file=.env`, `-i~/.ssh/id_rsa`, `file=@.env`, `host:.env`, `HEAD:.env`. */
const divided = /[=@:,<]/;
const noPath = /^$|^-|\s/;
/** The name of a setting, such as `section.key=…`, and no place. */
const field = /^[\w-]+(?:\.[\w-]+)+(?=[=:])/;
/** An address on another machine is no file here, whatever its path is called. */
const address = /(?:^|=)(?!file:)[a-z][a-z0-9+.-]*:\/\//i;
/** Every hidden file, where a program that reads it is not known from its arguments alone. */
const hidden = /(?:^|\/)\.[*?[][^/]*$/;

/** A regular expression is no path; nor is what `find` leaves out, or a name that begins as `.gitignore` does. */
function isPattern(name: string, args: readonly string[], at: number): boolean {
  if (args[at]?.startsWith("^")) return true;
  if (name !== "find" || !/^-i?(?:name|path|wholename|regex)$/.test(args[at - 1] ?? "")) return false;
  return (
    /(?:^|\/)\.git[*?[]|\/\.\*/.test(args[at] ?? "") ||
    /^(?:!|-not)$/.test(args[at - 2] ?? "") ||
    args[at + 1] === "-prune"
  );
}
