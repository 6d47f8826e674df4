import type { EventName } from "../../catalogue/index.ts";
import type { Fact, FactRow } from "../fact.ts";
import { type ToolKind, toolKinds } from "./clients.ts";

/** The events of tool calls. */
export const toolEvents: readonly EventName[] = [
  "PreToolUse",
  "PermissionRequest",
  "PermissionDenied",
  "PostToolUse",
  "PostToolUseFailure",
];

export const toolLimits = {
  nodes: { maximum: 20_000, doc: "values of `tool_input`, nested ones included" },
  depth: { maximum: 32, doc: "depth of `tool_input`" },
  values: { maximum: 256, doc: "command lines, files and addresses, each" },
} as const;

/** The access of a tool to a file; `any` where the tool's name does not say it. */
export const toolAccess = ["read", "write", "edit", "delete", "search", "any"] as const;
export type ToolAccess = (typeof toolAccess)[number];

/** What a tool call is, whatever the client calls the tool. */
export type ToolFact = Fact<{
  readonly kind: ToolKind;
  readonly known: boolean;
  readonly commands: readonly string[];
  readonly language: "sh" | "powershell" | "cmd";
  readonly directory: string | null;
  readonly files: readonly { readonly path: string; readonly access: ToolAccess }[];
  readonly urls: readonly string[];
  readonly queries: readonly string[];
}>;

const texts = { type: "array", items: { type: "string" } } as const;

export const toolRow = {
  version: "1.0",
  doc: "what kind of call this is, with the fields that matter, whatever the client calls the tool and its fields",
  events: toolEvents,
  from: ["tool_name", "tool_input"],
  cost: "low",
  limits: toolLimits,
  members: {
    kind: {
      doc: "kind of the tool; `mcp` for a name such as `mcp__server__tool`, `mcp_server_tool` or `server___tool`, `other` for an unknown name",
      schema: { type: "string", enum: toolKinds },
    },
    known: { doc: "whether the tool is in the table of clients", schema: { type: "boolean" } },
    commands: {
      doc: "command lines; of tools of the kinds `shell`, `mcp` and `other`. A list of words is quoted, so that it reads as one command",
      schema: texts,
    },
    language: {
      doc: "what the command lines are written in",
      schema: { type: "string", enum: ["sh", "powershell", "cmd"] },
    },
    directory: {
      doc: "working directory that the call names; `null`: the event's `cwd`",
      schema: { anyOf: [{ type: "string" }, { type: "null" }] },
    },
    files: {
      doc: "files and folders that the call names, as written; `any` where the tool's kind does not say what happens to them",
      schema: {
        type: "array",
        items: {
          type: "object",
          properties: {
            path: { type: "string" },
            access: { type: "string", enum: toolAccess },
          },
          required: ["path", "access"],
          additionalProperties: false,
        },
      },
    },
    urls: { doc: "addresses that the call names, as written", schema: texts },
    queries: { doc: "patterns and search terms", schema: texts },
  },
} as const satisfies FactRow;
