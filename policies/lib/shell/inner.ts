import { resolvePath } from "../paths.ts";
import { UNKNOWN } from "./marks.ts";
import type { Input, Invocation } from "./types.ts";

/** A command inside another one: as words, or as text that a shell would read. */
export interface Inner {
  readonly words?: readonly string[];
  readonly code?: string;
  /** What commands in `code` read from their standard input. */
  readonly input?: Input | undefined;
  /** `$0`, `$1`, … of `code`, where it runs in a shell of its own. */
  readonly parameters?: readonly string[];
  /** Set for the languages that are not shell: what is found there is a guess. */
  readonly guess?: true;
  /** Name of what they are inside of. */
  readonly through: string;
}

const shells: ReadonlySet<string> = new Set(["sh", "bash", "zsh", "dash", "ksh", "ash", "fish", "rbash"]);

/** Options of shells that take the next word as their value. */
const shellValues: ReadonlySet<string> = new Set(["-o", "+o", "-O", "+O", "--rcfile", "--init-file"]);

/** What a shell was asked to run. */
export interface ShellCall {
  /** The text after `-c`. */
  readonly code: string | undefined;
  /** What stands after the text or the script. */
  readonly rest: readonly string[];
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
  const rest = args.slice(at + 1);
  if (wantsCode) return { code: word ?? "", script: undefined, rest };
  const input =
    fromInput || word === undefined || word === "-" || word === "/dev/stdin" || word === "/dev/fd/0";
  return { code: undefined, script: input ? undefined : word, rest };
}

/** Languages whose programs can be given on the command line, and the option that does it. */
const inlineOptions: ReadonlyMap<string, RegExp> = new Map([
  ["python", /^-[A-Za-z]*c$/],
  ["perl", /^-[A-Za-z]*[eE]$/],
  ["ruby", /^-[A-Za-z]*e$/],
  ["node", /^(-[A-Za-z]*[ep]|--eval|--print)$/],
  ["php", /^-r$/],
  ["lua", /^-e$/],
  ["osascript", /^-e$/],
]);

const awks: ReadonlySet<string> = new Set(["awk", "gawk", "mawk"]);

/** The name of a language's interpreter without its version, such as `python3.12`; `undefined` where it is none. */
export function languageOf(name: string): string | undefined {
  const language = name.replace(/[0-9.]+$/, "");
  return inlineOptions.has(language) ? language : undefined;
}

/** The program text that an interpreter was given on the command line. */
export function inlineProgram({ name, args }: Invocation): string | undefined {
  if (awks.has(name)) return args.find((arg) => !arg.startsWith("-"));
  const option = inlineOptions.get(languageOf(name) ?? "");
  const at = option === undefined ? -1 : args.findIndex((arg) => option.test(arg));
  return at < 0 ? undefined : args[at + 1];
}

/** Texts of files that are known, by their path in the form of `resolvePath`. */
type Files = ReadonlyMap<string, string>;

/** The commands inside a command. */
export function innerOf(invocation: Invocation, files: Files): readonly Inner[] {
  const { name, program, args, input, cwd } = invocation;
  const textOf = (path: string): string | undefined => files.get(resolvePath(path, cwd));
  const call = shellCall(invocation);
  if (call?.code !== undefined) {
    const parameters = call.rest.length > 0 ? call.rest : [name];
    return [{ code: call.code, parameters, input, through: name }];
  }
  if (call !== undefined) {
    const code = call.script === undefined ? input?.text : textOf(call.script);
    return code === undefined
      ? []
      : [{ code, parameters: [call.script ?? name, ...call.rest], through: name }];
  }
  if (languageOf(name) !== undefined || awks.has(name)) {
    const script = args.find((arg) => !/^-./.test(arg));
    const text =
      inlineProgram(invocation) ?? (script === undefined || script === "-" ? input?.text : textOf(script));
    return text === undefined ? [] : guesses(text, name);
  }
  const code = program.includes("/") ? textOf(program) : undefined;
  if (code !== undefined) return [{ code, parameters: [program, ...args], through: name }];
  return carriers.get(name)?.(invocation, textOf) ?? [];
}

function inputAsCode({ name, input }: Invocation): readonly Inner[] {
  return input?.text === undefined ? [] : [{ code: input.text, through: name }];
}

type Carrier = (invocation: Invocation, textOf: (path: string) => string | undefined) => readonly Inner[];

