import type { ShellCommand, ShellFact, ShellWord } from "hookwarden/hook";
import { clean, SOME_HOME, TAINTED, UNKNOWN } from "./marks.ts";
import { baseName, resolvePath } from "./paths.ts";

/** What a command reads from its standard input. */
export interface Input {
  /** The text, where it is known. */
  readonly text: string | undefined;
  /** The commands of the pipe before it. */
  readonly from: readonly Invocation[];
}

/** A redirection of a command. */
export interface Redirection {
  readonly operator: string;
  readonly target: string;
}

/** One program that a command line would start, in the form that rules read: texts, with marks for what is unknown. */
export interface Invocation {
  /** File name of the program, in lower case; empty for a redirection without a program. Marks where it is unknown. */
  readonly name: string;
  /** The program as written, expanded. */
  readonly program: string;
  readonly args: readonly string[];
  /** Working directory, in the form of `resolvePath`. */
  readonly cwd: string;
  readonly input: Input | undefined;
  readonly redirects: readonly Redirection[];
  /** Variables that are set for it alone. */
  readonly variables: readonly (readonly [name: string, value: string])[];
  /** Wrappers and interpreters that start it, outermost first. */
  readonly through: readonly string[];
  /** It was found in a string of another language, and may be no command at all. */
  readonly guess: boolean;
  /** What it starts is not known. */
  readonly opaque: boolean;
  /** What it prints was downloaded or decoded. */
  readonly external: boolean;
}

/** The commands of `facts.shell`; none where the fact is not known. */
export function invocationsOf(shell: ShellFact | undefined): readonly Invocation[] {
  if (shell === undefined || !shell.ok) return [];
  const before: Before = { invocations: [], tainted: false, cd: undefined };
  for (const command of shell.commands) {
    const invocation = invocationOf(command, before);
    before.invocations.push(invocation);
    before.tainted ||= invocation.external;
    if (invocation.name === "cd" || invocation.name === "pushd") before.cd = invocation;
  }
  return before.invocations;
}

/** What has come before a command on its command line. */
interface Before {
  readonly invocations: Invocation[];
  /** Whether one of them prints something downloaded or decoded. */
  tainted: boolean;
  /** The last that changes the working directory. */
  cd: Invocation | undefined;
}

function invocationOf(command: ShellCommand, before: Before): Invocation {
  const { argv, directory, redirects, input, variables, through, guess, opaque, external } = command;
  const { tainted } = before;
  const text = (word: ShellWord): string => marked(word, tainted);
  const [program = "", ...args] = argv.map(text);
  return {
    name: command.name === null || isGlobbed(argv[0]) ? nameOf(program) : command.name,
    program,
    args,
    cwd: typeof directory === "string" ? clean(directory) : afterCd(before.cd, text(directory)),
    input:
      input === null
        ? undefined
        : {
            text: input.text === null ? undefined : text(input.text),
            from: pipeOf(input.from, before.invocations),
          },
    redirects: redirects.map(({ operator, target }) => ({
      operator,
      target: text(target),
    })),
    variables: variables.map(({ name, value }) => [name, text(value)] as const),
    through,
    guess,
    opaque,
    external,
  };
}

/** Where the last `cd` leads, for a working directory that is known no other way: a home directory has a mark of its own. */
function afterCd(cd: Invocation | undefined, otherwise: string): string {
  if (cd === undefined || cd.through.length > 0) return otherwise;
  const target = cd.args.find((arg) => !arg.startsWith("-")) ?? SOME_HOME;
  if (cd.args.includes("-")) return otherwise;
  // Of a temporary folder only the name is not known.
  const isKnown = !target.includes(UNKNOWN) || target.startsWith("/tmp/");
  return isKnown ? resolvePath(target, cd.cwd) : otherwise;
}

function isGlobbed(word: ShellWord | undefined): boolean {
  return typeof word === "object" && word.some((part) => typeof part === "object" && "glob" in part);
}

/** The name of a program that is a pattern, or not known. */
function nameOf(program: string): string {
  const name = baseName(program).toLowerCase();
  return name !== "[" && /[*?[]/.test(name) ? UNKNOWN : name;
}

/** The commands of the pipe before a command, however far back. */
function pipeOf(from: readonly number[], before: readonly Invocation[]): readonly Invocation[] {
  return from.flatMap((index) => {
    const command = before[index];
    return command === undefined ? [] : [...(command.input?.from ?? []), command];
  });
}

/** Variables of continuous integration that name files for what a step hands on. */
const temporary: ReadonlySet<string> = new Set([
  "GITHUB_OUTPUT",
  "GITHUB_ENV",
  "GITHUB_PATH",
  "GITHUB_STATE",
  "GITHUB_STEP_SUMMARY",
  "RUNNER_TEMP",
]);

/** A word as a text, with marks for what is not known. What comes out of a pipe is tainted after a download. */
function marked(word: ShellWord, tainted: boolean): string {
  if (typeof word === "string") return clean(word);
  return word
    .map((part) => {
      if (typeof part === "string") return clean(part);
      if ("glob" in part) return clean(part.glob);
      if (part.unknown === "external") return TAINTED;
      if (part.unknown === "user") return SOME_HOME;
      if (part.unknown === "variable" && temporary.has(part.name ?? "")) return `/tmp/${UNKNOWN}`;
      if (part.unknown === "output" && part.name === "mktemp") return `/tmp/${UNKNOWN}`;
      return tainted && part.name?.startsWith("pipe") ? TAINTED : UNKNOWN;
    })
    .join("");
}

/** A word of a fact as a text, with marks for what is not known. */
export function textOf(word: ShellWord): string {
  return marked(word, false);
}
