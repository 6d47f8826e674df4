import { operands } from "./options.ts";
import type { Invocation } from "./commands.ts";

/** A call of git, with its own options taken off. */
export interface GitCall {
  readonly command: string;
  readonly args: readonly string[];
}

/** Options before the command that take the next argument. */
const withValue: ReadonlySet<string> = new Set([
  "-C",
  "-c",
  "--git-dir",
  "--work-tree",
  "--namespace",
  "--exec-path",
  "--config-env",
]);

/** Reads a call of git; `undefined` for other programs. Aliases made with `-c alias.x=…` are followed. */
export function gitCall({ name, args }: Invocation): GitCall | undefined {
  if (name !== "git") return name.startsWith("git-") ? { command: name.slice(4), args } : undefined;
  const aliases = new Map<string, string>();
  let at = 0;
  while (args[at]?.startsWith("-")) {
    const alias = /^alias\.([^=]+)=(.*)$/s.exec(args[at] === "-c" ? (args[at + 1] ?? "") : "");
    if (alias !== null) aliases.set(alias[1] ?? "", alias[2] ?? "");
    at += withValue.has(args[at] ?? "") ? 2 : 1;
  }
  const [command = "", ...rest] = args.slice(at);
  const alias = aliases.get(command);
  if (alias === undefined) return { command, args: rest };
  const [inner = "", ...given] = alias.trim().split(/\s+/);
  return { command: inner, args: [...given, ...rest] };
}

/** One thing that a push does. */
export interface Refspec {
  /** Name of the branch at the other side; empty where the current branch decides. */
  readonly target: string;
  readonly force: boolean;
  readonly remove: boolean;
}

/** What the arguments of `git push` say of each branch. */
export function refspecs(args: readonly string[]): readonly Refspec[] {
  const specs = operands(args).slice(1);
  const removes = args.some((arg) => arg === "--delete" || /^-[a-zA-Z]*d/.test(arg));
  const list = specs.length > 0 ? specs : [""];
  return list.map((spec) => {
    const force = spec.startsWith("+");
    const bare = force ? spec.slice(1) : spec;
    const target = bare.slice(bare.indexOf(":") + 1).replace(/^refs\/heads\//, "");
    return {
      target: target === "HEAD" || target === "@" ? "" : target,
      force,
      remove: removes || bare.startsWith(":"),
    };
  });
}
