import type { SyntaxNode } from "./syntax.ts";
import { EMPTY_LIST, isMany, LIST, UNKNOWN, unknown } from "./text.ts";

/** Most values that are kept of a variable; beyond, it is not known. */
const mostValues = 8;

/** What a name may run: the body of a function, or `null` for a program or builtin. */
export type Callable = SyntaxNode | null;

/** What a shell keeps from command to command. */
export class State {
  /** Values that a variable may have. One that is absent comes from outside: its value is not known. */
  variables = new Map<string, readonly string[]>();
  exported = new Set<string>();
  functions = new Map<string, readonly Callable[]>();
  /** Working directory, in the form of `resolvePath`. */
  directory: string;
  /** Whether the shell may be one that lacks what bash has beyond POSIX. */
  plain = false;
  /** Set once a command may have ended the shell, a function or a loop: what follows may not run. */
  ended = { shell: false, call: false, loop: false };

  constructor(directory: string) {
    this.directory = directory;
  }

  clone(): State {
    const copy = new State(this.directory);
    copy.variables = new Map(this.variables);
    copy.exported = new Set(this.exported);
    copy.functions = new Map(this.functions);
    copy.ended = { ...this.ended };
    copy.plain = this.plain;
    return copy;
  }

  valuesOf(name: string): readonly string[] {
    return this.variables.get(name) ?? [unknownVariable(name)];
  }

  /** The characters at which values are split, of which the first joins lists; `null` if they are not known. */
  get separators(): string | null {
    const values = this.variables.get("IFS");
    if (values === undefined) return " \t\n";
    const [value = ""] = values;
    return values.length > 1 || value.includes("\uFDD0") ? null : value;
  }

  /** A list as one word, as in `"$*"`. */
  joined(list: string): string {
    const elements = list.replaceAll(EMPTY_LIST, "").split(LIST);
    const { separators } = this;
    if (elements.length > 1 && (separators === null || elements.some((element) => isMany(element))))
      return UNKNOWN;
    return elements.join(separators?.slice(0, 1));
  }

  assign(name: string, values: readonly string[]): void {
    this.variables.set(name, distinct(name, values));
  }

  /** Forgets a variable: a command gives it a value that only the running shell knows. */
  forget(name: string): void {
    this.variables.set(name, [unknownVariable(name)]);
  }

  forgetAll(): void {
    this.variables.clear();
    this.forget("IFS");
  }

  /** Adds what may be the case after another way through the text. */
  join(other: State): void {
    for (const name of new Set([...this.variables.keys(), ...other.variables.keys()]))
      this.assign(name, [...this.valuesOf(name), ...other.valuesOf(name)]);
    for (const name of new Set([...this.functions.keys(), ...other.functions.keys()])) {
      const bodies = [this, other].flatMap(({ functions }) => functions.get(name) ?? [null]);
      this.functions.set(name, [...new Set(bodies)]);
    }
    for (const name of other.exported) this.exported.add(name);
    if (this.directory !== other.directory) this.directory = unknown("v", "PWD");
    for (const scope of ["shell", "call", "loop"] as const) this.ended[scope] ||= other.ended[scope];
  }

  /** Forgets the variables whose values differ from those of another state; `true` if there were any. */
  widen(other: State): boolean {
    let changed = false;
    for (const name of new Set([...this.variables.keys(), ...other.variables.keys()])) {
      if (this.valuesOf(name).join() === other.valuesOf(name).join()) continue;
      this.forget(name);
      changed = true;
    }
    return changed;
  }
}

export function unknownVariable(name: string): string {
  return unknown("v", name, name === "@");
}

function distinct(name: string, values: readonly string[]): readonly string[] {
  const set = [...new Set(values)];
  return set.length > mostValues ? [unknownVariable(name)] : set;
}
