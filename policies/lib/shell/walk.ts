import { isFloating, resolvePath } from "../paths.ts";
import { TAINTED, UNKNOWN } from "./marks.ts";
import { innerOf, searched } from "./inner.ts";
import { isTaintSource, printed } from "./output.ts";
import {
  type Assignment,
  type Command,
  forEachChild,
  parse,
  type ParsedScript,
  type Redirection as RedirectionNode,
  type Statement,
  type SyntaxNode,
  type Word,
} from "./parser.ts";
import type { Input, Invocation, Reading, Redirection } from "./types.ts";
import { commandWays, expandText, fieldsOf, type Scope, textOf } from "./words.ts";
import { programName, unwrap } from "./wrappers.ts";

const mostInvocations = 400;
const deepest = 40;
/** How much text one reading may parse, nested command lines included, in UTF-16 code units. */
const mostText = 65_536;

/** Where a command stands. */
interface Place {
  readonly input: Input | undefined;
  readonly through: readonly string[];
  readonly depth: number;
  /** Whether the command may be skipped, so that an earlier value of a variable may still hold. */
  readonly maybe: boolean;
  /** Functions whose body this is. */
  readonly inside: readonly string[];
  /** Whether it runs beside something else. */
  readonly beside: boolean;
  /** Mistakes in the text do not matter: it is only a guess that it is a command line. */
  readonly guess: boolean;
}

const start: Place = {
  input: undefined,
  through: [],
  depth: 0,
  maybe: false,
  inside: [],
  beside: false,
  guess: false,
};

/** Walks the syntax tree of a command line, and of the command lines inside it, and notes what would be started. */
export class Walker {
  readonly found: Invocation[] = [];
  whole = true;
  forkBomb: string | undefined;
  private readonly scope: Scope;
  private parsed = 0;
  private place: Place = start;

  constructor(cwd: string, home: string) {
    this.scope = {
      variables: new Map(),
      cwd,
      home,
      run: (script) => this.substitute(script),
      visit: (node) => this.visitChildren(node),
    };
  }

  /** Reads a text as a command line. */
  readText(text: string, place: Partial<Place> = {}): void {
    const here = { ...this.place, ...place, depth: this.place.depth + 1 };
    this.parsed += text.length;
    if (this.parsed > mostText || here.depth > deepest) {
      this.whole = false;
      return;
    }
    this.at(here, () => this.script(parse(text)));
  }

  reading(text: string): Reading {
    return { invocations: this.found, whole: this.whole, forkBomb: this.forkBomb, text };
  }

  /** Does something at another place, and comes back. */
  private at(place: Place, action: () => void): readonly Invocation[] {
    const before = this.place;
    const count = this.found.length;
    this.place = place;
    action();
    this.place = before;
    return this.found.slice(count);
  }

  private script(script: ParsedScript): void {
    if (script.errors !== undefined && script.errors.length > 0 && !this.place.guess) this.whole = false;
    for (const statement of script.commands) this.statement(statement);
  }

  private statement(statement: Statement): void {
    const beside = this.place.beside || statement.background === true;
    this.at({ ...this.place, beside }, () => this.node(statement.command));
  }

  private node(node: SyntaxNode): void {
    if (this.place.depth > deepest || this.found.length > mostInvocations) {
      this.whole = false;
      return;
    }
    const place = { ...this.place, depth: this.place.depth + 1 };
    switch (node.type) {
      case "Command":
        this.command(node);
        return;
      case "Pipeline": {
        const from: Invocation[] = [];
        node.commands.forEach((command, index) => {
          const input = index === 0 ? place.input : { text: printed(from), from: [...from] };
          from.push(
            ...this.at({ ...place, input, beside: true }, () => this.apart(() => this.node(command))),
          );
        });
        return;
      }
      case "AndOr":
        node.commands.forEach((command, index) =>
          this.at({ ...place, maybe: place.maybe || index > 0 }, () => this.node(command)),
        );
        return;
      case "Statement":
        this.statement(node);
        return;
      case "Redirected": {
        const redirects = this.redirections(node.redirects);
        const input = this.inputOf(node.redirects) ?? place.input;
        if (redirects.length > 0) this.note("", [], redirects, input, []);
        this.at({ ...place, input }, () => this.node(node.command));
        return;
      }
      case "Subshell":
        this.apart(() => this.visitChildren(node));
        return;
      case "Function":
        this.at({ ...place, maybe: true, inside: [...place.inside, node.name.value] }, () =>
          this.apart(() => this.node(node.body)),
        );
        return;
      case "For":
      case "Select": {
        const values = (node.wordlist ?? []).flatMap((word) => fieldsOf(word, this.scope));
        this.scope.variables.set(node.name.value, values.length > 0 ? values.slice(0, 16) : [UNKNOWN]);
        this.at({ ...place, maybe: true }, () => this.node(node.body));
        return;
      }
      case "If":
      case "While":
      case "Case":
        this.at({ ...place, maybe: true }, () => this.visitChildren(node));
        return;
      case "Word":
        // A word that is no argument of a command: only what runs inside it counts.
        fieldsOf(node, this.scope);
        return;
      case "CommandExpansion":
      case "ProcessSubstitution":
      case "ArithmeticCommandExpansion":
        this.substitute(node.script);
        return;
      default:
        this.at(place, () => this.visitChildren(node));
    }
  }

  private visitChildren(node: SyntaxNode): void {
    forEachChild(node, (child) => this.node(child));
  }

