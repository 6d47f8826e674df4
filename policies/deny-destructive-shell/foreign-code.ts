import { type Finding, quoted, short } from "../lib/findings.ts";
import { resolvePath } from "../lib/paths.ts";
import { inlineProgram, isShell, languageOf, type ShellCall, shellCall } from "../lib/programs.ts";
import { TAINTED, UNKNOWN } from "../lib/marks.ts";
import type { Invocation } from "../lib/commands.ts";

const unseen = "runs unseen code: it was downloaded or decoded in the same command";

/** Code that a command runs and that is not in the command line. */
export function foreignCode(invocation: Invocation, downloads: ReadonlySet<string>): Finding | undefined {
  const { name, program, args, cwd } = invocation;
  const deny = (): Finding => ({ verdict: "deny", reason: `${quoted(invocation)} ${unseen}` });
  if (program.includes(TAINTED)) return deny();
  if (program.includes("/") && downloads.has(resolvePath(program, cwd))) return deny();
  if (isRemoteShell(invocation))
    return { verdict: "deny", reason: `${quoted(invocation)} hands a shell to another machine` };
  const code = codeOf(invocation);
  if (invocation.opaque && languageOf(name) !== undefined && !code?.text.includes(TAINTED))
    return { verdict: "ask", reason: `${quoted(invocation)} runs code that its text does not show` };
  if (code === undefined) return undefined;
  if (code.kind === "file")
    return code.text.includes(TAINTED) || downloads.has(resolvePath(code.text, cwd)) ? deny() : undefined;
  if (code.kind === "text") {
    if (code.text.includes(TAINTED)) return deny();
    if (!code.text.trimStart().startsWith(UNKNOWN)) return undefined;
    return {
      verdict: "ask",
      reason: `${short([name, ...args].join(" "))} runs a text that only the running shell knows`,
    };
  }
  const from = invocation.input?.from ?? [];
  if (from.some(({ external }) => external)) return deny();
  if (invocation.input === undefined || invocation.input.text !== undefined) return undefined;
  if (from.length === 1 && from[0]?.name === "cat") return undefined;
  return {
    verdict: "ask",
    reason: `${quoted(invocation)} runs a text that is made by the command before it`,
  };
}

interface Code {
  readonly kind: "text" | "file" | "input";
  readonly text: string;
}

/** Where a shell or an interpreter takes its code from. */
function codeOf(invocation: Invocation): Code | undefined {
  const { name, args } = invocation;
  if (name === "eval") return { kind: "text", text: args.join(" ") };
  if (name === "source" || name === ".") return { kind: "file", text: args[0] ?? "" };
  const shell = shellCall(invocation);
  if (shell !== undefined) return shellCodeOf(shell, invocation);
  if (languageOf(name) === undefined) return undefined;
  const inline = inlineProgram(invocation);
  if (inline !== undefined) return inline.includes(TAINTED) ? { kind: "text", text: inline } : undefined;
  const script = args.find((arg) => !/^-./.test(arg));
  if (args.some((arg) => /^-[A-Za-z]*m$/.test(arg))) return undefined;
  return fileOrInput(script === "-" ? undefined : script, invocation);
}

function shellCodeOf({ code, script }: ShellCall, invocation: Invocation): Code {
  return code === undefined ? fileOrInput(script, invocation) : { kind: "text", text: code };
}

function fileOrInput(script: string | undefined, { redirects }: Invocation): Code {
  const file = script ?? redirects.find(({ operator }) => operator === "<")?.target;
  return file === undefined ? input : { kind: "file", text: file };
}

const input: Code = { kind: "input", text: "" };

/** `bash >& /dev/tcp/host/port`, `nc -e sh host port` */
function isRemoteShell(invocation: Invocation): boolean {
  const { name, args, redirects } = invocation;
  if (isShell(name)) return redirects.some(({ target }) => /^\/dev\/(?:tcp|udp)\//.test(target));
  return (
    /^(?:nc|ncat|netcat)(?:\.\w+)?$/.test(name) &&
    args.some((arg) => /^(?:-[a-z]*[ec]|--(?:exec|sh-exec|lua-exec)(?:=.*)?)$/.test(arg))
  );
}
