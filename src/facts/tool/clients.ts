/** What kind of work a tool does. */
export const toolKinds = [
  "shell",
  "read",
  "write",
  "edit",
  "delete",
  "search",
  "fetch",
  "mcp",
  "task",
  "other",
] as const;
export type ToolKind = (typeof toolKinds)[number];

/**
 * The tools of agent clients and SDKs, by the names that their hooks and adapters send. A tool of a new client is a row
 * here. Names are compared without case and punctuation, so that `read_file` is `ReadFile` and `readFile` too.
 */
export const clientTools: {
  readonly [client: string]: { readonly [kind in ToolKind]?: readonly string[] };
} = {
  "claude-code": {
    shell: ["Bash", "PowerShell"],
    read: ["Read", "NotebookRead"],
    write: ["Write"],
    edit: ["Edit", "MultiEdit", "NotebookEdit"],
    search: ["Glob", "Grep", "LS", "WebSearch"],
    fetch: ["WebFetch"],
    mcp: ["ListMcpResourcesTool", "ReadMcpResourceTool"],
    task: ["Task", "Agent"],
    other: ["TodoWrite", "BashOutput", "KillShell", "KillBash", "ExitPlanMode", "AskUserQuestion", "Skill"],
  },
  "anthropic-api": {
    shell: ["bash", "bash_code_execution"],
    edit: ["str_replace_based_edit_tool", "str_replace_editor", "text_editor_code_execution", "memory"],
    fetch: ["web_fetch"],
    search: ["web_search"],
    other: ["code_execution", "computer"],
  },
  codex: {
    shell: ["shell", "shell_command", "local_shell", "exec_command", "unified_exec", "container.exec"],
    edit: ["apply_patch"],
    read: ["read_file", "view_image"],
    search: ["list_dir", "grep_files", "web_search"],
    mcp: ["list_mcp_resources", "list_mcp_resource_templates", "read_mcp_resource"],
    task: ["spawn_agent"],
    other: ["write_stdin", "update_plan"],
  },
  "copilot-cli": {
    shell: ["bash", "powershell"],
    read: ["view", "read_bash", "read_powershell"],
    write: ["create"],
    edit: ["edit", "apply_patch"],
    search: ["grep", "glob", "rg"],
    fetch: ["web_fetch"],
    task: ["task"],
    other: ["write_bash", "stop_bash", "report_intent"],
  },
  "vs-code": {
    shell: ["run_in_terminal"],
    read: ["read_file", "copilot_readFile"],
    write: ["create_file", "create_directory"],
    edit: [
      "insert_edit_into_file",
      "replace_string_in_file",
      "multi_replace_string_in_file",
      "edit_notebook_file",
    ],
    search: ["list_dir", "file_search", "grep_search", "semantic_search"],
    fetch: ["fetch_webpage", "open_simple_browser"],
    task: ["runSubagent"],
  },
  "gemini-cli": {
    shell: ["run_shell_command"],
    read: ["read_file", "read_many_files"],
    write: ["write_file"],
    edit: ["replace"],
    search: ["glob", "search_file_content", "grep_search", "list_directory", "google_web_search"],
    fetch: ["web_fetch"],
    task: ["delegate_to_agent", "invoke_agent"],
    other: ["save_memory", "write_todos"],
  },
  "qwen-code": {
    shell: ["run_shell_command"],
    write: ["write_file"],
    edit: ["edit"],
    search: ["grep_search", "web_search"],
    task: ["task"],
    other: ["todo_write"],
  },
  cursor: {
    shell: ["Shell", "run_terminal_cmd"],
    read: ["Read", "read_file"],
    write: ["Write"],
    edit: ["edit_file", "search_replace", "StrReplace", "EditNotebook"],
    delete: ["Delete", "delete_file"],
    search: ["Grep", "codebase_search", "list_dir", "file_search", "web_search"],
    task: ["Task"],
  },
  windsurf: {
    shell: ["run_command"],
    read: ["view_file"],
    write: ["write_to_file"],
    edit: ["replace_file_content", "multi_replace_file_content"],
    search: ["find_by_name", "grep_search", "search_web", "list_dir"],
    fetch: ["read_url_content", "browser_preview"],
  },
  cline: {
    shell: ["execute_command", "run_commands"],
    read: ["read_file", "read_files"],
    write: ["write_to_file"],
    edit: ["replace_in_file", "apply_diff", "insert_content"],
    search: ["search_files", "list_files", "list_code_definition_names"],
    fetch: ["browser_action", "fetch_web_content"],
    mcp: ["use_mcp_tool", "access_mcp_resource"],
    task: ["new_task"],
  },
  opencode: {
    shell: ["bash"],
    read: ["read"],
    write: ["write"],
    edit: ["edit", "multiedit", "patch"],
    search: ["glob", "grep", "list", "websearch"],
    fetch: ["webfetch"],
    task: ["task"],
    other: ["todowrite", "todoread"],
  },
  droid: {
    shell: ["Execute"],
    read: ["Read"],
    write: ["Create"],
    edit: ["Edit", "MultiEdit", "ApplyPatch"],
    search: ["LS", "Grep", "Glob", "WebSearch"],
    fetch: ["FetchUrl"],
    task: ["Task"],
  },
  kiro: {
    shell: ["execute_bash", "execute_cmd"],
    read: ["fs_read"],
    write: ["fs_append"],
    edit: ["fs_write", "fs_replace"],
  },
  goose: { shell: ["developer__shell"], edit: ["developer__text_editor", "text_editor"] },
  continue: {
    shell: ["run_terminal_command", "builtin_run_terminal_command"],
    read: ["builtin_read_file"],
    write: ["builtin_create_new_file"],
    edit: ["builtin_edit_existing_file"],
    fetch: ["Fetch"],
    search: ["List", "Search"],
  },
  amp: {
    shell: ["Bash"],
    edit: ["edit_file", "undo_edit"],
    fetch: ["read_web_page"],
    search: ["finder"],
  },
  kimi: {
    shell: ["Shell"],
    read: ["ReadFile"],
    write: ["WriteFile"],
    edit: ["StrReplaceFile"],
    search: ["SearchWeb"],
    fetch: ["FetchURL"],
  },
  langchain: {
    shell: ["terminal", "execute"],
    write: ["copy_file", "move_file"],
    delete: ["file_delete"],
    search: ["ls"],
    fetch: ["requests_get", "requests_post", "requests_put", "requests_patch", "requests_delete"],
    other: ["python_repl"],
  },
  "openai-agents": { shell: ["shell"], edit: ["apply_patch"], other: ["code_interpreter", "computer_use"] },
};

