import type { JsonSchema } from "../../catalogue/index.ts";
import type { Fact, FactRow } from "../fact.ts";
import { type ShellWord, wordSchema } from "../shell/row.ts";
import { toolEvents } from "../tool/row.ts";

export const pathAccess = ["read", "write", "delete", "execute", "list", "any"] as const;
export type PathAccess = (typeof pathAccess)[number];

export const pathLimits = {
  paths: { maximum: 2_000, doc: "paths" },
} as const;

/** One use of a path. */
export interface PathUse {
  readonly path: ShellWord;
  readonly access: PathAccess;
  readonly inside: boolean | null;
  readonly command: number | null;
}

/** The files that a tool call uses. */
export type PathsFact = Fact<{
  readonly workspace: string | null;
  readonly paths: readonly PathUse[];
  readonly complete: boolean;
}>;

const useSchema: JsonSchema = {
  type: "object",
  properties: {
    path: {
      ...wordSchema,
      tsType: "ShellWord",
      description:
        "absolute and without `.`, `..` and `//` if the working directory is known; what is not known is marked",
    },
    access: {
      type: "string",
      enum: pathAccess,
      description:
        "what happens to it; `list`: its name or entries are looked at, `any`: a program that the fact does not know has it as an argument",
    },
    inside: {
      anyOf: [{ type: "boolean" }, { type: "null" }],
      description: "whether it is in the workspace; `null` if that is not known",
    },
    command: {
      anyOf: [{ type: "integer", minimum: 0 }, { type: "null" }],
      description: "index in the commands of `facts.shell`; `null`: the tool itself uses it",
    },
  },
  required: ["path", "access", "inside", "command"],
  additionalProperties: false,
};

export const pathsRow = {
  version: "1.2",
  doc: "the files and folders that a call reads, writes, deletes or runs, by a tool of its own or by commands. Symbolic links are not followed",
  events: toolEvents,
  from: ["tool_name", "tool_input", "cwd", "host_facts"],
  uses: ["tool", "shell"],
  cost: "medium",
  limits: pathLimits,
  members: {
    workspace: {
      doc: "the event's `cwd`, normalised; `null` if it is absent or not absolute",
      schema: { anyOf: [{ type: "string" }, { type: "null" }] },
    },
    paths: {
      doc: "uses of paths, those of the tool first",
      schema: { type: "array", items: { ...useSchema, tsType: "PathUse" } },
    },
    complete: {
      doc: "whether the paths are all that the arguments name; `false` if `facts.shell` is not complete, or a command is one that the fact does not know. What programs use on their own is never listed",
      schema: { type: "boolean" },
    },
  },
  types: { PathUse: { doc: "one use of a path", schema: useSchema } },
} as const satisfies FactRow;
