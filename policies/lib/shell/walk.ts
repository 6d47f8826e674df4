import { isFloating, resolvePath } from "../paths.ts";
import { LIST, TAINTED, UNKNOWN } from "./marks.ts";
import { type Inner, innerOf } from "./inner.ts";
import { isTaintSource, printed, written } from "./output.ts";
import {
  type Assignment,
  type Command,
  forEachChild,
  parse,
  type ParsedScript,
  type Redirection as RedirectionNode,
  type Statement,
  type SyntaxNode,
} from "./parser.ts";
import type { Input, Invocation, Reading, Redirection } from "./types.ts";
import { commandWays, expandText, fieldsOf, type Scope, textsOf } from "./words.ts";
import { programName, unwrap } from "./wrappers.ts";
import { filled } from "./xargs.ts";

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
  /** Files whose whole text the command line itself has written. */
  private readonly files = new Map<string, string>();
  private parsed = 0;
  private place: Place = start;

  constructor(cwd: string, home: string) {
    this.scope = {
      variables: new Map(),
      cwd,
      home,
      run: (script) => this.substitute(script, undefined),
      pipe: ({ operator, script }) => {
        const text = this.substitute(script, operator === ">" ? this.place.input : undefined);
        const path = `/dev/fd/${text === UNKNOWN || text === TAINTED ? text : `text${this.files.size}`}`;
        this.files.set(path, text);
        return path;
      },
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
        this.substitute(node.script, undefined);
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
  private substitute(script: ParsedScript | undefined, input: Input | undefined): string {
    if (script === undefined) return UNKNOWN;
    const place = { ...this.place, depth: this.place.depth + 1, input, beside: true };
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
        ? textsOf(value, this.scope)
        : value.elements.flatMap((word) => fieldsOf(word, this.scope));
    const before = this.place.maybe ? (this.scope.variables.get(name) ?? []) : [];
    this.scope.variables.set(name, [...new Set([...before, ...values])].slice(0, 8));
  }

  /** Notes a command, and reads the commands inside it. */
  private start(words: readonly string[], redirects: readonly Redirection[], input: Input | undefined): void {
    const { words: rest, through, placeholder } = unwrap(words);
    const [program = "", ...args] = rest;
    const given = through.at(-1) === "xargs" ? filled(args, placeholder, input) : args;
    const invocation = this.note(program, given, redirects, input, through);
    this.changeDirectory(invocation);
    if (invocation.name === "set" && given[0] === "--") this.setParameters(given);
    for (const inner of innerOf(invocation, this.files)) this.inside(inner, invocation);
  }

  /** Reads a command that stands inside another one. */
  private inside(inner: Inner, { through, input }: Invocation): void {
    const place = {
      ...this.place,
      through: [...through, inner.through],
      guess: this.place.guess || inner.guess === true,
      input: inner.code === undefined ? input : inner.input,
    };
    const { code, words, parameters } = inner;
    if (this.found.length > mostInvocations) this.whole = false;
    else if (code === undefined) this.at(place, () => this.start(words ?? [], [], input));
    else if (parameters === undefined) this.readText(code, place);
    else {
      this.apart(() => {
        this.setParameters(parameters);
        this.readText(code, place);
      });
    }
  }

  /** Sets `$0`, `$1`, … and `$@`. */
  private setParameters(values: readonly string[]): void {
    const { variables } = this.scope;
    values.slice(0, 10).forEach((value, index) => variables.set(String(index), [value]));
    for (const all of ["@", "*"]) variables.set(all, [values.slice(1).join(LIST)]);
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
    for (const [path, text] of written(invocation)) this.files.set(path, text);
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
      if (node.type === "HereString")
        input = { text: node.target && textsOf(node.target, this.scope)[0], from: [] };
      else if (node.type === "HereDoc") {
        const { parts, text } = node.body;
        input = { text: parts === undefined ? text : expandText(parts, this.scope), from: [] };
      }
    }
    return input;
  }
}
