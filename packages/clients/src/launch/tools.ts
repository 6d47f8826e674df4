import { kindOfTool, roleOfInputField, type ToolKind } from "hookwarden/facts";
import type { Conversation, Json, OfferedTool, ToolCall } from "../model-server/index.ts";

/** What a call should contain, by what a field of the tool's input holds. */
export interface CallValues {
  readonly command?: string;
  readonly path?: string;
  readonly url?: string;
  /** What a subagent is to do. */
  readonly prompt?: string;
  /** What the client has sent to its model, where subagents may be named. */
  readonly instructions?: string;
  /** Every other text. */
  readonly text: string;
}

/** A call of the client's shell with one command; `null` if it offers no shell. */
export function shellCall(tools: readonly OfferedTool[], command: string): ToolCall | null {
  const tool = ofKind(tools, "shell");
  return tool ? callOf(tool, { command, text: "a command" }) : null;
}

/**
 * The calls of a conversation that runs a subagent: one that starts it, and, where subagents run beside the conversation, one
 * that waits for it. `null` if the client offers none, or after both.
 */
export function subagentCall(
  { tools, rounds, results, prompt: said }: Conversation,
  prompt: string,
): ToolCall | null {
  if (rounds === 0) {
    const tool = ofKind(tools, "task");
    return tool ? callOf(tool, { prompt, text: prompt, instructions: said }) : null;
  }
  const wait = rounds === 1 ? tools.find(({ name }) => name === "wait_agent") : undefined;
  const id = /"agent_id":\s*"([^"]+)"/.exec(results[0] ?? "")?.[1];
  return wait && id !== undefined ? callOf(wait, { text: id }) : null;
}

/** A call of the canary tool of our MCP server. */
export function mcpCall(tools: readonly OfferedTool[], command: string): ToolCall | null {
  const tool = tools.find(({ name, namespace = "" }) => /canary/.test(namespace + name));
  return tool ? callOf(tool, { command, text: command }) : null;
}

/** A patch that adds a file; `null` if the client has no tool for patches. */
export function patchCall(tools: readonly OfferedTool[], path: string): ToolCall | null {
  const tool = tools.find(({ name }) => /^apply_?patch$/i.test(name));
  if (!tool) return null;
  const patch = `*** Begin Patch\n*** Add File: ${path}\n+canary\n*** End Patch\n`;
  return callOf(tool, { text: patch });
}

/** A call that writes a file; `null` if the client has no such tool. */
export function writeCall(tools: readonly OfferedTool[], path: string): ToolCall | null {
  const tool = ofKind(tools, "write") ?? tools.find(({ name }) => name === "editor");
  return tool ? callOf(tool, { path, text: "canary\n" }) : null;
}

/** A call that reads a file; `null` if the client has no such tool. */
export function readCall(tools: readonly OfferedTool[], path: string): ToolCall | null {
  // Another read tool reads the output of a shell.
  const reads = tools.filter(({ fields }) =>
    Object.keys(fields).some((field) => roleOfInputField(field) === "file"),
  );
  const tool = ofKind(reads, "read");
  return tool ? callOf(tool, { path, text: path }) : null;
}

/** A call that fetches a page; `null` if the client has no such tool. */
export function fetchCall(tools: readonly OfferedTool[], url: string): ToolCall | null {
  const tool = ofKind(tools, "fetch");
  return tool ? callOf(tool, { url, text: `Summarize ${url}` }) : null;
}

/** A call of any tool, with the fields that its schema requires and those that take one of the values. */
export function callOf(tool: OfferedTool, values: CallValues): ToolCall {
  const { name, namespace, freeform, fields, required } = tool;
  const input: { [field: string]: unknown } = {};
  // The address may belong into a text.
  const text = kindOfTool(name) === "fetch" && values.url !== undefined ? `Read ${values.url}` : values.text;
  // The path of a search is a folder, and optional.
  const { path: _, ...withoutPath } = values;
  const given = { ...(kindOfTool(name) === "search" ? withoutPath : values), text };
  for (const [field, schema] of Object.entries(fields)) {
    const value = /agent(_?(type|name))?$/i.test(field)
      ? agentIn(tool, values.instructions ?? "")
      : valueOf(field, schema as Json, given, required.includes(field));
    if (value !== undefined) input[field] = value;
  }
  return {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    input: freeform ? values.text : input,
  };
}

function ofKind(tools: readonly OfferedTool[], kind: ToolKind): OfferedTool | undefined {
  return tools.find(({ name }) => kindOfTool(name) === kind);
}

function valueOf(field: string, schema: Json, values: CallValues, required: boolean): unknown {
  const role = roleOfInputField(field);
  const given =
    role === "command" || role === "commands"
      ? values.command
      : role === "file"
        ? values.path && (/notebook/i.test(field) ? `${values.path}.ipynb` : values.path)
        : role === "url"
          ? values.url
          : undefined;
  if (values.prompt !== undefined && /^(prompt|message|task|objective)$/.test(field)) return values.prompt;
  if (given !== undefined) return inForm(schema, given, role === "command");
  if (values.prompt !== undefined && field === "await") return true;
  // What runs in the background may outlive the session.
  if (/background/i.test(field) && schema["type"] === "boolean") return false;
  if (!required) return undefined;
  // An edit that changes nothing is refused by the client itself.
  return filled(schema, /^new/i.test(field) ? { ...values, text: `${values.text} anew` } : values);
}

/** A value in the form that the schema asks for: one text, or a list. */
function inForm(schema: Json, value: string, isCommand: boolean): unknown {
  if (schema["type"] !== "array") return value;
  const items = (schema["items"] ?? {}) as Json;
  if (items["type"] === "object") return [filled(items, { text: value, path: value, command: value })];
  return isCommand ? ["/bin/sh", "-c", value] : [value];
}

/** A value for a required field that no value is meant for. */
function filled(schema: Json, values: CallValues): unknown {
  const choices = schema["enum"];
  if (Array.isArray(choices))
    return choices.find((one) => /general|explore|low|create/i.test(String(one))) ?? choices[0];
  if (schema["const"] !== undefined) return schema["const"];
  const [alternative] = (schema["anyOf"] ?? schema["oneOf"] ?? []) as readonly Json[];
  if (alternative) return filled(alternative, values);
  switch (Array.isArray(schema["type"]) ? schema["type"][0] : schema["type"]) {
    case "boolean":
      return false;
    case "integer":
    case "number":
      return schema["minimum"] ?? 1;
    case "array":
      return [filled((schema["items"] ?? {}) as Json, values)];
    case "object": {
      const required = (schema["required"] ?? []) as readonly string[];
      const fields = Object.entries((schema["properties"] ?? {}) as { readonly [name: string]: Json });
      return Object.fromEntries(
        fields.flatMap(([name, inner]) => {
          const value = valueOf(name, inner, values, required.includes(name));
          return value === undefined ? [] : [[name, value]];
        }),
      );
    }
    default:
      return values.text;
  }
}

/** The name of the subagent for any work: the tool describes its subagents, or the client's instructions do. */
function agentIn({ description, fields }: OfferedTool, instructions: string): string {
  const texts = [description + JSON.stringify(fields), instructions];
  const names = ["general-purpose", "generalist", "worker", "general"];
  const found = texts.flatMap((text) => names.find((name) => text.includes(name)) ?? []);
  return found[0] ?? "general";
}
