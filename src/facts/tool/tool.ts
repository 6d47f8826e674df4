import { isObject } from "@hookwarden/sandbox/json";
import { notKnown, type UnknownReason } from "../fact.ts";
import {
  comparableToolName,
  isMcpToolName,
  kindOfTool,
  roleOfInputField,
  type ToolInputRole,
  type ToolKind,
} from "./clients.ts";
import { patchedFiles } from "./patch.ts";
import { type ToolAccess, type ToolFact, toolLimits } from "./row.ts";

type Fields = { readonly [field: string]: unknown };

/** Derives `facts.tool`. */
export function deriveTool(fields: Fields): ToolFact {
  const { tool_name: name, tool_input: input } = fields;
  if (typeof name !== "string" || !isObject(input)) return notKnown("absent");
  const known = kindOfTool(name);
  const kind = known ?? (isMcpToolName(name) ? "mcp" : "other");
  const found = new Findings(kind, editorCommand(kind, input));
  const problem = found.read(input);
  if (problem !== null) return notKnown(problem);
  return {
    ok: true,
    kind: found.kind,
    known: known !== undefined,
    commands: found.commands,
    language: languages.get(comparableToolName(name)) ?? "sh",
    directory: found.directory,
    files: found.files,
    urls: found.urls,
    queries: found.queries,
  };
}

const languages: ReadonlyMap<string, "powershell" | "cmd"> = new Map([
  ["powershell", "powershell"],
  ["pwsh", "powershell"],
  ["cmd", "cmd"],
  ["executecmd", "cmd"],
]);

/** What text editors' `command` means: it is no command line. */
const editorCommands: ReadonlyMap<unknown, ToolKind> = new Map<unknown, ToolKind>([
  ["view", "read"],
  ["create", "write"],
  ["write", "write"],
  ["delete", "delete"],
]);

function editorCommand(kind: ToolKind, input: Fields): ToolKind {
  return kind === "edit" ? (editorCommands.get(input.command) ?? "edit") : kind;
}

const accessByKind: { readonly [kind in ToolKind]?: ToolAccess } = {
  read: "read",
  write: "write",
  edit: "edit",
  delete: "delete",
  search: "search",
};

/** Reads a tool's input, whatever its form, by the names of its fields. */
class Findings {
  readonly kind: ToolKind;
  readonly commands: string[] = [];
  directory: string | null = null;
  readonly files: { path: string; access: ToolAccess }[] = [];
  readonly urls: string[] = [];
  readonly queries: string[] = [];
  readonly #named: ToolKind;
  readonly #access: ToolAccess;
  #nodes = 0;

  constructor(named: ToolKind, kind: ToolKind) {
    this.kind = kind;
    this.#named = named;
    this.#access = accessByKind[kind] ?? "any";
  }

  /** Reads the whole input; the limit that it exceeds, if any. */
  read(input: Fields): UnknownReason | null {
    const problem = this.#object(input, 1);
    if (problem !== null) return problem;
    const most = toolLimits.values.maximum;
    const lists = [this.commands, this.files, this.urls, this.queries];
    return lists.some((list) => list.length > most) ? "too-many" : null;
  }

  #object(value: object, depth: number): UnknownReason | null {
    if (depth > toolLimits.depth.maximum) return "too-deep";
    for (const [name, member] of Object.entries(value)) {
      if (++this.#nodes > toolLimits.nodes.maximum) return "too-many";
      const role = Array.isArray(value) ? undefined : roleOfInputField(name);
      const taken = role !== undefined && this.#take(role, member, value as Fields);
      if (taken || typeof member !== "object" || member === null) continue;
      const problem = this.#object(member, depth + 1);
      if (problem !== null) return problem;
    }
    return null;
  }

  /** Takes a field by its role; `false` if it has another form, and may hold such fields itself. */
  #take(role: ToolInputRole, value: unknown, siblings: Fields): boolean {
    switch (role) {
      case "command":
        return this.#command(value, siblings);
      case "commands":
        return this.#list(value, (line) => this.#line(line));
      case "directory":
        if (typeof value !== "string") return false;
        if (this.#isShell()) this.directory ??= value;
        else this.files.push({ path: value, access: this.#access });
        return true;
      case "file":
        return this.#list(value, (path) => {
          if (/^https?:\/\//i.test(path)) this.urls.push(path);
          else this.files.push({ path, access: this.#access });
        });
      case "url":
        return this.#list(value, (url) => {
          if (/^file:/i.test(url)) this.files.push({ path: url.slice("file:".length), access: this.#access });
          this.urls.push(url);
        });
      case "query":
        return this.#list(value, (query) => this.queries.push(query));
      case "patch":
        return this.#list(value, (text) => this.files.push(...patchedFiles(text)));
      case "input":
        return this.#list(value, (text) => {
          if (this.#named === "shell") this.commands.push(text);
          else this.files.push(...patchedFiles(text));
        });
    }
  }

  #isShell(): boolean {
    return this.#named === "shell" || this.#named === "mcp" || this.#named === "other";
  }

  #command(value: unknown, { args }: Fields): boolean {
    const words = Array.isArray(value) ? value : [value];
    if (words.length === 0 || !words.every((word) => typeof word === "string")) return false;
    if (!this.#isShell()) {
      // Some clients hand `apply_patch` its patch as a command.
      this.files.push(...words.flatMap(patchedFiles));
      return true;
    }
    const more = Array.isArray(args) && args.every((word) => typeof word === "string") ? args : [];
    if (Array.isArray(value) || more.length > 0)
      this.commands.push([...words, ...more].map((word) => quoted(word)).join(" "));
    else this.#line(words[0] as string);
    return true;
  }

  #line(line: string): void {
    if (this.#isShell()) this.commands.push(line);
  }

  /** Takes a text, or each text of a list. */
  #list(value: unknown, take: (text: string) => void): boolean {
    const texts = Array.isArray(value) ? value : [value];
    if (!texts.every((text) => typeof text === "string")) return false;
    for (const text of texts) take(text);
    return true;
  }
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
