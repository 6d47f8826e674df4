import type { UnknownReason } from "../fact.ts";
import { isFloating, resolvePath } from "../path-text.ts";
import { applyBuiltin, assignedBy, endOf } from "./builtins.ts";
import { textsOf, textsOfParts, type Ways, waysOf, waysOfWords } from "./expand.ts";
import { EMPTY_LIST } from "./fields.ts";
import { type Inner, insideOf } from "./inner.ts";
import { type Input, type Invocation, programName, type Redirect } from "./invocation.ts";
import { isExternalSource, printed, written } from "./output.ts";
import { shellLimits } from "./row.ts";
import type { Scope } from "./scope.ts";
import { type Callable, State } from "./state.ts";
import {
  type Assignment,
  type Command,
  forEachChild,
  parse,
  type ParsedScript,
  type Redirection,
  type Statement,
  type SyntaxNode,
} from "./syntax.ts";
import { isMany, isUnknown, LIST, unknown, UNKNOWN, withoutGlobs } from "./text.ts";
import { unwrap } from "./wrappers.ts";
import { xargsCommands } from "./xargs.ts";

/** Where a command is, in the text and in other commands. */
interface Place {
  readonly input: Input | undefined;
  readonly through: readonly string[];
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

/** Rounds in which the variables of a loop are followed; what still changes then is not known. */
const mostRounds = 3;
/** Most words of a `for` whose body is read for each. */
const mostRepeats = 32;
/** How often a function may be inside itself before its calls are no longer read. */
const mostRecursions = 3;

/**
 * Reads command lines as a shell would run them, without running anything: follows variables, functions and working
 * directories as far as the text determines them, and notes the commands that would be started.
 */
export class Interpreter implements Scope {
  readonly found: Invocation[] = [];
  readonly home: string;
  valid = true;
  complete = true;
  recursion: string | null = null;
  state: State;
  /** Files whose whole text the command line itself has written. */
  readonly #files = new Map<string, string>();
  readonly #called = new Set<Callable>();
  #characters = 0;
  #nodes = 0;
  #pipes = 0;
  #place: Place = start;

  constructor(directory: string, home: string) {
    this.state = new State(directory);
    this.home = home;
  }

