import { forgetAssigned, forgetAssignedIn } from "./arithmetic.ts";
import { CommandReader } from "./commands.ts";
import { Execution, unreadable } from "./execution.ts";
import { textsOf, waysOf, waysOfWords } from "./expand.ts";
import type { Input, Invocation } from "./invocation.ts";
import { isExternalSource, printed } from "./output.ts";
import type { Scope } from "./scope.ts";
import { State } from "./state.ts";
import { forEachChild, parse, type ParsedScript, type Statement, type SyntaxNode } from "./syntax.ts";
import { isMany, isUnknown, unknown, UNKNOWN, withoutGlobs } from "./text.ts";

/** Rounds in which the variables of a loop are followed; what still changes then is not known. */
const mostRounds = 3;
/** Most words of a `for` whose body is read for each. */
const mostRepeats = 32;

/**
 * Reads command lines as a shell would run them, without running anything: follows variables, functions and working
 * directories as far as the text determines them, and notes the commands that would be started.
 */
export class Interpreter implements Scope {
  readonly execution: Execution;
  readonly #commands: CommandReader;
  #pipes = 0;

  constructor(directory: string, home: string, maxNodes: number) {
    this.execution = new Execution(directory, home, maxNodes);
    this.#commands = new CommandReader(this.execution, this, this);
  }

