import type { Input } from "./invocation.ts";
import { isUnknown } from "./text.ts";

/** A command inside another one: as words, or as text that a shell reads. */
export interface Inner {
  readonly words?: readonly string[];
  readonly code?: string;
  /** What commands in `code` read from their standard input; absent: what the outer command reads. */
  readonly input?: Input;
  /** `$0`, `$1`, … of `code`. */
  readonly parameters?: readonly string[];
  /** Whether it runs in the shell itself, in a child of it, or elsewhere. */
  readonly where: "here" | "child" | "elsewhere";
  /** Set for other languages: what is found there is a guess. */
  readonly guess?: true;
  readonly maybe?: true;
  /** Name of what it is inside of. */
  readonly through: string;
}

/** What is inside a command, and whether there is more that is not known. */
export interface Inside {
  readonly inner: readonly Inner[];
  readonly opaque: boolean;
}

export const nothing: Inside = { inner: [], opaque: false };
export const opaque: Inside = { inner: [], opaque: true };

/** Reads a file whose text the command line has written; `undefined` if it has not. */
export type ReadFile = (path: string) => string | undefined;

/** A text that may be a command line. */
export function guessed(code: string, through: string): Inner {
  return { code, where: "child", maybe: true, guess: true, through };
}

/** Code with unknown parts may start anything. */
export function coded(inner: readonly Inner[]): Inside {
  return { inner, opaque: inner.some(({ code, guess }) => code !== undefined && !guess && isUnknown(code)) };
}

/** Names of standard input. */
export const standardInput: ReadonlySet<string> = new Set([
  "-",
  "/dev/stdin",
  "/dev/fd/0",
  "/proc/self/fd/0",
]);
