/** Input of a tool, as far as the policies read it. Its shape is the tool's affair, so everything may be anything. */
export interface ToolInput {
  readonly command?: unknown;
  readonly cmd?: unknown;
  readonly script?: unknown;
  readonly file_path?: unknown;
  readonly notebook_path?: unknown;
  readonly path?: unknown;
  readonly url?: unknown;
  readonly query?: unknown;
}

/** An event of a tool, as far as the policies read it. */
export interface ToolEvent {
  readonly tool_name: string;
  readonly tool_input: ToolInput;
  readonly cwd?: string;
}

/** The command line that a tool was given: a text, or a list of words. */
export function commandOf(input: ToolInput | undefined): string | undefined {
  for (const value of [input?.command, input?.cmd, input?.script]) {
    if (typeof value === "string") return value;
    if (Array.isArray(value)) return value.map((word) => quote(String(word))).join(" ");
  }
  return undefined;
}

/** The file that a tool was given. */
export function fileOf(input: ToolInput | undefined): string | undefined {
  return [input?.file_path, input?.notebook_path, input?.path].find((value) => typeof value === "string");
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
