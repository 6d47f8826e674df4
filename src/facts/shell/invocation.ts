/** What a command reads from its standard input. */
export interface Input {
  /** The text; `undefined` if it is not known. */
  readonly text: string | undefined;
  /** The commands of the pipe before it. */
  readonly from: readonly Invocation[];
}

export interface Redirect {
  readonly operator: string;
  readonly target: string;
}

/** A command as the interpreter finds it; texts have marks. */
export interface Invocation {
  /** File name of the program; a mark if it is not known, empty for redirections alone. */
  readonly name: string;
  /** The program as written, and its arguments. */
  readonly argv: readonly string[];
  readonly directory: string;
  readonly through: readonly string[];
  readonly variables: readonly (readonly [name: string, value: string])[];
  readonly redirects: readonly Redirect[];
  readonly input: Input | undefined;
  readonly maybe: boolean;
  readonly guess: boolean;
  /** Whether it starts something that is not known. */
  opaque: boolean;
}

/** The arguments without the program. */
export function argsOf({ argv }: Invocation): readonly string[] {
  return argv.slice(1);
}

/** File name of a program, in lower case and without `.exe`: some file systems ignore case. */
export function programName(program: string): string {
  return program
    .slice(program.lastIndexOf("/") + 1)
    .toLowerCase()
    .replace(/\.exe$/, "");
}