/** Programs that carry a command line or a command in their arguments. */
const carriers: ReadonlyMap<string, Carrier> = new Map<string, Carrier>([
  ["eval", ({ args, input }) => [{ code: args.join(" "), input, through: "eval" }]],
  ["su", otherUser],
  ["runuser", otherUser],
  ["script", otherUser],
  ["at", inputAsCode],
  ["batch", inputAsCode],
  ["trap", ({ args }) => args.slice(0, 1).map((code) => ({ code, through: "trap" }))],
  ["alias", ({ args }) => args.map((arg) => ({ code: arg.slice(arg.indexOf("=") + 1), through: "alias" }))],
  [
    "tmux",
    ({ args }) =>
      args.filter((arg) => /\s/.test(arg)).map((code) => ({ code, guess: true, through: "tmux" })),
  ],
  ["ssh", remote],
  ["find", ({ args }) => findCommands(args)],
  // `git -c alias.x='!command' x`
  [
    "git",
    ({ args }) =>
      args.flatMap((arg) =>
        /^alias\.[^=]+=!/.test(arg) ? [{ code: arg.slice(arg.indexOf("!") + 1), through: "git" }] : [],
      ),
  ],
  ["source", sourced],
  [".", sourced],
]);

/** Programs that give a text to a shell: after `-c`, or from their input. */
function otherUser(invocation: Invocation): readonly Inner[] {
  const { name, args } = invocation;
  const at = args.findIndex((arg) => /^(-[a-z]*c|--command)$/.test(arg));
  return at < 0 ? inputAsCode(invocation) : [{ code: args[at + 1] ?? "", parameters: [name], through: name }];
}

function sourced(invocation: Invocation, textOf: (path: string) => string | undefined): readonly Inner[] {
  const [file = ""] = invocation.args;
  if (file === "/dev/stdin" || file === "/dev/fd/0") return inputAsCode(invocation);
  const code = textOf(file);
  return code === undefined ? [] : [{ code, through: invocation.name }];
}

function remote(invocation: Invocation): readonly Inner[] {
  const code = sshCommand(invocation.args);
  return code === "" ? inputAsCode(invocation) : [{ code, parameters: ["ssh"], through: "ssh" }];
}

/** What `ssh` runs on the other machine. */
function sshCommand(args: readonly string[]): string {
  let at = 0;
  while (args[at]?.startsWith("-")) at += /^-[BbcDEeFIiJLlmOopQRSWw]$/.test(args[at] ?? "") ? 2 : 1;
  return args.slice(at + 1).join(" ");
}

/** The commands after `-exec` and its kin, with `{}` as a name below each folder that is searched. */
function findCommands(args: readonly string[]): readonly Inner[] {
  const found: Inner[] = [];
  args.forEach((arg, at) => {
    if (!/^-(exec|ok)(dir)?$/.test(arg)) return;
    const end = args.findIndex(
      (word, index) => index > at && (word === ";" || (word === "+" && args[index - 1] === "{}")),
    );
    const words = args.slice(at + 1, end < 0 ? args.length : end);
    const names = searched(args);
    found.push({
      words: words.flatMap((word) =>
        word.includes("{}") ? names.map((folder) => word.replaceAll("{}", `${folder}/${UNKNOWN}`)) : [word],
      ),
      through: "find",
    });
  });
  return found;
}

/** The folders that a `find` searches. */
export function searched(args: readonly string[]): readonly string[] {
  const end = args.findIndex((arg) => /^[-(!]/.test(arg));
  const folders = end < 0 ? args : args.slice(0, end);
  return folders.length > 0 ? folders : ["."];
}

/** Functions of other languages that delete a folder with all that is in it. */
const deletes =
  /(?:rmtree|rmSync|rmdirSync|rm_rf|rm_r|remove_entry_secure|remove_tree)[\s(]{1,8}["'`]([^"'`]{1,400})/g;

/** What a program in another language may start: its strings, read as command lines. */
function guesses(program: string, through: string): readonly Inner[] {
  const strings = literals(program);
  const lines = [...strings.filter((text) => /\s/.test(text)), strings.join(" ")];
  const inner: Inner[] = lines.map((code) => ({ code, through, guess: true }));
  for (const [, path = ""] of program.matchAll(deletes))
    inner.push({ words: ["rm", "-r", path], through, guess: true });
  return inner;
}

const mostLiterals = 32;

/** The string literals of a program, in any of the usual quotes. One pass. */
function literals(program: string): readonly string[] {
  const found: string[] = [];
  let quote = "";
  let text = "";
  for (let at = 0; at < program.length && found.length < mostLiterals; at++) {
    const char = program[at] ?? "";
    if (char === "\\") text += program[++at] ?? "";
    else if (quote === "" && /["'`]/.test(char)) [quote, text] = [char, ""];
    else if (char === quote) {
      found.push(text);
      quote = "";
    } else text += char;
  }
  return found;
}
