import { readsTerminal } from "../code/code.ts";
import { resolvePath } from "../path-text.ts";
import { applyBuiltin, assignedBy, endOf } from "./builtins.ts";
import { type Execution, unreadable } from "./execution.ts";
import { textsOf, waysOfWords } from "./expand.ts";
import { insideOf } from "./inner.ts";
import type { Inner } from "./inside.ts";
import { type Input, type Invocation, programName, type Redirect } from "./invocation.ts";
import { inputOf, redirectsOf } from "./redirections.ts";
import type { Scope } from "./scope.ts";
import { type Assignment, type Command, forEachChild, type Redirection, type SyntaxNode } from "./syntax.ts";
import { EMPTY_LIST, isMany, isUnknown, LIST, unknown, UNKNOWN, withoutGlobs } from "./text.ts";
import { unwrap } from "./wrappers.ts";
import { xargsCommands } from "./xargs.ts";

/** How often a function may be inside itself before its calls are no longer read. */
const mostRecursions = 3;

/** Reads what commands contain: bodies of functions, and command lines in arguments. */
interface Reader {
  node(node: SyntaxNode): void;
  readText(text: string): void;
}

/** Reads single commands: assignments, functions, wrappers, and the commands inside them. */
export class CommandReader {
  readonly #execution: Execution;
  readonly #scope: Scope;
  readonly #reader: Reader;

  constructor(execution: Execution, scope: Scope, reader: Reader) {
    this.#execution = execution;
    this.#scope = scope;
    this.#reader = reader;
  }