/** Names of fields of a tool's input, by what they hold; compared without case and punctuation. */
export const toolInputFields = {
  /** A command line, or a list of the words of one command. */
  command: ["command", "cmd", "script", "command_line", "shell_command", "bash_command", "argv"],
  /** A list of command lines. */
  commands: ["commands"],
  directory: ["cwd", "workdir", "working_directory", "working_dir", "directory", "dir"],
  file: [
    "file_path",
    "path",
    "paths",
    "file",
    "files",
    "file_paths",
    "filename",
    "notebook_path",
    "target_file",
    "target_notebook",
    "absolute_path",
    "relative_path",
    "relative_workspace_path",
    "dir_path",
    "directory_path",
    "source_path",
    "destination_path",
    "old_path",
    "new_path",
    "source",
    "destination",
  ],
  url: ["url", "urls", "uri", "href", "endpoint"],
  query: ["query", "pattern", "regex", "search_term", "glob_pattern", "include_pattern"],
  /** The text of a patch, with the names of its files. */
  patch: ["patch", "patch_text", "diff"],
  /** A command line of a shell, the patch of an editor. */
  input: ["input"],
} as const satisfies Record<string, readonly string[]>;

/** What a field of a tool's input may hold. */
export type ToolInputRole = keyof typeof toolInputFields;

/** A name in the form that is compared: `Read_File` is `readfile`. */
export function comparableToolName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}

/**
 * Forms of the names that clients give to the tools of MCP servers: `mcp__server__tool` (Claude Code, Codex, Qwen Code),
 * `mcp_server_tool` (Gemini CLI, VS Code), `server___tool` (droid), `server__tool` (Cline, Goose), `MCP:tool` (Cursor),
 * `@server/tool` (Kiro).
 */
const mcpName = /^(?:mcp[_:]|@[^/]*\/)|[^_]__+[^_]/i;

const kindsBy = (form: (name: string) => string): ReadonlyMap<string, ToolKind> =>
  new Map(
    Object.values(clientTools).flatMap((kinds) =>
      Object.entries(kinds).flatMap(([kind, names]) =>
        names.map((name): [string, ToolKind] => [form(name), kind as ToolKind]),
      ),
    ),
  );
const kindByWrittenName = kindsBy((name) => name.toLowerCase());
const kindByName = kindsBy(comparableToolName);

const roleByField: ReadonlyMap<string, ToolInputRole> = new Map(
  Object.entries(toolInputFields).flatMap(([role, names]) =>
    names.map((name): [string, ToolInputRole] => [comparableToolName(name), role as ToolInputRole]),
  ),
);

/** The kind of a tool that a client of the table has; `undefined` for any other name. */
export function kindOfTool(name: string): ToolKind | undefined {
  const written = kindByWrittenName.get(name.toLowerCase());
  // A server `web` with a tool `fetch` is not the client's own `WebFetch`, although `web___fetch` compares equal to it.
  return written ?? (mcpName.test(name) ? undefined : kindByName.get(comparableToolName(name)));
}

/** Whether a name has one of the forms that clients give to the tools of MCP servers. */
export function isMcpToolName(name: string): boolean {
  return mcpName.test(name);
}

/** What a field of a tool's input holds, by its name. */
export function roleOfInputField(name: string): ToolInputRole | undefined {
  return roleByField.get(comparableToolName(name));
}