  /** Does something whose changes to variables and working directory do not last. */
  private apart(action: () => void): void {
    const { variables, cwd } = this.scope;
    const before = new Map(variables);
    action();
    variables.clear();
    for (const [name, values] of before) variables.set(name, values);
    this.scope.cwd = cwd;
  }

  /** Reads the script of a substitution, and tells what it prints. */
  private substitute(script: ParsedScript | undefined): string {
    if (script === undefined) return UNKNOWN;
    const place = { ...this.place, depth: this.place.depth + 1, input: undefined, beside: true };
    const inner = this.at(place, () => {
      if (place.depth > deepest) this.whole = false;
      else this.apart(() => this.script(script));
    });
    if (inner.some(isTaintSource)) return TAINTED;
    return printed(inner)?.replace(/\n+$/, "") ?? UNKNOWN;
  }

  private command(command: Command): void {
    const values = [...command.prefix, ...command.suffix];
    for (const value of values) if (value.type === "Assignment") this.assign(value);
    const redirects = this.redirections(command.redirects);
    const input = this.inputOf(command.redirects) ?? this.place.input;
    const ways = commandWays(command, this.scope);
    for (const words of ways) this.start(words, redirects, input);
    if (ways.length === 0 && redirects.length > 0) this.note("", [], redirects, input, []);
  }

  private assign(assignment: Assignment): void {
    const { name, value } = assignment;
    const values =
      value.type === "Word"
        ? [textOf(value, this.scope)]
        : value.elements.flatMap((word) => fieldsOf(word, this.scope));
    const before = this.place.maybe ? (this.scope.variables.get(name) ?? []) : [];
    this.scope.variables.set(name, [...new Set([...before, ...values])].slice(0, 8));
  }

  /** Notes a command, and reads the commands inside it. */
  private start(words: readonly string[], redirects: readonly Redirection[], input: Input | undefined): void {
    const { words: rest, through, placeholder } = unwrap(words);
    const [program = "", ...args] = rest;
    const last = through.at(-1);
    const given = last === "xargs" ? fill(args, placeholder, input) : args;
    const invocation = this.note(program, given, redirects, input, through);
    this.changeDirectory(invocation);
    for (const inner of innerOf(invocation)) {
      const place = {
        through: [...invocation.through, inner.through],
        guess: this.place.guess || inner.guess === true,
        input: inner.code === undefined ? input : inner.input,
      };
      if (inner.code !== undefined) this.readText(inner.code, place);
      else if (this.found.length > mostInvocations) this.whole = false;
      else this.at({ ...this.place, ...place }, () => this.start(inner.words ?? [], [], input));
    }
  }

  private note(
    program: string,
    args: readonly string[],
    redirects: readonly Redirection[],
    input: Input | undefined,
    through: readonly string[],
  ): Invocation {
    const name = programName(program);
    const { place, scope } = this;
    const invocation: Invocation = {
      name: name !== "[" && /[*?[]/.test(name) ? UNKNOWN : name,
      program,
      args,
      cwd: scope.cwd,
      input,
      redirects,
      through: [...place.through, ...through],
    };
    this.found.push(invocation);
    if (place.beside && place.inside.includes(name)) this.forkBomb = name;
    return invocation;
  }

  private changeDirectory({ name, args, through }: Invocation): void {
    if ((name !== "cd" && name !== "pushd") || through.length > this.place.through.length + 1) return;
    const target = args.find((arg) => !/^-./.test(arg)) ?? this.scope.home;
    this.scope.cwd = target === "-" ? UNKNOWN : resolvePath(target, this.scope.cwd);
    if (isFloating(this.scope.cwd)) this.scope.cwd = UNKNOWN;
  }

  private redirections(nodes: readonly RedirectionNode[]): readonly Redirection[] {
    return nodes.flatMap((node) =>
      node.type === "Redirect" && node.target !== undefined
        ? fieldsOf(node.target, this.scope).map((target) => ({ operator: node.operator, target }))
        : [],
    );
  }

  private inputOf(nodes: readonly RedirectionNode[]): Input | undefined {
    let input: Input | undefined;
    for (const node of nodes) {
      if (node.type === "HereString") input = { text: wordText(node.target, this.scope), from: [] };
      else if (node.type === "HereDoc") {
        const { parts, text } = node.body;
        input = { text: parts === undefined ? text : expandText(parts, this.scope), from: [] };
      } else if (node.operator === "<") input = undefined;
    }
    return input;
  }
}

function wordText(word: Word | undefined, scope: Scope): string {
  return word === undefined ? "" : textOf(word, scope);
}

/** The arguments of a program that `xargs` starts. */
function fill(
  args: readonly string[],
  placeholder: string | undefined,
  input: Input | undefined,
): readonly string[] {
  const lines = itemsOf(input);
  if (placeholder === undefined) return [...args, ...lines];
  return args.flatMap((arg) =>
    arg.includes(placeholder) ? lines.map((line) => arg.replaceAll(placeholder, line)) : [arg],
  );
}

/** What `xargs` reads: words of a known text, names below the folders that `find` searches, or something unknown. */
function itemsOf(input: Input | undefined): readonly string[] {
  if (input?.text !== undefined) return input.text.split(/\s+/, 64).filter((item) => item !== "");
  if (input?.from.some(isTaintSource)) return [TAINTED];
  const [source] = input?.from ?? [];
  if (source?.name !== "find") return [UNKNOWN];
  return searched(source.args).map((folder) => `${folder}/${UNKNOWN}`);
}