  /** Reads a text as a command line. */
  readText(text: string): void {
    this.execution.spendText(text);
    const script = parse(text);
    const wrong = (script.errors?.length ?? 0) > 0;
    if (wrong && !this.execution.place.guess) {
      this.execution.valid = false;
      this.execution.complete = false;
    }
    if (wrong) this.execution.within({ maybe: true }, () => this.#script(script, text));
    else this.#script(script, text);
  }

  /** Reads the bodies of functions that are never called: a later command may call them. */
  readUncalled(): void {
    for (const [name, bodies] of this.state.functions) {
      for (const body of bodies) {
        if (body === null || this.execution.called.has(body)) continue;
        const place = { maybe: true, inside: [name] };
        this.execution.within(place, () => this.execution.apart(() => this.#commands.readBody(body, null)));
      }
    }
  }

  // Scope

  get state(): State {
    return this.execution.state;
  }

  get home(): string {
    return this.execution.home;
  }

  spend(nodes: number): void {
    this.execution.spend(nodes);
  }

  texts(word: Parameters<Scope["texts"]>[0]): readonly string[] {
    return textsOf(word, this);
  }

  perhaps(action: () => void): void {
    this.execution.within({ maybe: true }, action);
  }

  visit(node: SyntaxNode): void {
    if (node.type === "ArithmeticExpansion") forgetAssignedIn(this.state, node.text);
    this.#children(node);
  }

  run(part: Parameters<Scope["run"]>[0]): readonly string[] {
    if (part.script === undefined) return [unknown("o")];
    return this.#substitute(part.script, this.execution.place.input);
  }

  pipe({ operator, script }: Parameters<Scope["pipe"]>[0]): string {
    const path = `/dev/fd/${unknown("a", `pipe${this.#pipes++}`)}`;
    if (script === undefined) return path;
    const [text = UNKNOWN] = this.#substitute(
      script,
      operator === ">" ? unreadable : this.execution.place.input,
    );
    this.execution.files.set(path, text);
    return path;
  }

  // Statements

  /**
   * Reads statements. A shell whose commands are typed or piped in shares its input with what it starts: the lines after
   * an interpreter without a program may be that program.
   */
  #script(script: ParsedScript, text = ""): void {
    const before = this.execution.typed;
    for (const statement of script.commands) {
      this.execution.typed = text.slice(statement.end).replace(/^[^\n]*\n?/, "");
      this.#statement(statement);
    }
    this.execution.typed = before;
  }

  #statement(statement: Statement): void {
    if (statement.background === true)
      this.execution.within({ beside: true }, () => this.execution.apart(() => this.node(statement.command)));
    else this.node(statement.command);
  }

  /** Reads a part of the text. */
  node(node: SyntaxNode): void {
    this.spend(1);
    const read = this.#readers[node.type] as ((node: SyntaxNode) => void) | undefined;
    if (read) read(node);
    else this.execution.within({}, () => this.#children(node));
  }

  #children(node: SyntaxNode): void {
    forEachChild(node, (child) => this.node(child));
  }

  readonly #readers: {
    readonly [Type in SyntaxNode["type"]]?: (node: Extract<SyntaxNode, { type: Type }>) => void;
  } = {
    Statement: (node) => this.#statement(node),
    Command: (node) => this.#commands.command(node),
    Pipeline: (node) => {
      const { commands } = node;
      const [only, second] = commands;
      if (only !== undefined && second === undefined) this.node(only);
      else this.#pipeline(commands);
    },
    AndOr: (node) => {
      const [first, ...rest] = node.commands;
      if (first) this.node(first);
      // What follows is skipped, or runs after all before it has.
      const before = this.state.clone();
      for (const command of rest) this.execution.within({ maybe: true }, () => this.node(command));
      this.state.join(before);
    },
    Redirected: (node) => this.#commands.redirected(node.command, node.redirects),
    Subshell: (node) => this.execution.within({}, () => this.execution.apart(() => this.#children(node))),
    Function: (node) => {
      this.state.functions.set(node.name.value, [node.body]);
    },
    For: (node) => this.#for(node),
    Select: (node) => {
      for (const word of node.wordlist ?? []) waysOf(word, this);
      this.#loop(() => {
        this.state.forget(node.name.value);
        this.state.forget("REPLY");
        this.node(node.body);
      });
    },
    While: (node) => {
      this.execution.within({}, () => this.node(node.clause));
      this.#loop(() => {
        this.node(node.body);
        this.node(node.clause);
      });
    },
    ArithmeticFor: (node) => {
      forgetAssigned(this.state, node);
      this.#loop(() => this.#children(node));
    },
    If: (node) => this.#if([node, ...node.elif], node.else),
    Case: (node) => {
      waysOf(node.word, this);
      this.execution.branches([
        ...node.items.map((item) => () => {
          for (const pattern of item.pattern) waysOf(pattern, this);
          this.node(item.body);
        }),
        () => undefined,
      ]);
      // `;&` goes on with the next body.
      if (node.items.some(({ terminator }) => terminator !== ";;" && terminator !== undefined))
        this.state.forgetAll();
    },
    Coproc: (node) =>
      this.execution.within({ beside: true, input: unreadable }, () =>
        this.execution.apart(() => this.#children(node)),
      ),
    Word: (node) => void waysOf(node, this),
    Assignment: (node) => this.#commands.assign(node),
    CommandExpansion: (node) => void this.run(node),
    ProcessSubstitution: (node) => void this.pipe(node),
    ArithmeticCommandExpansion: (node) => {
      if (node.script) this.#substitute(node.script, this.execution.place.input);
    },
    ArithmeticCommand: (node) => {
      forgetAssigned(this.state, node);
      this.execution.within({}, () => this.#children(node));
    },
  };

  #pipeline(commands: readonly SyntaxNode[]): void {
    let from: readonly Invocation[] = [];
    commands.forEach((command, index) => {
      const input = index === 0 ? this.execution.place.input : { text: printed(from), from };
      const added = this.execution.within({ input, beside: true }, () =>
        this.execution.apart(() => this.node(command)),
      );
      from = added.filter(({ through }) => through.length === this.execution.place.through.length);
      if (from.length === 0) from = added;
    });
  }

  #if(clauses: readonly Clause[], otherwise: SyntaxNode | undefined): void {
    const [first, ...others] = clauses;
    if (first === undefined) {
      if (otherwise) this.node(otherwise);
      return;
    }
    this.execution.within({}, () => this.node(first.clause));
    this.execution.branches([() => this.node(first.then), () => this.#if(others, otherwise)]);
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
        this.node(node.body);
      });
      return;
    }
    for (const value of values) {
      this.state.assign(name, [value]);
      this.execution.within({}, () => this.node(node.body));
    }
    this.state.ended.loop = false;
  }

  /** Reads the body of a loop with all values that its variables may have in any round. */
  #loop(body: () => void): void {
    for (let round = 0; ; round++) {
      const before = this.state.clone();
      const { valid, complete, recursion } = this.execution;
      const count = this.execution.found.length;
      this.execution.within({ maybe: true }, body);
      const after = before.clone();
      after.join(this.state);
      this.execution.state = after;
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
      this.execution.found.length = count;
      Object.assign(this.execution, { valid, complete, recursion });
    }
  }

  /** Reads the script of a substitution, and returns what it may print. */
  #substitute(script: ParsedScript, input: Input | undefined): readonly string[] {
    const inner = this.execution.within({ input, beside: true }, () =>
      this.execution.apart(() => this.#script(script)),
    );
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
}

/** A condition with what runs if it holds. */
type Clause = Pick<Extract<SyntaxNode, { type: "If" }>, "clause" | "then">;
