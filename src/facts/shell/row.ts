import type { JsonSchema } from "../../catalogue/index.ts";
import type { Fact, FactRow } from "../fact.ts";
import { toolEvents } from "../tool/row.ts";

export const shellLimits = {
  characters: {
    maximum: 32_768,
    doc: "UTF-16 code units of all command lines, nested ones included",
  },
  substitutions: { maximum: 2_000, doc: "substitutions and expansions in braces" },
  nodes: {
    maximum: 8_000,
    doc: "syntax nodes and parts of words, those of nested command lines and repeated bodies included; 16 characters of values count as one",
  },
  depth: { maximum: 40, doc: "nesting of commands, substitutions and command lines in command lines" },
  commands: { maximum: 400, doc: "commands" },
} as const;

/** Why a part of a word is not known. */
export const unknownParts = ["variable", "output", "external", "user", "other"] as const;

/** A part of a word: text, something that only the running shell knows, or a pattern that file names replace. */
export type ShellWordPart =
  | string
  | {
      readonly unknown: (typeof unknownParts)[number];
      readonly name?: string;
      readonly many?: true;
    }
  | { readonly glob: string };

/** An argument: a string if all of it is known, else its parts. */
export type ShellWord = string | readonly ShellWordPart[];

export interface ShellRedirect {
  readonly operator: string;
  readonly target: ShellWord;
}

export interface ShellVariable {
  readonly name: string;
  readonly value: ShellWord;
}

export interface ShellInput {
  readonly text: ShellWord | null;
  readonly from: readonly number[];
}

export interface ShellCommand {
  readonly name: string | null;
  readonly argv: readonly ShellWord[];
  readonly directory: ShellWord;
  readonly through: readonly string[];
  readonly variables: readonly ShellVariable[];
  readonly redirects: readonly ShellRedirect[];
  readonly input: ShellInput | null;
  readonly maybe: boolean;
  readonly guess: boolean;
  readonly opaque: boolean;
  readonly external: boolean;
}

/** The commands that the command lines of a tool call would start. */
export type ShellFact = Fact<{
  readonly commands: readonly ShellCommand[];
  readonly valid: boolean;
  readonly complete: boolean;
  readonly recursion: string | null;
}>;

const flag: JsonSchema = { type: "boolean" };
const text: JsonSchema = { type: "string" };
const orNull = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, { type: "null" }] });
const closed = (properties: { readonly [name: string]: JsonSchema }, required: string[]): JsonSchema => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});

const partSchema: JsonSchema = {
  anyOf: [
    text,
    closed({ unknown: { type: "string", enum: unknownParts }, name: text, many: { const: true } }, [
      "unknown",
    ]),
    closed({ glob: text }, ["glob"]),
  ],
};
const named = (tsType: string, schema: JsonSchema): JsonSchema => ({ ...schema, tsType });
/** The schema of `ShellWord`. */
export const wordSchema: JsonSchema = {
  anyOf: [text, { type: "array", items: named("ShellWordPart", partSchema) }],
};
const word = named("ShellWord", wordSchema);
const redirectSchema = closed({ operator: text, target: word }, ["operator", "target"]);
const variableSchema = closed({ name: text, value: word }, ["name", "value"]);
const inputSchema = closed(
  { text: orNull(word), from: { type: "array", items: { type: "integer", minimum: 0 } } },
  ["text", "from"],
);
const commandSchema = closed(
  {
    name: {
      ...orNull(text),
      description:
        "file name of the program in lower case without `.exe`; `null` if it is not known, empty if there are only redirections",
    },
    argv: {
      type: "array",
      items: word,
      description: "the program as written and its arguments; empty if there are only redirections",
    },
    directory: { ...word, description: "working directory, absolute if that is known" },
    through: {
      type: "array",
      items: text,
      description: "wrappers and interpreters that start it, outermost first, such as `sudo` or `bash`",
    },
    variables: {
      type: "array",
      items: named("ShellVariable", variableSchema),
      description: "variables that are set for it alone, such as `A=b` before it or after `env`",
    },
    redirects: {
      type: "array",
      items: named("ShellRedirect", redirectSchema),
      description: "redirections to and from files",
    },
    input: {
      ...orNull(named("ShellInput", inputSchema)),
      description:
        "standard input: its text if that is known, and indices of the commands of the pipe before it; `null`: that of the shell",
    },
    maybe: { ...flag, description: "it may not be started: a condition, a loop, one of several values" },
    guess: {
      ...flag,
      description: "found in the text of a program in another language, as far as its strings tell",
    },
    opaque: {
      ...flag,
      description: "what it starts is not known: its program is unknown, or a shell reads code that is",
    },
    external: {
      ...flag,
      description: "what it prints comes from a network, or was encoded",
    },
  },
  [
    "name",
    "argv",
    "directory",
    "through",
    "variables",
    "redirects",
    "input",
    "maybe",
    "guess",
    "opaque",
    "external",
  ],
);

export const shellRow = {
  version: "1.2",
  doc: "the commands that the command lines of a call would start: wrappers such as `sudo`, `bash -c`, substitutions, pipes, functions, loops and here-documents resolved, and what only the running shell knows marked",
  events: toolEvents,
  from: ["tool_name", "tool_input", "cwd"],
  uses: ["tool"],
  cost: "medium",
  limits: shellLimits,
  members: {
    commands: {
      doc: "commands in the order of the text, each wrapper before what it starts; empty if the call has no command line",
      schema: { type: "array", items: named("ShellCommand", commandSchema) },
    },
    valid: {
      doc: "whether the text is valid shell; otherwise the commands are those of the lines that are",
      schema: flag,
    },
    complete: {
      doc: "whether every command that a shell would start is listed; `false` if the text is not valid, or a command is `opaque`",
      schema: flag,
    },
    recursion: {
      doc: "name of a function that starts itself more than once at a time; `null` if there is none",
      schema: orNull(text),
    },
  },
  types: {
    ShellWordPart: {
      doc: "a part of a word: text; something that only the running shell knows (`name`: of the variable, or of the command whose output it is; `many`: it may be any number of words); or a pattern that file names replace",
      schema: partSchema,
    },
    ShellWord: {
      doc: "an argument: a string if all of it is known, otherwise its parts",
      schema: wordSchema,
    },
    ShellRedirect: {
      doc: "a redirection; the operator is as written, with a descriptor other than the usual one in front, such as `2>`",
      schema: redirectSchema,
    },
    ShellVariable: { doc: "a variable of a command's environment", schema: variableSchema },
    ShellInput: {
      doc: "the standard input of a command",
      schema: inputSchema,
    },
    ShellCommand: {
      doc: "a command that would be started; builtins of the shell are commands too",
      schema: commandSchema,
    },
  },
} as const satisfies FactRow;
