import type { OfferedTool, ToolCall } from "../model-server/index.ts";

/** Names under which clients offer a shell. */
const shells =
  /^(Bash|bash|run_shell_command|shell_command|exec_command|shell|Execute|execute_command|run_commands)$/;
/** Names under which clients offer a subagent. */
const subagents =
  /^(Task|task|Agent|agent|spawn_agent|spawn_agents_on_csv|generalist|invoke_agent|use_subagents|delegate)$/;

/** A call of the client's shell with one command; `null` if it offers none. */
export function shellCall(tools: readonly OfferedTool[], command: string): ToolCall | null {
  const tool = tools.find(({ name }) => shells.test(name));
  return tool ? called(tool, inputOf(tool, { command, text: "a command" })) : null;
}

/** A call that starts a subagent; `null` if the client offers none. */
export function subagentCall(tools: readonly OfferedTool[], prompt: string): ToolCall | null {
  const tool = tools.find(({ name }) => subagents.test(name));
  return tool ? called(tool, inputOf(tool, { prompt, text: prompt })) : null;
}

/** A call of the canary tool that our MCP server offers. */
export function mcpCall(tools: readonly OfferedTool[], command: string): ToolCall | null {
  const tool = tools.find(({ name, namespace = "" }) => /canary/.test(namespace + name));
  return tool ? called(tool, { command }) : null;
}

/** A patch that adds a file; `null` if the client has no tool for patches. */
export function patchCall(tools: readonly OfferedTool[], path: string): ToolCall | null {
  const tool = tools.find(({ name }) => /^apply_?patch$/i.test(name));
  if (!tool) return null;
  const patch = `*** Begin Patch\n*** Add File: ${path}\n+canary\n*** End Patch\n`;
  return called(tool, tool.freeform ? patch : inputOf(tool, { text: patch }));
}

/** A call that writes a file; `null` if the client has no such tool. */
export function writeCall(tools: readonly OfferedTool[], path: string): ToolCall | null {
  const tool = tools.find(({ name }) =>
    /^(Write|write|write_file|create|Create|write_to_file|editor)$/.test(name),
  );
  return tool ? called(tool, inputOf(tool, { path, text: "canary\n" })) : null;
}

function called({ name, namespace }: OfferedTool, input: ToolCall["input"]): ToolCall {
  return { name, ...(namespace === undefined ? {} : { namespace }), input };
}

interface Values {
  readonly command?: string;
  readonly prompt?: string;
  readonly path?: string;
  readonly text: string;
}

/** Fills the fields of a tool's input by their names and types. */
function inputOf({ fields }: OfferedTool, values: Values): { readonly [field: string]: unknown } {
  const input: { [field: string]: unknown } = {};
  for (const [field, schema] of Object.entries(fields)) {
    const value = valueOf(field, schema as { readonly [key: string]: unknown }, values);
    if (value !== undefined) input[field] = value;
  }
  return input;
}

/** Fields that change what a call means, and are left to their defaults. */
const optional =
  /^(timeout|timeoutSec|timeout_ms|yield_time_ms|max_output_tokens|workdir|cwd|dir_path|directory|login|shell|tty|sandbox_permissions|justification|prefix_rule|run_in_background|background|isolation|model|mode|resume|name|team_name|fork_context|task_id|fireAndForget|additional_permissions|dangerouslyDisableSandbox|initial_wait|sessionId|shellId|detach|async|reasoning_effort|service_tier|items|agent_id|working_dir|delay_ms|wait_for_previous|insert_line|requestSandboxBypass)$/;

function valueOf(
  field: string,
  schema: { readonly [key: string]: unknown },
  { command, prompt, path, text }: Values,
): unknown {
  if (optional.test(field)) return undefined;
  if (command !== undefined && /^(command|cmd)$/.test(field)) {
    return schema["type"] === "array" ? ["/bin/sh", "-c", command] : command;
  }
  if (command !== undefined && field === "commands") return schema["type"] === "array" ? [command] : command;
  if (path !== undefined && /^(file_?path|path|absolute_path|filename)$/i.test(field)) return path;
  if (prompt !== undefined && /^(prompt|message|task|request|objective)$/.test(field)) return prompt;
  const choices = schema["enum"];
  if (Array.isArray(choices))
    return choices.find((one) => /general|explore|low|create/.test(String(one))) ?? choices[0];
  if (/^(subagent_type|agent_type|agent_name|agent)$/.test(field)) return "general-purpose";
  if (schema["type"] === "boolean") return false;
  if (schema["type"] === "string") return text;
  if (schema["type"] === "object") return { value: "low", reason: "a test" };
  return undefined;
}
