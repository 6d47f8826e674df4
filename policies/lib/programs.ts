import type { Invocation } from "./commands.ts";

export const shells: ReadonlySet<string> = new Set([
  "sh",
  "bash",
  "zsh",
  "dash",
  "ksh",
  "ash",
  "fish",
  "rbash",
]);

/** Whether a program is a shell. */
export function isShell(name: string): boolean {
  return shells.has(name);
}

/** Options of shells that take the next word as their value. */
const shellValues: ReadonlySet<string> = new Set(["-o", "+o", "-O", "+O", "--rcfile", "--init-file"]);

/** What a shell was asked to run. */
export interface ShellCall {
  /** The text after `-c`. */
  readonly code: string | undefined;
  /** The script's path. */
  readonly script: string | undefined;
}

/** Reads the arguments of a shell; `undefined` where the program is no shell. */
export function shellCall({ name, args }: Invocation): ShellCall | undefined {
  if (!shells.has(name)) return undefined;
  let wantsCode = false;
  let fromInput = false;
  let at = 0;
  for (; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (shellValues.has(arg)) at++;
    else if (!/^[-+]./.test(arg)) break;
    else if (/^-[A-Za-z]*c/.test(arg)) wantsCode = true;
    else if (/^-[A-Za-z]*s/.test(arg)) fromInput = true;
  }
  const word = args[at];
  if (wantsCode) return { code: word ?? "", script: undefined };
  const input =
    fromInput || word === undefined || word === "-" || word === "/dev/stdin" || word === "/dev/fd/0";
  return { code: undefined, script: input ? undefined : word };
}

/** Languages whose programs can be given on the command line, and the option that does it: the program may be glued to it. */
export const inlineOptions: ReadonlyMap<string, RegExp> = new Map([
  ["python", /^-[bBdEhiIOqsSuv]*c([^]*)$/],
  ["perl", /^-(?:[acnpsStTuUwWX]|[0l][0-7]{0,6}|i(?=e$)){0,12}[eE]([^]*)$/],
  ["ruby", /^-(?:[acnplswSUvW]|0[0-7]{0,6}){0,12}e([^]*)$/],
  ["node", /^(?:-[A-Za-z]*[ep]|--(?:eval|print)(?:=([^]*))?)$/],
  ["bun", /^(?:-e|--eval(?:=([^]*))?)$/],
  ["php", /^-r([^]*)$/],
  ["lua", /^-e([^]*)$/],
  ["osascript", /^-e$/],
]);

/** The name of a language's interpreter without its version, such as `python3.12`; `undefined` where it is none. */
export function languageOf(name: string): string | undefined {
  const language = name.replace(/[0-9.]+$/, "");
  return inlineOptions.has(language) ? language : undefined;
}

/** The program text that an interpreter was given on the command line. */
export function inlineProgram({ name, args }: Invocation): string | undefined {
  const option = inlineOptions.get(languageOf(name) ?? "");
  for (const [at, arg] of args.entries()) {
    const found = option?.exec(arg);
    if (found) return found[1] || args[at + 1];
  }
  return undefined;
}

/** The folders that a `find` searches. */
export function searched(args: readonly string[]): readonly string[] {
  const end = args.findIndex((arg) => /^[-(!]/.test(arg));
  const folders = end < 0 ? args : args.slice(0, end);
  return folders.length > 0 ? folders : ["."];
}
