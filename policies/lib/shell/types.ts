/** What a command reads from its standard input. */
export interface Input {
  /** The text, where it can be told. */
  readonly text: string | undefined;
  /** The commands of the pipe before it. */
  readonly from: readonly Invocation[];
}

/** A redirection of a command. */
export interface Redirection {
  readonly operator: string;
  readonly target: string;
}

/** One program that a command line would start, with wrappers such as `sudo` taken off. */
export interface Invocation {
  /** File name of the program, in lower case; empty for a redirection without a program. Marks where it is unknown. */
  readonly name: string;
  /** The program as written, expanded. */
  readonly program: string;
  /** Expanded arguments, with marks for what is unknown. */
  readonly args: readonly string[];
  /** Working directory, in the form of `resolvePath`. */
  readonly cwd: string;
  readonly input: Input | undefined;
  readonly redirects: readonly Redirection[];
  /** Wrappers and interpreters that it was found in, outermost first. */
  readonly through: readonly string[];
}

/** All that was found in a command line. */
export interface Reading {
  readonly invocations: readonly Invocation[];
  /** `false`: the text is no valid shell, too long or too deep, and only a part of it was read. */
  readonly whole: boolean;
  /** Name of a function that starts itself more than once. */
  readonly forkBomb: string | undefined;
  /** The whole text, without control characters. */
  readonly text: string;
}
