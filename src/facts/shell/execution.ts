import type { UnknownReason } from "../fact.ts";
import { isFloating, resolvePath } from "../path-text.ts";
import { type Input, type Invocation, programName, type Redirect } from "./invocation.ts";
import { written } from "./output.ts";
import { shellLimits } from "./row.ts";
import { type Callable, State } from "./state.ts";
import { EMPTY_LIST, isMany, LIST, openingsIn, unknown, UNKNOWN, withoutGlobs } from "./text.ts";

/** Where a command is, in the text and in other commands. */
export interface Place {
  readonly input: Input | undefined;
  readonly through: readonly string[];
  /** How many of these are outside the shell that reads the commands. */
  readonly outside: number;
  readonly variables: readonly (readonly [string, string])[];
  readonly depth: number;
  readonly maybe: boolean;
  /** Functions whose bodies this is in. */
  readonly inside: readonly string[];
  /** Whether it runs beside something else. */
  readonly beside: boolean;
  /** Whether it is only a guess that the text is a command line. */
  readonly guess: boolean;
}

const start: Place = {
  input: undefined,
  through: [],
  outside: 0,
  variables: [],
  depth: 0,
  maybe: false,
  inside: [],
  beside: false,
  guess: false,
};

/** A limit of the fact is exceeded. */
export class LimitExceeded extends Error {
  readonly why: UnknownReason;

  constructor(why: UnknownReason) {
    super(why);
    this.why = why;
  }
}

/** What a shell would do with the command lines that were read so far: its state, and the commands that it would start. */
export class Execution {
  readonly found: Invocation[] = [];
  readonly home: string;
  valid = true;
  complete = true;
  recursion: string | null = null;
  state: State;
  /** Files whose whole text the command line itself has written. */
  readonly files = new Map<string, string>();
  /** The lines after the statement that is read. */
  typed = "";
  /** Bodies of functions that were called. */
  readonly called = new Set<Callable>();
  place: Place = start;
  #characters = 0;
  #nodes = 0;
  readonly #maxNodes: number;

  constructor(directory: string, home: string, maxNodes: number) {
    this.state = new State(directory);
    this.home = home;
    this.#maxNodes = maxNodes;
  }

  /** Counts a command line against the limits of the fact. */
  spendText(text: string): void {
    this.#characters += text.length;
    if (this.#characters > shellLimits.characters.maximum) throw new LimitExceeded("too-long");
    if (openingsIn(text) > shellLimits.substitutions.maximum) throw new LimitExceeded("too-many");
  }

  /** Counts syntax nodes against the limit of the fact. */
  spend(nodes: number): void {
    this.#nodes += nodes;
    if (this.#nodes > this.#maxNodes) throw new LimitExceeded("too-many");
  }

  /** Does something at a place that differs in some respects, and returns to where it was. */
  within(changes: Partial<Place>, action: () => void): readonly Invocation[] {
    const before = this.place;
    const count = this.found.length;
    const depth = before.depth + 1;
    if (depth > shellLimits.depth.maximum) throw new LimitExceeded("too-deep");
    this.place = { ...before, ...changes, depth };
    action();
    this.place = before;
    return this.found.slice(count);
  }

  /** Does something in a subshell: what it changes does not last. */
  apart(action: () => void): void {
    const before = this.state;
    this.state = before.clone();
    action();
    this.state = before;
  }

  /** Does one of several things, each of which starts from the same state. */
  branches(actions: readonly (() => void)[]): void {
    const before = this.state;
    const states = actions.map((action) => {
      this.state = before.clone();
      this.within({ maybe: true }, action);
      return this.state;
    });
    const [first = before, ...others] = states;
    for (const other of others) first.join(other);
    this.state = first;
  }

  /** Does something in a new process: it has the exported variables only. */
  child(action: () => void): void {
    this.apart(() => {
      const { state } = this;
      const given = new Set([...state.exported, ...this.place.variables.map(([name]) => name)]);
      for (const [name, values] of state.variables) {
        if (parameterNames.includes(name) || name === "IFS") state.variables.delete(name);
        else if (!given.has(name)) {
          const isArray = values.some((value) => value.includes(LIST) || value === EMPTY_LIST);
          state.assign(name, [...values, isArray ? EMPTY_LIST : ""]);
        }
      }
      state.functions.clear();
      action();
    });
  }

  /** Does something on another machine. */
  elsewhere(action: () => void): void {
    this.apart(() => {
      this.state = new State(unknown("v", "PWD"));
      this.state.forget("HOME");
      action();
    });
  }

  parameters(): readonly (readonly [string, readonly string[] | undefined])[] {
    return parameterNames.map((name) => [name, this.state.variables.get(name)] as const);
  }

  forgetParameters(): void {
    for (const name of parameterNames) this.state.variables.delete(name);
  }

  /** Sets `$0`, `$1`, … and `$@`. */
  setParameters(values: readonly string[]): void {
    const { state } = this;
    const args = values.slice(1);
    state.assign("0", [values[0] ?? ""]);
    const unsure = args.findIndex((value) => isMany(value));
    for (let at = 1; at <= 9; at++) {
      if (unsure >= 0 && at > unsure) state.forget(String(at));
      else state.assign(String(at), [args[at - 1] ?? ""]);
    }
    state.assign("#", unsure < 0 ? [String(args.length)] : [unknown("v", "#")]);
    const all = args.length === 0 ? EMPTY_LIST : args.join(LIST);
    for (const name of ["@", "*"]) state.assign(name, [all]);
  }

  makeOpaque(invocation: Invocation): void {
    invocation.opaque = true;
    if (!invocation.guess) this.complete = false;
  }

  note(
    words: readonly string[],
    {
      redirects,
      input,
      opaque,
    }: {
      readonly redirects: readonly Redirect[];
      readonly input: Input | undefined;
      readonly opaque: boolean;
    },
  ): Invocation {
    if (this.found.length >= shellLimits.commands.maximum) throw new LimitExceeded("too-many");
    const { state } = this;
    const { through, maybe, guess, variables } = this.place;
    const { ended } = state;
    const invocation: Invocation = {
      name: words.length === 0 ? "" : programName(words[0] ?? ""),
      argv: words,
      directory: state.directory,
      through,
      variables,
      redirects,
      input,
      maybe: maybe || ended.shell || ended.call || ended.loop,
      guess,
      opaque: false,
    };
    if (opaque) this.makeOpaque(invocation);
    this.found.push(invocation);
    for (const { target } of redirects) this.files.delete(resolvePath(target, state.directory));
    for (const [file, text] of written(invocation)) this.files.set(resolvePath(file, state.directory), text);
    return invocation;
  }

  changeDirectory({ name, argv }: Invocation): void {
    if (name === "popd") this.state.directory = unknown("v", "PWD");
    if (name !== "cd" && name !== "pushd") return;
    const target = argv.slice(1).find((arg) => !/^-./.test(arg)) ?? this.home;
    const path = target === "-" ? UNKNOWN : resolvePath(withoutGlobs(target), this.state.directory);
    // A folder that `mktemp` makes is known well enough: temporary.
    const isLost = isFloating(path) && !/^\uFDD0[oO]mktemp\uFDD1/.test(path);
    this.state.directory = isLost ? unknown("v", "PWD") : path;
  }
}

/** An input of which nothing is known. */
export const unreadable: Input = { text: undefined, from: [] };

const parameterNames: readonly string[] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "@", "*", "#"];
