/** What the child process that checks types is given. */
export interface TypesJob {
  /** Path of the compiler's module. */
  readonly compiler: string;
  /** Real path of the pack. */
  readonly root: string;
  /** Paths of the scripts, from the root. */
  readonly scripts: readonly string[];
  /** Folders that packages may come from, beside the pack's own. */
  readonly moduleFolders: readonly string[];
  /** What `hookwarden/hook` stands for: a file of types. */
  readonly helpers: string;
}

/** One thing that the compiler says. */
export interface TypeProblem {
  /** Path from the root of the pack. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
  /** The compiler's own number, such as 2322. */
  readonly number: number;
  readonly message: string;
}