  redirected(command: SyntaxNode, nodes: readonly Redirection[]): void {
    const redirects = redirectsOf(this.#scope, nodes);
    const input = inputOf(this.#scope, nodes) ?? this.#execution.place.input;
    if (redirects.length > 0) this.#execution.note([], { redirects, input, opaque: false });
    this.#execution.within({ input }, () => this.#reader.node(command));
  }

  command(command: Command): void {
    const prefixes = command.prefix.filter((part) => part.type === "Assignment");
    if (command.name === undefined) {
      for (const prefix of prefixes) this.assign(prefix);
      const redirects = redirectsOf(this.#scope, command.redirects);
      if (redirects.length > 0)
        this.#execution.note([], {
          redirects,
          input: inputOf(this.#scope, command.redirects),
          opaque: false,
        });
      return;
    }
    const words = command.args.flatMap((arg) => (arg.type === "Word" ? [arg] : []));
    const ways = waysOfWords([command.name, ...words], this.#scope);
    const declared = command.args.flatMap((arg) =>
      arg.type === "Assignment"
        ? [[arg.name, hasBraces(arg) ? [UNKNOWN] : this.#valuesOf(arg)] as const]
        : [],
    );
    const own = prefixes.map((prefix) => [prefix.name, this.#valuesOf(prefix)] as const);
    const redirects = redirectsOf(this.#scope, command.redirects);
    const input = inputOf(this.#scope, command.redirects) ?? this.#execution.place.input;
    const variables = own.map(([name, values]) => [name, values[0] ?? ""] as const);
    const run = (words: readonly string[]): void => {
      const given = [...words, ...declared.map(([name, values]) => `${name}=${values[0] ?? ""}`)];
      const restore = own.map(([name, values]) => {
        const before = this.#execution.state.variables.get(name);
        this.#execution.state.assign(name, values);
        return [name, before] as const;
      });
      if (words.length > 0)
        this.#execution.within({ variables: [...this.#execution.place.variables, ...variables] }, () =>
          this.#start(given, redirects, input),
        );
      else if (redirects.length > 0) this.#execution.note([], { redirects, input, opaque: false });
      for (const [name, before] of words.length > 0 ? restore : []) {
        if (before === undefined) this.#execution.state.variables.delete(name);
        else this.#execution.state.variables.set(name, before);
      }
      for (const [name, values] of declared) this.#declare(words, name, values);
    };
    const [only = [], ...others] = ways;
    if (others.length === 0) run(only);
    else this.#execution.branches(ways.map((way) => () => run(way)));
  }

  #declare(words: readonly string[], name: string, values: readonly string[]): void {
    this.#execution.state.assign(name, values);
    if (words[0] === "export" || words.some((word) => /^-\w*x/.test(word)))
      this.#execution.state.exported.add(name);
    // Integers and references give a value another meaning.
    if (words.some((word) => /^-\w*[inulcA]/.test(word))) this.#execution.state.forget(name);
  }

  assign(assignment: Assignment): void {
    const values = this.#valuesOf(assignment);
    if (assignment.index !== undefined) this.#execution.state.forget(assignment.name);
    else this.#execution.state.assign(assignment.name, values);
  }

  #valuesOf({ name, value, append }: Assignment): readonly string[] {
    const values =
      value.type === "Word"
        ? textsOf(value, this.#scope)
        : waysOfWords(value.elements, this.#scope).map((way) =>
            way.length === 0 ? EMPTY_LIST : way.map((element) => withoutGlobs(element)).join(LIST),
          );
    if (append !== true) return values;
    if (value.type !== "Word") return [unknown("v", name, true)];
    return this.#execution.state.valuesOf(name).flatMap((before) => values.map((text) => before + text));
  }

  /** Notes a command, and reads the commands inside it. */
  #start(words: readonly string[], redirects: readonly Redirect[], input: Input | undefined): void {
    const [program = ""] = words;
    const bodies = isUnknown(program) ? [null] : (this.#execution.state.functions.get(program) ?? [null]);
    const own = bodies.filter((body) => body !== null);
    if (own.length > 0) {
      const calls = own.map((body) => () => this.#call(program, body, words, input));
      if (own.length === bodies.length && own.length === 1) calls[0]?.();
      else
        this.#execution.branches([
          ...calls,
          ...(own.length < bodies.length ? [() => this.#program(words, redirects, input)] : []),
        ]);
      if (redirects.length > 0) this.#execution.note([], { redirects, input, opaque: false });
      return;
    }
    this.#program(words, redirects, input);
  }

  #program(words: readonly string[], redirects: readonly Redirect[], input: Input | undefined): void {
    const [program = ""] = words;
    const name = programName(program);
    const isKnown = !isUnknown(name) && !isMany(program);
    const { typed } = this.#execution;
    const isTyped = input === undefined && typed !== "" && readsTerminal(name, words.slice(1));
    const read = isTyped ? { text: typed, from: [] } : this.#redirected(redirects, input);
    const invocation = this.#execution.note(words, { redirects, input: read, opaque: !isKnown });
    if (!isKnown) {
      // The unknown word may be none, and the next one the program, as in `$SUDO rm x`.
      if (/^\uFDD0[A-Z][^\uFDD1]*\uFDD1$/.test(program) && words.length > 1)
        this.#execution.branches([() => this.#start(words.slice(1), redirects, input), () => undefined]);
      if (isUnknown(name)) return;
    }
    const wrapped = unwrap(words);
    if (wrapped !== null) {
      this.#wrapped(invocation, wrapped, redirects);
      return;
    }
    // In a wrapper, it is a program of its own.
    const { outside } = this.#execution.place;
    const inShell = invocation.through.slice(outside).every((one) => shellWrappers.has(one));
    if (inShell) {
      this.#execution.changeDirectory(invocation);
      applyBuiltin(this.#execution.state, words);
      const end = endOf(words);
      if (end !== null) this.#execution.state.ended[end] = true;
      if (incomplete.has(name) || declaresNameref(words)) this.#execution.complete = false;
    }
    const inside = insideOf(invocation, this.#execution.files);
    if (inside.opaque) this.#execution.makeOpaque(invocation);
    for (const inner of inside.inner) this.#inside(inner, invocation);
    if (inside.opaque && inside.inner.some(({ where }) => where === "here"))
      this.#execution.state.forgetAll();
  }

  /** The input of a command: the text of a file where the command line has written it. */
  #redirected(redirects: readonly Redirect[], input: Input | undefined): Input | undefined {
    const file =
      input === unreadable ? redirects.findLast(({ operator }) => operator === "<")?.target : undefined;
    const text =
      file === undefined
        ? undefined
        : this.#execution.files.get(resolvePath(file, this.#execution.state.directory));
    return text === undefined ? input : { text, from: [] };
  }

  #wrapped(
    invocation: Invocation,
    wrapped: NonNullable<ReturnType<typeof unwrap>>,
    redirects: readonly Redirect[],
  ): void {
    const { name, input, through } = invocation;
    if (!wrapped.sure) this.#execution.makeOpaque(invocation);
    const place = {
      through: [...through, name],
      variables: [...this.#execution.place.variables, ...wrapped.variables],
      maybe: this.#execution.place.maybe || !wrapped.sure,
    };
    const { directory } = this.#execution.state;
    if (wrapped.directory !== undefined)
      this.#execution.state.directory = resolvePath(wrapped.directory, directory);
    const commands = name === "xargs" ? xargsCommands(wrapped, input) : [wrapped.words];
    const run = (): void => {
      for (const words of commands) {
        if (wrapped.code)
          this.#inside({ code: words.join(" "), where: "child", through: name }, { ...invocation, through });
        else if (shellWrappers.has(name)) this.#program(words, redirects, input);
        else this.#execution.child(() => this.#program(words, [], name === "xargs" ? unreadable : input));
      }
    };
    const maybe = place.maybe || name === "xargs";
    this.#execution.within(wrapped.code ? { ...place, through } : { ...place, maybe }, run);
    if (wrapped.directory !== undefined) this.#execution.state.directory = directory;
    if (name === "exec") this.#execution.state.ended.shell = true;
  }

  /** Calls a function. */
  #call(name: string, body: SyntaxNode, words: readonly string[], input: Input | undefined): void {
    const { inside, beside } = this.#execution.place;
    const times = inside.filter((one) => one === name).length;
    if (beside && times > 0) this.#execution.recursion = name;
    this.#execution.called.add(body);
    if (times >= mostRecursions) {
      this.#execution.complete = false;
      return;
    }
    this.#execution.within({ inside: [...inside, name], input }, () => this.readBody(body, words));
  }

  /** Reads the body of a function; without words, with unknown parameters. */
  readBody(body: SyntaxNode, words: readonly string[] | null): void {
    const before = this.#execution.parameters();
    const locals = localNames(body).map((name) => [name, this.#execution.state.variables.get(name)] as const);
    if (words)
      this.#execution.setParameters([this.#execution.state.valuesOf("0")[0] ?? "", ...words.slice(1)]);
    else this.#execution.forgetParameters();
    this.#reader.node(body);
    this.#execution.state.ended.call = false;
    for (const [name, values] of [...before, ...locals]) {
      if (values === undefined) this.#execution.state.variables.delete(name);
      else this.#execution.state.variables.set(name, values);
    }
  }

  /** Reads a command that is inside another one. */
  #inside(inner: Inner, { through, input }: Invocation): void {
    const { code, words, parameters, where } = inner;
    const inside = [...through, inner.through];
    const place = {
      through: inside,
      outside: code === undefined ? this.#execution.place.outside : inside.length,
      guess: this.#execution.place.guess || inner.guess === true,
      maybe: this.#execution.place.maybe || inner.maybe === true || inner.guess === true,
      input: inner.input ?? input,
    };
    const read = (): void => {
      if (parameters !== undefined) this.#execution.setParameters(parameters);
      if (code !== undefined) this.#reader.readText(code);
      else this.#program(words ?? [], [], place.input);
    };
    this.#execution.within(place, () => {
      if (where === "here" && parameters === undefined) read();
      else if (where === "elsewhere") this.#execution.elsewhere(read);
      else
        this.#execution.child(() => {
          this.#execution.state.plain = plainShells.has(inner.through);
          read();
        });
    });
  }
}

/** Wrappers that are part of the shell: what they start is, too. */
const shellWrappers: ReadonlySet<string> = new Set(["command", "builtin", "exec"]);
/** Builtins that change what later commands mean in ways that are not followed. */
const incomplete: ReadonlySet<string> = new Set(["enable", "hash", "shopt"]);

/** Whether a variable becomes a nameref: an assignment to it changes another variable. */
function declaresNameref([name = "", ...args]: readonly string[]): boolean {
  return /^(?:declare|typeset|local)$/.test(name) && args.some((arg) => /^-\w*n/.test(arg));
}

/** Shells that may lack what bash has beyond POSIX: `$'…'`, braces, substrings. */
const plainShells: ReadonlySet<string> = new Set(["sh", "dash", "ash"]);

/** Whether a word has braces: builtins that declare variables take each expansion as a declaration of its own. */
function hasBraces({ value }: Assignment): boolean {
  return value.type === "Word" && (value.parts?.some(({ type }) => type === "BraceExpansion") ?? false);
}

/** The variables that a function declares for itself. */
function localNames(body: SyntaxNode): readonly string[] {
  const names = new Set<string>();
  const visit = (node: SyntaxNode): void => {
    if (node.type === "Function") return;
    if (node.type === "Command" && /^(?:local|declare|typeset)$/.test(node.name?.value ?? ""))
      for (const name of assignedBy(node)) names.add(name);
    forEachChild(node, visit);
  };
  visit(body);
  return [...names];
}