  /** Reads a text as a command line. */
  readText(text: string): void {
    this.#characters += text.length;
    if (this.#characters > shellLimits.characters.maximum) throw new LimitExceeded("too-long");
    const opened = text.match(/[$<>]\(|\$\{|`/g)?.length ?? 0;
    if (opened > shellLimits.substitutions.maximum) throw new LimitExceeded("too-many");
    const script = parse(text);
    const wrong = (script.errors?.length ?? 0) > 0;
    if (wrong && !this.#place.guess) {
      this.valid = false;
      this.complete = false;
    }
    if (wrong) this.#within({ maybe: true }, () => this.#script(script));
    else this.#script(script);
  }

  /** Reads the bodies of functions that are never called: a later command may call them. */
  readUncalled(): void {
    for (const [name, bodies] of this.state.functions) {
      for (const body of bodies) {
        if (body === null || this.#called.has(body)) continue;
        const place = { maybe: true, inside: [name] };
        this.#within(place, () => this.#apart(() => this.#function(body, null)));
      }
    }
  }

  // Scope

  spend(nodes: number): void {
    this.#nodes += nodes;
    if (this.#nodes > shellLimits.nodes.maximum) throw new LimitExceeded("too-many");
  }

  texts(word: Parameters<Scope["texts"]>[0]): readonly string[] {
    return textsOf(word, this);
  }

  visit(node: SyntaxNode): void {
    if (node.type === "ArithmeticExpansion") this.#arithmetic(node.text);
    this.#children(node);
  }

  run(part: Parameters<Scope["run"]>[0]): readonly string[] {
    if (part.script === undefined) return [unknown("o")];
    return this.#substitute(part.script, this.#place.input);
  }

  pipe({ operator, script }: Parameters<Scope["pipe"]>[0]): string {
    const path = `/dev/fd/${unknown("a", `pipe${this.#pipes++}`)}`;
    if (script === undefined) return path;
    const [text = UNKNOWN] = this.#substitute(script, operator === ">" ? unreadable : this.#place.input);
    this.#files.set(path, text);
    return path;
  }

  // Places

  /** Does something at a place that differs in some respects, and returns to where it was. */
  #within(changes: Partial<Place>, action: () => void): readonly Invocation[] {
    const before = this.#place;
    const count = this.found.length;
    const depth = before.depth + 1;
    if (depth > shellLimits.depth.maximum) throw new LimitExceeded("too-deep");
    this.#place = { ...before, ...changes, depth };
    action();
    this.#place = before;
    return this.found.slice(count);
  }

  /** Does something in a subshell: what it changes does not last. */
  #apart(action: () => void): void {
    const before = this.state;
    this.state = before.clone();
    action();
    this.state = before;
  }

  /** Does one of several things, each of which starts from the same state. */
  #branches(actions: readonly (() => void)[]): void {
    const before = this.state;
    const states = actions.map((action) => {
      this.state = before.clone();
      this.#within({ maybe: true }, action);
      return this.state;
    });
    const [first = before, ...others] = states;
    for (const other of others) first.join(other);
    this.state = first;
  }

  // Statements

  #script(script: ParsedScript): void {
    for (const statement of script.commands) this.#statement(statement);
  }

  #statement(statement: Statement): void {
    if (statement.background === true)
      this.#within({ beside: true }, () => this.#apart(() => this.#node(statement.command)));
    else this.#node(statement.command);
  }

  #node(node: SyntaxNode): void {
    this.spend(1);
    const read = this.#readers[node.type] as ((node: SyntaxNode) => void) | undefined;
    if (read) read(node);
    else this.#within({}, () => this.#children(node));
  }

  #children(node: SyntaxNode): void {
    forEachChild(node, (child) => this.#node(child));
  }

  readonly #readers: {
    readonly [Type in SyntaxNode["type"]]?: (node: Extract<SyntaxNode, { type: Type }>) => void;
  } = {
    Statement: (node) => this.#statement(node),
    Command: (node) => this.#command(node),
    Pipeline: (node) => {
      const { commands } = node;
      const [only, second] = commands;
      if (only !== undefined && second === undefined) this.#node(only);
      else this.#pipeline(commands);
    },
    AndOr: (node) => {
      const [first, ...rest] = node.commands;
      if (first) this.#node(first);
      // What follows is skipped, or runs after all before it has.
      const before = this.state.clone();
      for (const command of rest) this.#within({ maybe: true }, () => this.#node(command));
      this.state.join(before);
    },
    Redirected: (node) => this.#redirected(node.command, node.redirects),
    Subshell: (node) => this.#within({}, () => this.#apart(() => this.#children(node))),
    Function: (node) => {
      this.state.functions.set(node.name.value, [node.body]);
    },
    For: (node) => this.#for(node),
    Select: (node) => {
      for (const word of node.wordlist ?? []) waysOf(word, this);
      this.#loop(() => {
        this.state.forget(node.name.value);
        this.state.forget("REPLY");
        this.#node(node.body);
      });
    },
    While: (node) => {
      this.#within({}, () => this.#node(node.clause));
      this.#loop(() => {
        this.#node(node.body);
        this.#node(node.clause);
      });
    },
    ArithmeticFor: (node) => {
      this.#forgetAssigned(node);
      this.#loop(() => this.#children(node));
    },
    If: (node) => this.#if([node, ...node.elif], node.else),
    Case: (node) => {
      waysOf(node.word, this);
      this.#branches([
        ...node.items.map((item) => () => {
          for (const pattern of item.pattern) waysOf(pattern, this);
          this.#node(item.body);
        }),
        () => undefined,
      ]);
      // `;&` goes on with the next body.
      if (node.items.some(({ terminator }) => terminator !== ";;" && terminator !== undefined))
        this.state.forgetAll();
    },
    Coproc: (node) =>
      this.#within({ beside: true, input: unreadable }, () => this.#apart(() => this.#children(node))),
    Word: (node) => void waysOf(node, this),
    Assignment: (node) => this.#assign(node),
    CommandExpansion: (node) => void this.run(node),
    ProcessSubstitution: (node) => void this.pipe(node),
    ArithmeticCommandExpansion: (node) => {
      if (node.script) this.#substitute(node.script, this.#place.input);
    },
    ArithmeticCommand: (node) => {
      this.#forgetAssigned(node);
      this.#within({}, () => this.#children(node));
    },
  };

  #pipeline(commands: readonly SyntaxNode[]): void {
    let from: readonly Invocation[] = [];
    commands.forEach((command, index) => {
      const input = index === 0 ? this.#place.input : { text: printed(from), from };
      const added = this.#within({ input, beside: true }, () => this.#apart(() => this.#node(command)));
      from = added.filter(({ through }) => through.length === this.#place.through.length);
      if (from.length === 0) from = added;
    });
  }

  #if(clauses: readonly Clause[], otherwise: SyntaxNode | undefined): void {
    const [first, ...others] = clauses;
    if (first === undefined) {
      if (otherwise) this.#node(otherwise);
      return;
    }
    this.#within({}, () => this.#node(first.clause));
    this.#branches([() => this.#node(first.then), () => this.#if(others, otherwise)]);
  }

  #for(node: Extract<SyntaxNode, { type: "For" }>): void {
    const name = node.name.value;
    const ways = node.wordlist ? waysOfWords(node.wordlist, this) : [[unknown("v", "@", true)]];
    const [values = []] = ways;
    const known = ways.length === 1 && values.length <= mostRepeats && !values.some((value) => isMany(value));
    if (!known) {
      this.#loop(() => {
        const all = [...new Set(ways.flat().map((value) => withoutGlobs(value)))];
        this.state.assign(
          name,
          all.some((value) => isMany(value))
            ? [unknown("v", name), ...all.filter((value) => !isMany(value))]
            : all,
        );
        this.#node(node.body);
      });
      return;
    }
    for (const value of values) {
      this.state.assign(name, [value]);
      this.#within({}, () => this.#node(node.body));
    }
    this.state.ended.loop = false;
  }

  /** Reads the body of a loop with all values that its variables may have in any round. */
  #loop(body: () => void): void {
    for (let round = 0; ; round++) {
      const before = this.state.clone();
      const { valid, complete, recursion } = this;
      const count = this.found.length;
      this.#within({ maybe: true }, body);
      const after = before.clone();
      after.join(this.state);
      this.state = after;
      const fixed = after.variables.size === before.variables.size && !after.clone().widen(before);
      after.ended.loop = before.ended.loop;
      if (fixed && after.directory === before.directory) return;
      // Once more, from what may be the case in the next round.
      if (round >= mostRounds) after.widen(before);
      if (round > mostRounds + 2) {
        after.forgetAll();
        after.directory = unknown("v", "PWD");
        if (round > mostRounds + 4) return;
      }
      this.found.length = count;
      Object.assign(this, { valid, complete, recursion });
    }
  }

  /** Forgets the variables that an arithmetic expression may set. */
  #forgetAssigned(node: SyntaxNode): void {
    const visit = (child: SyntaxNode): void => {
      if (child.type === "ArithmeticBinary" || child.type === "ArithmeticUnary") {
        if (/^(?:[-+*/%&|^]|<<|>>)?=$|^(?:\+\+|--)$/.test(child.operator)) this.#forgetWords(child);
      }
      forEachChild(child, visit);
    };
    visit(node);
  }

  #forgetWords(node: SyntaxNode): void {
    if (node.type === "ArithmeticWord")
      for (const [name] of node.value.matchAll(/[A-Za-z_]\w*/g)) this.state.forget(name);
    forEachChild(node, (child) => this.#forgetWords(child));
  }

  #arithmetic(text: string): void {
    if (!/(?:^|[^=!<>])=(?!=)|<<=|>>=|\+\+|--/.test(text)) return;
    for (const [name] of text.matchAll(/[A-Za-z_]\w*/g)) this.state.forget(name);
  }

  /** Reads the script of a substitution, and returns what it may print. */
  #substitute(script: ParsedScript, input: Input | undefined): readonly string[] {
    const inner = this.#within({ input, beside: true }, () => this.#apart(() => this.#script(script)));
    const text = printed(inner);
    if (text !== undefined) return [text.replace(/\n+$/, "")];
    if (inner.some((one) => isExternalSource(one))) return [unknown("e", inner.at(-1)?.name)];
    const [only] = inner;
    const looksUp = only && inner.length === 1 && (only.name === "which" || only.name === "command");
    const target = only?.argv.at(-1);
    // Where it is found, the path ends in the name; otherwise nothing is printed.
    if (looksUp && target !== undefined && !isUnknown(target))
      return [`${unknown("o", only.name)}/${target}`, ""];
    const name = inner.at(-1)?.name ?? "";
    return [unknown("o", isUnknown(name) ? "" : name)];
  }

  // Commands

  #redirected(command: SyntaxNode, nodes: readonly Redirection[]): void {
    const redirects = this.#redirects(nodes);
    const input = this.#inputOf(nodes) ?? this.#place.input;
    if (redirects.length > 0) this.#note([], { redirects, input, opaque: false });
    this.#within({ input }, () => this.#node(command));
  }

  #command(command: Command): void {
    const prefixes = command.prefix.filter((part) => part.type === "Assignment");
    if (command.name === undefined) {
      for (const prefix of prefixes) this.#assign(prefix);
      const redirects = this.#redirects(command.redirects);
      if (redirects.length > 0)
        this.#note([], { redirects, input: this.#inputOf(command.redirects), opaque: false });
      return;
    }
    const words = command.args.flatMap((arg) => (arg.type === "Word" ? [arg] : []));
    const ways = waysOfWords([command.name, ...words], this);
    const declared = command.args.flatMap((arg) =>
      arg.type === "Assignment"
        ? [[arg.name, hasBraces(arg) ? [UNKNOWN] : this.#valuesOf(arg)] as const]
        : [],
    );
    const own = prefixes.map((prefix) => [prefix.name, this.#valuesOf(prefix)] as const);
    const redirects = this.#redirects(command.redirects);
    const input = this.#inputOf(command.redirects) ?? this.#place.input;
    const variables = own.map(([name, values]) => [name, values[0] ?? ""] as const);
    const run = (words: readonly string[]): void => {
      const given = [...words, ...declared.map(([name, values]) => `${name}=${values[0] ?? ""}`)];
      const restore = own.map(([name, values]) => {
        const before = this.state.variables.get(name);
        this.state.assign(name, values);
        return [name, before] as const;
      });
      if (words.length > 0)
        this.#within({ variables: [...this.#place.variables, ...variables] }, () =>
          this.#start(given, redirects, input),
        );
      else if (redirects.length > 0) this.#note([], { redirects, input, opaque: false });
      for (const [name, before] of words.length > 0 ? restore : []) {
        if (before === undefined) this.state.variables.delete(name);
        else this.state.variables.set(name, before);
      }
      for (const [name, values] of declared) this.#declare(words, name, values);
    };
    const [only = [], ...others] = ways;
    if (others.length === 0) run(only);
    else this.#branches(ways.map((way) => () => run(way)));
  }

  #declare(words: readonly string[], name: string, values: readonly string[]): void {
    this.state.assign(name, values);
    if (words[0] === "export" || words.some((word) => /^-\w*x/.test(word))) this.state.exported.add(name);
    // Integers and references give a value another meaning.
    if (words.some((word) => /^-\w*[inulcA]/.test(word))) this.state.forget(name);
  }

  #assign(assignment: Assignment): void {
    const values = this.#valuesOf(assignment);
    if (assignment.index !== undefined) this.state.forget(assignment.name);
    else this.state.assign(assignment.name, values);
  }

  #valuesOf({ name, value, append }: Assignment): readonly string[] {
    const values =
      value.type === "Word"
        ? textsOf(value, this)
        : waysOfWords(value.elements, this).map((way) =>
            way.length === 0 ? EMPTY_LIST : way.map((element) => withoutGlobs(element)).join(LIST),
          );
    if (append !== true) return values;
    if (value.type !== "Word") return [unknown("v", name, true)];
    return this.state.valuesOf(name).flatMap((before) => values.map((text) => before + text));
  }

  /** Notes a command, and reads the commands inside it. */
  #start(words: readonly string[], redirects: readonly Redirect[], input: Input | undefined): void {
    const [program = ""] = words;
    const bodies = isUnknown(program) ? [null] : (this.state.functions.get(program) ?? [null]);
    const own = bodies.filter((body) => body !== null);
    if (own.length > 0) {
      const calls = own.map((body) => () => this.#call(program, body, words, input));
      if (own.length === bodies.length && own.length === 1) calls[0]?.();
      else
        this.#branches([
          ...calls,
          ...(own.length < bodies.length ? [() => this.#program(words, redirects, input)] : []),
        ]);
      if (redirects.length > 0) this.#note([], { redirects, input, opaque: false });
      return;
    }
    this.#program(words, redirects, input);
  }

  #program(words: readonly string[], redirects: readonly Redirect[], input: Input | undefined): void {
    const [program = ""] = words;
    const name = programName(program);
    const isKnown = !isUnknown(name) && !isMany(program);
    const invocation = this.#note(words, { redirects, input, opaque: !isKnown });
    if (!isKnown) {
      // The unknown word may be none, and the next one the program, as in `$SUDO rm x`.
      if (/^\uFDD0[A-Z][^\uFDD1]*\uFDD1$/.test(program) && words.length > 1)
        this.#branches([() => this.#start(words.slice(1), redirects, input), () => undefined]);
      if (isUnknown(name)) return;
    }
    const wrapped = unwrap(words);
    if (wrapped !== null) {
      this.#wrapped(invocation, wrapped, redirects);
      return;
    }
    // In a wrapper, it is a program of its own.
    const inShell = invocation.through.every((one) => shellWrappers.has(one));
    if (inShell) {
      this.#changeDirectory(invocation);
      applyBuiltin(this.state, words);
      const end = endOf(words);
      if (end !== null) this.state.ended[end] = true;
      if (incomplete.has(name)) this.complete = false;
    }
    const inside = insideOf(invocation, this.#files);
    if (inside.opaque) this.#makeOpaque(invocation);
    for (const inner of inside.inner) this.#inside(inner, invocation);
    if (inside.opaque && inside.inner.some(({ where }) => where === "here")) this.state.forgetAll();
  }

  #wrapped(
    invocation: Invocation,
    wrapped: NonNullable<ReturnType<typeof unwrap>>,
    redirects: readonly Redirect[],
  ): void {
    const { name, input, through } = invocation;
    if (!wrapped.sure) this.#makeOpaque(invocation);
    const place = {
      through: [...through, name],
      variables: [...this.#place.variables, ...wrapped.variables],
      maybe: this.#place.maybe || !wrapped.sure,
    };
    const { directory } = this.state;
    if (wrapped.directory !== undefined) this.state.directory = resolvePath(wrapped.directory, directory);
    const commands = name === "xargs" ? xargsCommands(wrapped, input) : [wrapped.words];
    const run = (): void => {
      for (const words of commands) {
        if (wrapped.code)
          this.#inside({ code: words.join(" "), where: "child", through: name }, { ...invocation, through });
        else if (shellWrappers.has(name)) this.#program(words, redirects, input);
        else this.#child(() => this.#program(words, [], name === "xargs" ? unreadable : input));
      }
    };
    const maybe = place.maybe || name === "xargs";
    this.#within(wrapped.code ? { ...place, through } : { ...place, maybe }, run);
    if (wrapped.directory !== undefined) this.state.directory = directory;
    if (name === "exec") this.state.ended.shell = true;
  }

  /** Calls a function. */
  #call(name: string, body: SyntaxNode, words: readonly string[], input: Input | undefined): void {
    const { inside, beside } = this.#place;
    const times = inside.filter((one) => one === name).length;
    if (beside && times > 0) this.recursion = name;
    this.#called.add(body);
    if (times >= mostRecursions) {
      this.complete = false;
      return;
    }
    this.#within({ inside: [...inside, name], input }, () => this.#function(body, words));
  }

  /** Reads the body of a function; without words, with unknown parameters. */
  #function(body: SyntaxNode, words: readonly string[] | null): void {
    const before = this.#parameters();
    const locals = localNames(body).map((name) => [name, this.state.variables.get(name)] as const);
    if (words) this.#setParameters([this.state.valuesOf("0")[0] ?? "", ...words.slice(1)]);
    else this.#forgetParameters();
    this.#node(body);
    this.state.ended.call = false;
    for (const [name, values] of [...before, ...locals]) {
      if (values === undefined) this.state.variables.delete(name);
      else this.state.variables.set(name, values);
    }
  }

  #parameters(): readonly (readonly [string, readonly string[] | undefined])[] {
    return parameterNames.map((name) => [name, this.state.variables.get(name)] as const);
  }

  #forgetParameters(): void {
    for (const name of parameterNames) this.state.variables.delete(name);
  }

  /** Sets `$0`, `$1`, … and `$@`. */
  #setParameters(values: readonly string[]): void {
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

  /** Reads a command that is inside another one. */
  #inside(inner: Inner, { through, input }: Invocation): void {
    const { code, words, parameters, where } = inner;
    const place = {
      through: [...through, inner.through],
      guess: this.#place.guess || inner.guess === true,
      maybe: this.#place.maybe || inner.maybe === true || inner.guess === true,
      input: inner.input ?? input,
    };
    const read = (): void => {
      if (parameters !== undefined) this.#setParameters(parameters);
      if (code !== undefined) this.readText(code);
      else this.#program(words ?? [], [], input);
    };
    this.#within(place, () => {
      if (where === "here" && parameters === undefined) read();
      else if (where === "elsewhere") this.#elsewhere(read);
      else
        this.#child(() => {
          this.state.plain = plainShells.has(inner.through);
          read();
        });
    });
  }

  /** Does something in a new process: it has the exported variables only. */
  #child(action: () => void): void {
    this.#apart(() => {
      const { state } = this;
      const given = new Set([...state.exported, ...this.#place.variables.map(([name]) => name)]);
      for (const [name, values] of state.variables) {
        if (parameterNames.includes(name) || name === "IFS") state.variables.delete(name);
        else if (!given.has(name)) state.assign(name, [...values, ""]);
      }
      state.functions.clear();
      action();
    });
  }

  /** Does something on another machine. */
  #elsewhere(action: () => void): void {
    this.#apart(() => {
      this.state = new State(unknown("v", "PWD"));
      this.state.forget("HOME");
      action();
    });
  }

  #makeOpaque(invocation: Invocation): void {
    invocation.opaque = true;
    if (!invocation.guess) this.complete = false;
  }

  #note(
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
    const { through, maybe, guess, variables } = this.#place;
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
    if (opaque) this.#makeOpaque(invocation);
    this.found.push(invocation);
    for (const { target } of redirects) this.#files.delete(resolvePath(target, state.directory));
    for (const [file, text] of written(invocation)) this.#files.set(resolvePath(file, state.directory), text);
    return invocation;
  }

  #changeDirectory({ name, argv }: Invocation): void {
    if (name === "popd") this.state.directory = unknown("v", "PWD");
    if (name !== "cd" && name !== "pushd") return;
    const target = argv.slice(1).find((arg) => !/^-./.test(arg)) ?? this.home;
    const path = target === "-" ? UNKNOWN : resolvePath(withoutGlobs(target), this.state.directory);
    this.state.directory = isFloating(path) ? unknown("v", "PWD") : path;
  }

  #redirects(nodes: readonly Redirection[]): readonly Redirect[] {
    return nodes.flatMap((node) => {
      if (node.type !== "Redirect" || node.target === undefined) return [];
      const { descriptor, operator } = node;
      const number = descriptor?.type === "FileDescriptor" ? descriptor.value : undefined;
      const usual = operator.startsWith("<") ? 0 : 1;
      const shown = number === undefined || number === usual ? operator : `${number}${operator}`;
      const ways: Ways = waysOf(node.target, this);
      return ways.map((way) => ({ operator: shown, target: way.length === 1 ? (way[0] ?? "") : UNKNOWN }));
    });
  }

  #inputOf(nodes: readonly Redirection[]): Input | undefined {
    let input: Input | undefined;
    for (const node of nodes) {
      if (node.type === "HereString") {
        const texts = node.target ? textsOf(node.target, this) : [];
        input = { text: texts.length === 1 ? `${texts[0]}\n` : undefined, from: [] };
      } else if (node.type === "HereDoc") {
        const { parts, text } = node.body;
        const texts = parts === undefined ? [text] : textsOfParts(parts, this);
        input = { text: texts.length === 1 ? texts[0] : undefined, from: [] };
      } else if (node.operator.startsWith("<")) input = unreadable;
    }
    return input;
  }
}

/** A condition with what runs if it holds. */
type Clause = Pick<Extract<SyntaxNode, { type: "If" }>, "clause" | "then">;

/** An input of which nothing is known. */
const unreadable: Input = { text: undefined, from: [] };

const parameterNames: readonly string[] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "@", "*", "#"];
/** Wrappers that are part of the shell: what they start is, too. */
const shellWrappers: ReadonlySet<string> = new Set(["command", "builtin", "exec"]);
/** Builtins that change what later commands mean in ways that are not followed. */
const incomplete: ReadonlySet<string> = new Set(["enable", "hash", "shopt"]);

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
